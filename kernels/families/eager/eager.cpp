// `eager`: layers of matmul, bias, relu, scale and residual on a small matrix.
#include "kernels/families/eager/eager.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::uint64_t most_width = 1024;
/// Of the reference, whose inputs are random numbers made one by one: about 50 ms; and rows that
/// are compared where they take longer.
constexpr std::uint64_t products_to_check = std::uint64_t{1} << 22, least_rows = 4;
constexpr std::array ops{Op::fma};
constexpr std::array<std::string_view, 3> forms{"single", "graph", "fused"};
constexpr std::array axes{
    AxisInfo{"form", "", "How the operators are started.", 1, forms.size(), 1, forms},
    AxisInfo{"width", "columns", "Columns of the matrix.", width_granule, most_width, 64}};
constexpr std::array<std::string_view, ops_of_layer> names{"matmul", "bias", "relu", "scale",
                                                           "residual"};

/// A matmul of 2 rows width^2 FLOP a layer and four pointwise operators of one FLOP an element.
/// What an operator reads and writes counts; fused, t never leaves the registers.
Work work(const Case& c) {
  const auto elements = static_cast<double>(c.elements),
             width = static_cast<double>(layer_width(c)), layers = static_cast<double>(c.repeat);
  // matmul 2, bias 2, relu 2, scale 2, residual 3 times the matrix; fused: x in, x out
  const double matrices = form_of(c) == Form::fused ? 2 : 11;
  const double floats = matrices * elements + width * width + width;
  return {.flops = layers * (2 * elements * width + 4 * elements),
          .bytes = layers * floats * static_cast<double>(size_of(c.dtype)),
          .launches = static_cast<double>(launches_of(c))};
}

/// x, t, x after even and odd layers, and the weights.
double footprint(const Case& c) {
  const std::uint64_t floats = 4 * c.elements + c.repeat * layer_weights(layer_width(c));
  return static_cast<double>(floats) * static_cast<double>(size_of(c.dtype));
}

Bounds bounds(const Case& c) { return {{{c.dtype, c.units, Op::fma}}}; }

std::string refuse(const Case& c) {
  if (c.dtype != Dtype::fp32) return "layers run in fp32: choose fp32";
  if (layer_width(c) % width_granule != 0) return "columns come in multiples of 64";
  return c.elements % layer_width(c) != 0 ? "elements are whole rows" : "";
}

/// A row through all layers, rounded as kernels do: sums begin with the first product, and in the
/// fused form the scale and the residual are one fma.
std::vector<float> reference(const Checkable& layers, std::uint64_t row,
                             const std::stop_token& stop) {
  const Case& c = layers.timed();
  const std::uint64_t width = layer_width(c);
  const bool fma = layers.arithmetic().fused_multiply_add;
  const auto multiply_add = [fma](float a, float b, float sum) {
    return fma ? std::fma(a, b, sum) : a * b + sum;
  };
  const auto input = [&](std::size_t which, std::uint64_t i) {
    return static_cast<float>(layers.input(which, i));
  };
  std::vector<float> x(width), t(width);
  for (std::uint64_t j = 0; j < width; ++j) x[j] = input(0, row * width + j);
  for (std::uint64_t layer = 0; layer < c.repeat; ++layer) {
    const std::uint64_t weights = layer * layer_weights(width), bias = weights + width * width;
    if (stop.stop_requested()) throw Cancelled();
    std::ranges::fill(t, 0.0F);
    for (std::uint64_t k = 0; k < width; ++k)
      for (std::uint64_t j = 0; j < width; ++j)
        t[j] = multiply_add(x[k], input(1, weights + k * width + j), t[j]);
    for (std::uint64_t j = 0; j < width; ++j) {
      const float sum = t[j] + input(1, bias + j);
      const float positive = sum > 0 ? sum : 0;
      const bool at_once = form_of(c) == Form::fused;
      const float scaled = positive * layer_scale(width);
      x[j] = at_once ? multiply_add(positive, layer_scale(width), x[j]) : x[j] + scaled;
    }
  }
  return x;
}

