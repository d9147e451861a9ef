// The lab `decode`: what a language model does for each new token, over the batch and the bits of
// its weights.
#include "kernels/families/decode/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/session/session_file.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Family;

constexpr LabKnob batches =
    LabKnob::numbers("batches", "Tokens that are computed at a time, powers of two.", "1,2,4,8,16",
                     1, kernels::most_batch);
constexpr LabKnob bits =
    LabKnob::numbers("bits", "Bits of a weight: 16 (bf16), 8 or 4.", "4,8,16", 4, 16);
constexpr LabKnob parameters =
    LabKnob::number("parameters", "Weights of the model whose tokens per second are told.",
                    "7000000000", 1'000'000, 10'000'000'000'000);
constexpr LabKnob size = LabKnob::number("packed-mebibytes",
                                         "MiB of packed weights, whatever their bits; auto: 512, "
                                         "and more where caches hold a quarter of that.",
                                         "auto", 1, 65536);

/// The part of what the bytes allow that counts as all of it.
constexpr double reached = 0.75;
/// Of the time for a point, for batches that do not decide.
constexpr double part_of_batches = 0.5;
/// Times as long as at batch 1: batching has left the bandwidth roof.
constexpr double longer = 1.5;

/// Of one width as of another, so that no cache holds the smaller weights.
double packed_bytes(const Spec& spec, const Place& place) {
  if (!is_automatic(spec, size)) return static_cast<double>(number_of(spec, size) << 20);
  return std::max(kernels::surely_dram, kernels::dram_working_set(place.info));
}

Plan plan(const Spec& spec, const Place& place, const Results&) {
  Plan plan;
  const double bytes = packed_bytes(spec, place);
  const std::uint64_t granule = kernels::granule_of(Family::decode, kernels::Dtype::fp32);
  for (const std::uint64_t width : numbers_of(spec, bits)) {
    const auto weights = static_cast<std::uint64_t>(8 * bytes / static_cast<double>(width));
    for (const std::uint64_t batch : numbers_of(spec, batches)) {
      const kernels::Case what = kernels::decode_case(
          static_cast<int>(width), batch, std::max<std::uint64_t>(weights / granule, 1) * granule);
      if (const std::string why = kernels::refusal_of(what); !why.empty())
        throw BadInput(fmt::format("--bits {}, --batches {}: {}", width, batch, why));
      if (fits(size, spec, place, what))
        plan.asks.push_back({what, {}, batch == 1 ? 1.0 : part_of_batches});
    }
  }
  return plan;
}

// ---- the points

int bits_of(const Point& point) { return kernels::decode_size(point.what).bits; }
double batch_of(const Point& point) {
  return static_cast<double>(kernels::decode_size(point.what).batch);
}

std::string width_of(const Point& point) {
  return bits_of(point) == 16 ? "bf16" : fmt::format("{} bits", bits_of(point));
}

/// The widths that were measured, the widest first, each by ascending batch.
std::vector<Points> series_of(const Results& results) {
  std::vector<Points> all;
  for (const int width : {16, 8, 4}) {
    const auto batch = [](const kernels::Case& what) { return kernels::decode_size(what).batch; };
    auto found = measured_by(batch, results.points, [&](const kernels::Case& what) {
      return what.family == Family::decode && kernels::decode_size(what).bits == width;
    });
    if (!found.empty()) all.push_back(std::move(found));
  }
  return all;
}

/// Of the model: a step of the batch takes as long as all of its weights, and makes a token of each
/// vector.
double tokens_in(const Spec& spec, const Point& point) {
  return batch_of(point) * static_cast<double>(point.what.elements) /
         static_cast<double>(number_of(spec, parameters));
}

/// Seconds in which the bytes of a point are read at the roof of the memory; 0: not known.
double reading_of(const Session& session, const Point& point) {
  const Ceiling memory = bandwidth_ceiling(session, point.what);
  return memory.rate > 0 ? point.work.bytes / memory.rate : 0;
}

