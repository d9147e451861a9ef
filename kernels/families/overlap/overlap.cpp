// `overlap`: copy in, compute, copy out, in chunks.
#include "kernels/families/overlap/overlap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::fma};
constexpr std::array axes{
    AxisInfo{"chunks", "chunks", "Chunks that the data are divided into.", 1, most_chunks, 1}};
constexpr std::array<std::string_view, 3> stages{"copy in", "compute", "copy out"};

/// Each element comes in and goes out.
Work work(const Case& c) {
  const auto elements = static_cast<double>(c.elements);
  return {.flops = 2 * elements * static_cast<double>(c.repeat),
          .bytes = 2 * static_cast<double>(sizeof(float)) * elements,
          .launches = static_cast<double>(chunks_of(c))};
}

/// Source and destination, and both on the device.
double footprint(const Case& c) {
  return 4 * static_cast<double>(c.elements) * static_cast<double>(sizeof(float));
}

std::string refuse(const Case& c) {
  if (c.dtype != Dtype::fp32) return "chunks are computed on in fp32: choose fp32";
  return c.elements / overlap_granule < chunks_of(c) ? "there are more chunks than granules" : "";
}

/// What each element goes through.
Case chain_of(const Case& c) {
  return {.ops = Op::fma, .dtype = c.dtype, .elements = c.elements, .repeat = c.repeat};
}

}  // namespace

Case overlap_case(std::uint64_t chunks, std::uint64_t elements, std::uint64_t ops_each) {
  return {.family = Family::overlap,
          .ops = Op::fma,
          .elements = elements,
          .repeat = ops_each,
          .more = {chunks}};
}

std::uint64_t chunks_of(const Case& c) {
  return std::clamp<std::uint64_t>(c.more[0], 1, most_chunks);
}

Chunk chunk_of(const Case& c, std::uint64_t chunk) {
  const std::uint64_t granules = c.elements / overlap_granule, of = chunks_of(c);
  const std::uint64_t first = granules * chunk / of * overlap_granule;
  const bool last = chunk + 1 == of;
  const std::uint64_t end = last ? c.elements : granules * (chunk + 1) / of * overlap_granule;
  return {first, end - first};
}

std::string_view name_of(Stage stage) { return stages.at(static_cast<std::size_t>(stage)); }

Span span_of(Stage stage, std::uint64_t chunk, double begin, double end) {
  return {std::string(name_of(stage)), "chunk " + std::to_string(chunk + 1), begin, end};
}

std::vector<Value> values_of(std::span<const Span> spans) {
  std::vector<Value> values;
  for (const std::string_view stage : stages) {
    double seconds = 0;
    for (const Span& span : spans) seconds += span.lane == stage ? span.end - span.begin : 0;
    values.push_back({std::string(stage), seconds});
  }
  std::ranges::sort(values, {}, &Value::name);  // as files list them
  return values;
}

Operands overlap_operands() { return operands_of(Op::fma, Dtype::fp32); }

void fill_overlap(std::span<float> in, std::uint64_t seed) {
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(random_element(Dtype::fp32, seed, i));
}

void poison_overlap(std::span<float> out) {
  std::ranges::fill(out, std::numeric_limits<float>::quiet_NaN());
}

Check check_overlap(const Case& c, Arithmetic arithmetic, std::span<const float> in,
                    std::span<const float> out, const std::stop_token& stop) {
  const auto unwritten = std::ranges::find_if(out, [](float one) { return std::isnan(one); });
  if (unwritten != out.end())
    return {false, "element " + std::to_string(unwritten - out.begin()) + " was not written"};
  const Case chain = chain_of(c);
  const std::uint64_t samples = std::min<std::uint64_t>(samples_for(c.repeat), out.size());
  Deviation deviation;
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    if (stop.stop_requested()) throw Cancelled();
    // Even over all chunks, the first and the last element among them.
    const std::uint64_t i = samples > 1 ? sample * (out.size() - 1) / (samples - 1) : 0;
    const double x = static_cast<double>(in[i]), got = static_cast<double>(out[i]);
    const double expected = reference_chain(chain, arithmetic, overlap_operands(), x);
    if (got != expected) return {false, mismatch(i, out.size(), expected, got)};
    deviation.add(exact_chain(chain, overlap_operands(), x), got);
  }
  return {.ok = true, .error = deviation.share()};
}

extern const FamilyInfo overlap_family{
    .name = "overlap",
    .help = "copies in and out that run beside the computing",
    .ops = ops,
    .for_labs = true,
    .limit = Limit::elsewhere,
    .step = "fma",
    .steps = "fma",
    .axes = axes,
    .work = work,
    .footprint = footprint,
    .granule = [](Dtype) { return overlap_granule; },
    .refuse = refuse,
    .tag = [](const Case& c) { return text_of(c.ops); },
};

}  // namespace kernels