/// All elements of a sample of rows, bit for bit: the order of every sum is fixed. No right element
/// is the number that is none, which results are poisoned with.
Check check(Checkable& layers, const std::stop_token& stop) {
  const Case& c = layers.timed();
  const std::uint64_t width = layer_width(c);
  const std::uint64_t rows = std::clamp<std::uint64_t>(
      products_to_check / (c.repeat * width * width), least_rows, c.elements);
  std::set<std::uint64_t> compared;
  const auto judge = [&](std::uint64_t i, double seen) -> Check {
    const std::uint64_t row = i / width;
    if (std::isnan(seen)) return {false, mismatch(i, c.elements, 0, seen)};
    // Both sides of where threads meet are many rows.
    if (compared.size() >= 2 * rows || !compared.insert(row).second) return {.ok = true};
    const std::vector<float> expected = reference(layers, row, stop);
    const std::vector<double> got = layers.read({row * width, width});
    for (std::uint64_t j = 0; j < width; ++j) {
      const auto value = static_cast<double>(expected[j]);
      if (got[j] != value) return {false, mismatch(row * width + j, c.elements, value, got[j])};
    }
    return {.ok = true};
  };
  return compare(layers, layers.run_poisoned(c, {}, stop), {0, c.elements}, rows, stop, judge);
}

/// "matmul", "layer": one colour in a timeline.
std::string name_of_part(const Case& c, std::uint64_t part) {
  return std::string(form_of(c) == Form::fused ? "layer" : names.at(part % ops_of_layer));
}

}  // namespace

Case eager_case(Form form, std::uint64_t rows, std::uint64_t width, std::uint64_t layers) {
  return {.family = Family::eager,
          .ops = Op::fma,
          .elements = rows * width,
          .repeat = layers,
          .more = {static_cast<std::uint64_t>(form), width}};
}

Form form_of(const Case& c) {
  return static_cast<Form>(std::clamp<std::uint64_t>(c.more[0], 1, forms.size()));
}
std::uint64_t layer_width(const Case& c) {
  return std::clamp<std::uint64_t>(c.more[1], width_granule, most_width);
}
std::uint64_t layer_rows(const Case& c) { return c.elements / layer_width(c); }
std::uint64_t launches_of(const Case& c) {
  return form_of(c) == Form::fused ? c.repeat : c.repeat * ops_of_layer;
}

std::string_view words_of(Form form) {
  constexpr std::array<std::string_view, forms.size()> words{"as single launches", "as a graph",
                                                             "fused"};
  return word_at(words, static_cast<std::uint64_t>(form));
}

std::vector<Span> spans_of(const Case& c, std::span<const Stretch> host,
                           std::span<const Stretch> device, double end) {
  std::vector<Span> spans;
  for (const Stretch& launch : host) spans.push_back({"host", "launch", launch.begin, launch.end});
  const double started = host.empty() ? 0 : host.back().end;
  if (started < end) spans.push_back({"host", "wait", started, end});
  for (std::uint64_t part = 0; part < device.size(); ++part)
    spans.push_back({"device", name_of_part(c, part), device[part].begin, device[part].end});
  return spans;
}

double share_of_work(std::span<const Stretch> device, double end) {
  double works = 0, last = 0;
  for (const Stretch& part : device) {
    works += std::max(part.end - std::max(part.begin, last), 0.0);
    last = std::max(last, part.end);
  }
  return end > 0 ? std::clamp(works / end, 0.0, 1.0) : 0;
}

extern const FamilyInfo eager_family{
    .name = "eager",
    .help = "layers of a small model, one operator after the other",
    .ops = ops,
    .for_labs = true,
    .limit = Limit::overhead,
    .step = "layer",
    .steps = "layers",
    .axes = axes,
    .work = work,
    .footprint = footprint,
    .bounds = bounds,
    .granule = [](Dtype) { return width_granule; },
    .refuse = refuse,
    .tag = [](const Case&) { return std::string("layer"); },
    .check = on_random<check>,
};

}  // namespace kernels