/// The batch at which the arithmetic at its peak takes `longer` than reading the weights of batch
/// 1; nothing where a roof is not known.
std::optional<Interval> predicted_end(const Session& session, const Point& one) {
  const Ceiling peak = compute_ceiling(session, one.what);
  const double reading = reading_of(session, one);
  if (!(peak.rate > 0) || !(reading > 0)) return std::nullopt;
  return Interval{longer * reading * peak.rate / (one.work.flops / batch_of(one))};
}

/// The same as measured, between two batches on a straight line of logarithms; nothing where no
/// batch takes so long.
std::optional<Interval> measured_end(const Points& points) {
  const double limit = longer * points.front()->seconds.median;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double below = points[i - 1]->seconds.median, above = points[i]->seconds.median;
    if (above < limit) continue;
    const double part = below < above ? std::log(limit / below) / std::log(above / below) : 0;
    const double from = batch_of(*points[i - 1]), to = batch_of(*points[i]);
    return Interval{from * std::pow(to / from, std::clamp(part, 0.0, 1.0))};
  }
  return std::nullopt;
}

// ---- the charts

std::optional<Interval> tokens_per_second(const Row& row, std::string_view) {
  const Run* run = run_of(row.session, row.point.run);
  if (run == nullptr || !(row.point.seconds.median > 0)) return std::nullopt;
  return quotient(Interval{tokens_in(run->spec, row.point)}, time_of(row.point));
}

constexpr Metric tokens = metric_of("tokens", "Tokens per second", "tokens/s", tokens_per_second,
                                    {0.1, 1000}, {Trait::rate, Trait::plain});

constexpr Label weights{"weights",
                        [](const Row& row, std::string_view) { return width_of(row.point); }};

std::vector<Chart> charts(const Results& results) {
  Chart rate = chart_of("decode", "Tokens per second by batch, and by bytes alone",
                        metrics::axis("batch", "Batch"), tokens, weights);
  for (const Points& points : series_of(results)) {
    Curve bytes{width_of(*points.front()) + " by bytes"};
    for (const Point* point : points)
      if (const double seconds = reading_of(results.session, *point); seconds > 0)
        bytes.add(batch_of(*point), tokens_in(results.spec, *point) / seconds);
    if (bytes.x.size() > 1) rate.curves.push_back(std::move(bytes));
  }
  Chart roofline = chart_like(rate, "decode-roofline", "Roofline of the products", metrics::flops);
  roofline.x = metrics::intensity;
  roofline.curves = {};
  roofline.overlays = {Overlay::roofs, Overlay::ridge};
  return {rate, roofline};
}

// ---- the verdict

/// What a point reached of the roof that ran beside it, else of the one that is known.
std::optional<Interval> share_of(const Session& session, const Point& point) {
  if (point.share && kind_beside(point) == RoofKind::bandwidth) return point.share->of;
  const double seconds = reading_of(session, point);
  if (!(seconds > 0)) return std::nullopt;
  return quotient(Interval{seconds}, time_of(point));
}

