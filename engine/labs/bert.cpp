// The lab `bert`: one encoder layer of BERT, operator by operator, in the classes of the article's
// table.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/knob_text.hpp"
#include "engine/labs/lab.hpp"
#include "engine/labs/parts/bert_layer.hpp"
#include "engine/labs/parts/products.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/rowwise/rowwise.hpp"

namespace engine {
namespace {

using bert::Account;
using bert::Class;
using bert::Layer;
using kernels::By;

constexpr std::string_view automatic = "auto";
constexpr std::array<std::string_view, 3> models{automatic, "base", "large"};
constexpr std::array<std::string_view, 2> passes{"forward", "both"};
constexpr LabKnob model = LabKnob::choice("model",
                                          "BERT-base (768 wide, 12 heads) or BERT-large (1024, 16 "
                                          "heads); auto: base, and large on a GPU.",
                                          automatic, models);
constexpr LabKnob batch = LabKnob::number("batch", "Sequences in a batch of BERT.", "8", 1, 4096);
constexpr LabKnob sequence = LabKnob::number(
    "sequence", "Tokens in a sequence of BERT, a multiple of 64; auto: 128, and 512 on a GPU.",
    automatic, 64, 65536);
constexpr LabKnob pass =
    LabKnob::choice("pass", "The forward pass, or both forward and backward.", "forward", passes);
constexpr LabKnob fused =
    LabKnob::flag("fused", "Fuse normalization and element-wise operators of BERT.", "off");

/// Many points: each gets less time than in other labs, so that the lab takes no longer.
constexpr double part_of_time = 0.25;
/// A figure is the published one within this factor.
constexpr double about_as_published = 2;

/// The article's table, in the order of the classes.
struct Published {
  double flops, runtime;
};
constexpr std::array<Published, 3> published{{{0.9980, 0.610}, {0.0017, 0.255}, {0.0003, 0.135}}};
const Published& published_of(Class one) { return published[static_cast<std::size_t>(one)]; }
/// "250x and 700x less".
constexpr double normalization_less = 250, element_wise_less = 700;

// ---- the plan

/// Where nobody says: what a CPU computes in a moment; on a GPU what others publish.
Layer layer_of(const Spec& spec, const kernels::DeviceInfo& device) {
  const bool gpu = device.kind == "cuda";
  const std::string named = text_of(spec, model);
  const bool large = named == automatic ? gpu : named == "large";
  return {.width = large ? 1024U : 768U,
          .batch = number_of(spec, batch),
          .sequence = number_of(spec, sequence, gpu ? 512 : 128),
          .backward = text_of(spec, pass) == "both",
          .fused = text_of(spec, fused) == "on",
          .dtype = spec.dtypes.front(),
          .units = units_of(spec),
          .data = spec.data};
}

Plan plan(const Spec& spec, const Place& place, const Results&) {
  refuse_several_dtypes(spec);
  refuse_both_units(spec);
  const Layer layer = layer_of(spec, place.info);
  if (layer.sequence % kernels::row_block != 0)
    refuse(sequence.name, text_of(spec, sequence),
           fmt::format("a multiple of {}", kernels::row_block));
  bert::refuse_lacking(place, layer);
  Plan plan;
  for (const bert::Operator& one : operators_of(layer)) {
    bert::refuse_too_large(place, one);
    const Ask own{one.what, label_of(one), part_of_time};
    Ask library = own;
    library.what.by = By::library;
    const bool known = one.what.family == kernels::Family::matmul && place.knows(library.what);
    const bool first = known && place.info.kind == "cuda";  // it counts there
    if (first) plan.asks.push_back(library);
    plan.asks.push_back(own);
    if (known && !first) plan.asks.push_back(library);
  }
  return plan;
}

/// Every operator of the usual layer must run.
std::string why_not(const Place& place) {
  if (place.kernels.empty()) return "";
  for (const bert::Operator& one : bert::operators_of(Layer{})) {
    const kernels::Kernel* row = find_kernel(place.kernels, one.what);
    if (row == nullptr)
      return fmt::format("This device has no kernel for the operator {}.", one.name);
    if (!row->runs) return fmt::format("The operator {} cannot run: {}.", one.name, row->why_not);
  }
  return "";
}

// ---- charts

/// What the charts show of a class: all of its operators in the same run, not the point at hand;
/// contractions of that kernel, or of those that count. Nothing where one is missing.
std::optional<Account> account_of(const Row& row, std::optional<By> by = {}) {
  const Run* run = run_of(row.session, row.point.run);
  const Layer layer = layer_of(run != nullptr ? run->spec : Spec{}, row.session.device);
  const auto points = points_of(row.session, row.point.run, row.point.lab);
  Account account = by ? bert::account_of(row.session, points, layer, *by)
                       : bert::counted_account(row.session, points, layer);
  return account.missing > 0 ? std::nullopt : std::optional(std::move(account));
}

bool is_product(const Point& point) { return point.what.family == kernels::Family::matmul; }

/// The account that counts; nothing for a contraction by the other kernel.
std::optional<Account> counting(const Row& row) {
  std::optional<Account> account = account_of(row);
  if (account && is_product(row.point) && row.point.what.by != account->contractions)
    account.reset();
  return account;
}

std::optional<Interval> runtime_share_of(const Row& row, std::string_view) {
  const auto account = counting(row);
  if (!account) return std::nullopt;
  return Interval{(*account)[bert::class_of(row.point.what)].seconds.median /
                  account->all().seconds.median};
}

std::optional<Interval> flop_share_of(const Row& row, std::string_view) {
  const auto account = counting(row);
  if (!account) return std::nullopt;
  return Interval{(*account)[bert::class_of(row.point.what)].flops / account->all().flops};
}

std::optional<Interval> rate_of(const Row& row, std::string_view) {
  const auto account =
      account_of(row, is_product(row.point) ? std::optional(row.point.what.by) : std::nullopt);
  if (!account) return std::nullopt;
  const bert::Sum& sum = (*account)[bert::class_of(row.point.what)];
  return quotient(Interval{sum.flops}, sum.seconds);
}

std::string share_text(double value, bool) { return fmt::format("{:.2f} %", 100 * value); }
constexpr Metric runtime_share =
    metric_of("share of the runtime", "Share of the runtime", "%", runtime_share_of, {0, 1},
              {Trait::plain, Trait::linear}, share_text);
constexpr Metric flop_share = metric_of("share of the FLOP", "Share of the FLOP", "%",
                                        flop_share_of, {1e-4, 1}, {Trait::plain}, share_text);

std::string class_word(const Row& row, std::string_view) {
  return std::string(name_of(bert::class_of(row.point.what)));
}
constexpr Label class_label{"class", class_word};

std::string class_and_kernel(const Row& row, std::string_view key) {
  const std::string word = class_word(row, key);
  if (row.point.what.by != By::library) return word;
  return fmt::format("{}, {}", word, row.point.note.empty() ? "library" : row.point.note);
}
constexpr Label class_and_kernel_label{"class and kernel", class_and_kernel};

/// "normalization, published 25.50 %"
std::string class_and_figure(const Row& row, double Published::*figure) {
  if (!counting(row)) return class_and_kernel(row, {});
  return fmt::format("{}, published {:.2f} %", class_word(row, {}),
                     100 * (published_of(bert::class_of(row.point.what)).*figure));
}
constexpr Label of_runtime{"class", [](const Row& row, std::string_view) {
                             return class_and_figure(row, &Published::runtime);
                           }};
constexpr Label of_flops{"class", [](const Row& row, std::string_view) {
                           return class_and_figure(row, &Published::flops);
                         }};

/// The names of our operators at their dots; not of the many with 1 FLOP, which lie together, nor
/// of further products of a size that has a name.
std::vector<Note> names_at_dots(const Results& results) {
  std::vector<Note> notes;
  for (const Point* point : results.points) {
    const std::optional<Interval> rate = metrics::flops({*point, results.session});
    const bool plain = !is_product(*point) && point->flops_per_element() <= 1;
    const double x = point->work.intensity();
    const bool taken = std::ranges::find(notes, x, &Note::x) != notes.end();
    if (point->status != Status::ok || point->what.by != By::own || !rate || plain || taken)
      continue;
    notes.push_back(
        {Note::At::spot, x, rate->median, point->label.substr(0, point->label.find(" ("))});
  }
  return notes;
}

Chart bars_of_classes(std::string_view id, std::string_view title, const Label& series,
                      const Metric& y) {
  Chart chart = chart_of(id, title, class_label, y, series);
  chart.colour = class_and_kernel_label;
  return chart;
}

std::vector<Chart> charts(const Results& results) {
  Chart roofline = chart_of("bert-roofline", "Operators of the layer on the roofline",
                            metrics::intensity, metrics::flops, class_and_kernel_label);
  roofline.notes = names_at_dots(results);
  roofline.overlays = {Overlay::roofs, Overlay::ridge};
  Metric rate = metrics::flops;
  rate.name = "FLOP/s of a class";
  rate.title = "FLOP/s, a function counted as 1";
  rate.of = rate_of;
  return {roofline,
          bars_of_classes("bert-runtime", "Share of the runtime", of_runtime, runtime_share),
          bars_of_classes("bert-flops", "Share of the FLOP", of_flops, flop_share),
          bars_of_classes("bert-rate", "FLOP/s of the classes", class_and_kernel_label, rate)};
}

// ---- the verdict

Interval share_of(const Interval& part, const Interval& all) {
  return Interval{part.median / all.median};
}

/// How many times less FLOP/s a class achieves than the contractions.
Interval times_less(const Account& account, Class one) {
  const auto rate = [&](Class its) {
    return quotient(Interval{account[its].flops, account[its].flops, account[its].flops},
                    account[its].seconds);
  };
  return quotient(rate(Class::contraction), rate(one));
}

void add_rows(const Results& results, const Layer& layer, const Account& account,
              LabVerdict& verdict) {
  const bert::Sum all = account.all();
  for (const Class one : bert::classes)
    verdict.rows.push_back({fmt::format("{}, of the FLOP", name_of(one)),
                            Interval{published_of(one).flops},
                            Interval{account[one].flops / all.flops}, "%.2"});
  // What contractions leave to the others, both ways.
  const Interval contractions = share_of(account[Class::contraction].seconds, all.seconds);
  const double others = 1 - published_of(Class::contraction).runtime;
  verdict.judge(fmt::format("{}, of the runtime", name_of(Class::contraction)),
                Interval{published_of(Class::contraction).runtime}, contractions, "%.2",
                1 - about_as_published * others, 1 - others / about_as_published);
  for (const Class one : {Class::normalization, Class::element_wise})
    verdict.rows.push_back({fmt::format("{}, of the runtime", name_of(one)),
                            Interval{published_of(one).runtime},
                            share_of(account[one].seconds, all.seconds), "%.2"});
  // Agrees with a published figure where it is not much less.
  verdict.judge("normalization, times less FLOP/s", Interval{normalization_less},
                times_less(account, Class::normalization), "x",
                normalization_less / about_as_published);
  verdict.judge("element-wise, times less FLOP/s", Interval{element_wise_less},
                times_less(account, Class::element_wise), "x",
                element_wise_less / about_as_published);
  verdict.inform("the layer", all.seconds, "s");
  const By beside = account.contractions == By::own ? By::library : By::own;
  const Account other = bert::account_of(results.session, results.points, layer, beside);
  if (other.missing > 0) return;
  const std::string_view whose = beside == By::library ? "the library" : "our kernels";
  verdict.inform(fmt::format("the same, contractions by {}", whose), other.all().seconds, "s");
  verdict.rows.push_back({fmt::format("contractions by {}, of the runtime", whose),
                          Interval{published_of(Class::contraction).runtime},
                          share_of(other[Class::contraction].seconds, other.all().seconds), "%.2"});
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Layer layer = layer_of(results.spec, results.session.device);
  const Account account = bert::counted_account(results.session, results.points, layer);
  if (account.missing > 0) return cannot_say("Measure every operator of the layer.");
  add_rows(results, layer, account, verdict);
  const Interval normalization = times_less(account, Class::normalization);
  const Interval element_wise = times_less(account, Class::element_wise);
  verdict.says = conclude(verdict.rows);
  verdict.headline = fmt::format(
      "Matrix products{} do {:.1f} % of the FLOP of the layer in {:.0f} % of its runtime; "
      "normalization achieves {:.0f} and element-wise operators {:.0f} times less FLOP/s.",
      account.contractions == By::library ? " by the library" : "",
      100 * account[Class::contraction].flops / account.all().flops,
      100 * share_of(account[Class::contraction].seconds, account.all().seconds).median,
      normalization.median, element_wise.median);
  if (verdict.says == Says::cannot_say)
    verdict.headline +=
        " The points scatter too much to tell whether this is within a factor of two of the claim.";
  const bool in_caches = std::ranges::none_of(
      account.points, [](const Point* point) { return !is_product(*point) && point->cold; });
  if (in_caches)
    verdict.advice.push_back(
        "Tensors stay in the caches here: with a larger batch they lie in memory.");
  if (!layer.fused)
    verdict.advice.push_back("Measure it fused, too, to see what fusing these operators gains.");
  distrust_unsure(verdict, account.points);
  return verdict;
}

}  // namespace

void bert::set_knobs_told_by(std::span<const Point* const> points, Spec& spec) {
  const auto size_of = [&](std::string_view product) {
    const auto found = std::ranges::find_if(points, [&](const Point* point) {
      return is_product(*point) && point->label.starts_with(product);
    });
    return found != points.end() ? kernels::matmul_size((*found)->what) : kernels::MatmulSize{};
  };
  const auto has = [&](kernels::Op op) {
    return std::ranges::any_of(points, [&](const Point* one) { return one->what.op() == op; });
  };
  const kernels::MatmulSize tokens = size_of("projection"), scores = size_of("attention scores");
  if (scores.m < sequence.low || scores.m > sequence.high) return;
  const std::uint64_t sequences = tokens.m / scores.m;
  if (sequences < batch.low || sequences > batch.high) return;
  spec.more = {{"model", tokens.n == 1024 ? "large" : "base"},
               {"batch", fmt::to_string(sequences)},
               {"sequence", fmt::to_string(scores.m)},
               {"pass", has(kernels::Op::gelu_gradient) ? "both" : "forward"},
               {"fused", has(kernels::Op::scaled_softmax_dropout) ? "on" : "off"}};
}

extern constinit const Lab bert_lab{
    .name = "bert",
    .title = "A layer of BERT",
    .group = "Memory",
    .question = "What takes the time in a layer of BERT: matrix products or the rest?",
    .about =
        "One encoder layer of BERT runs as its operators: matrix products (tensor contraction), "
        "softmax and layernorm (normalization), and biases, gelu, dropout and residual connections "
        "(element-wise). Each different operator is measured once, alone. The layer is the sum of "
        "these times, each multiplied by the number in the operator's name. For shares and FLOP/s "
        "of classes a function such as exp counts as 1 FLOP, as in published tables. The attention "
        "heads lie one after the other in memory. With --fused on, biases, gelu, dropout, residual "
        "connections and softmax run in fewer kernels. On a GPU matrix products run on matrix "
        "units in bf16, and those of a library count where one is found; ours are shown beside.",
    .needs =
        "Each different operator of the layer once: 14 for the forward pass, of which 5 are matrix "
        "products; and these once more by a library. The verdict needs every operator by our "
        "kernels, or the matrix products by the library on a GPU.",
    .claim = {"In BERT, matrix products do 99.8 % of the FLOP but take only 61 % of the runtime: "
              "normalization and element-wise operators achieve 250 and 700 times less FLOP/s.",
              "Making Deep Learning Go Brrrr, Bandwidth"},
    .reads = {"dtype", "units", "data"},
    .knobs = {model, batch, sequence, pass, fused},
    .why_not = why_not,
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .on_matrix_units = true,
    .time = 10,
};

}  // namespace engine