/// What decides, in a sentence.
std::string headline_of(const LabVerdict& verdict, const std::string& bf16_tokens) {
  const auto decides = std::ranges::find(verdict.rows, verdict.says, &VerdictRow::says);
  const std::string here = text_of(Interval{decides->here->median}, decides->unit);
  const std::string width = decides->what.substr(0, decides->what.find(','));
  if (verdict.says == Says::cannot_say) return std::string(scattered);
  if (verdict.says == Says::holds) {
    const VerdictRow& last =
        *std::ranges::find_if(verdict.rows.rbegin(), verdict.rows.rend(),
                              [](const VerdictRow& row) { return row.says != Says::not_yet; });
    return fmt::format("At batch 1 the bytes decide: {} in bf16, {} as many with {}.", bf16_tokens,
                       text_of(Interval{last.here->median}, last.unit),
                       last.what.substr(0, last.what.find(',')));
  }
  if (decides->unit == "%")
    return fmt::format("At batch 1 bf16 weights reach only {} of the memory's bandwidth.", here);
  return fmt::format(
      "With {} there are only {} as many tokens/s as in bf16, where the bytes allow {}: unpacking "
      "takes the rest.",
      width, here, text_of(decides->claimed, decides->unit));
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  auto series = series_of(results);
  std::erase_if(series, [](const auto& points) { return batch_of(*points.front()) != 1; });
  const bool has_bf16 = !series.empty() && bits_of(*series.front().front()) == 16;
  const std::optional<Interval> share =
      has_bf16 ? share_of(results.session, *series.front().front()) : std::nullopt;
  if (!share || series.size() < 2)
    return cannot_say(has_bf16 && !share
                          ? "There is no roof of the memory to compare with."
                          : "Measure batch 1 in bf16, and with weights of 8 or 4 bits.");
  const Point& bf16 = *series.front().front();
  verdict.judge("bf16, batch 1: share of the bandwidth", {}, *share, "%", reached);
  Points rests_on{&bf16};
  for (std::size_t i = 1; i < series.size(); ++i) {
    const Point& other = *series[i].front();
    const double more = other.work.flops / bf16.work.flops;
    const double by_bytes = more * bf16.work.bytes / other.work.bytes;
    verdict.judge(fmt::format("{}, batch 1: tokens/s of bf16", width_of(other)), Interval{by_bytes},
                  times_as_fast(other, bf16, &kernels::Work::flops), "x", reached * by_bytes);
    rests_on.push_back(&other);
  }
  verdict.says = conclude(verdict.rows);
  const double per_second = tokens_in(results.spec, bf16) / bf16.seconds.median;
  verdict.headline = headline_of(
      verdict, fmt::format("{} tokens/s of {} weights", units::number(per_second, 3),
                           units::count(static_cast<double>(number_of(results.spec, parameters)))));
  for (const Points& points : series) {
    if (points.size() > 1)
      verdict.rows.push_back(
          {fmt::format("{}: batch that takes {}x the time", width_of(*points.front()), longer),
           predicted_end(results.session, *points.front()), measured_end(points), ""});
  }
  distrust_unsure(verdict, rests_on);
  return verdict;
}

}  // namespace

extern constinit const Lab decode_lab{
    .name = "decode",
    .title = "Decoding",
    .group = "Memory",
    .question = "How many tokens per second do the bytes of the weights allow?",
    .about =
        "For each new token a language model multiplies every matrix of weights with one vector; "
        "for a batch of requests, with one vector each. Our kernel does that with weights in bf16, "
        "and with weights of 8 and 4 bits that it unpacks in registers: 128 weights in a row share "
        "a scale in bf16. Vectors, results and sums are fp32, on vector units, without the tensor "
        "cores that a library takes for larger batches. The packed weights take as many bytes for "
        "each width, so that all come from DRAM, and so more of them are measured where they are "
        "smaller; tokens per second are those of a model of --parameters weights in such matrices, "
        "without its attention. The dashed lines are what the bytes alone allow. A line leaves its "
        "dashed one where the arithmetic, or the unpacking, takes longer than the bytes.",
    .needs =
        "Batches of 1, 2, 4, 8 and 16 with weights of 16, 8 and 4 bits, where half of the memory "
        "holds them: 15. The verdict compares batch 1 in bf16 with the memory, and with batch 1 of "
        "the other widths.",
    .claim = {"At small batches a token takes as long as reading every weight once; larger ones "
              "cost nothing until the arithmetic takes longer.",
              "kipply, Transformer Inference Arithmetic, latency calculations and batch sizes"},
    .knobs = {batches, bits, parameters, size},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 8,
};

}  // namespace engine
