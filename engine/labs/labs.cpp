// The list of labs, and what is asked of any of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/bert_layer.hpp"
#include "engine/roofs/shape_search.hpp"
#include "engine/session/session_file.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {

// One file each. A new lab is its file, its name here, and its place in the list.
extern const Lab intensity_lab, roofs_lab, fma_lab, hierarchy_lab, overhead_lab, precision_lab,
    fusion_lab, rematerialize_lab, operators_lab, bert_lab, matmul_lab, mlp_lab, quantization_lab,
    divergence_lab, conv_lab, coalescing_lab, launches_lab, transfers_lab, overlap_lab, decode_lab,
    eager_lab, timing_lab, autotune_lab, where_time_goes_lab, watch_lab_of_counters;

namespace {

constexpr std::array built_in{
    &intensity_lab,        &roofs_lab,      &fma_lab,     &hierarchy_lab,
    &coalescing_lab,       &transfers_lab,  &overlap_lab, &decode_lab,
    &overhead_lab,         &launches_lab,   &eager_lab,   &timing_lab,
    &autotune_lab,         &precision_lab,  &fusion_lab,  &rematerialize_lab,
    &operators_lab,        &bert_lab,       &matmul_lab,  &mlp_lab,
    &quantization_lab,     &divergence_lab, &conv_lab,    &where_time_goes_lab,
    &watch_lab_of_counters};

std::vector<const Lab*>& list() {
  static std::vector<const Lab*> labs(built_in.begin(), built_in.end());
  return labs;
}

/// What the lab `autotune` finds the fastest shape of.
std::array<kernels::Case, 2> tunable_peaks() {
  using kernels::Dtype, kernels::Units;
  return {kernels::peak_case(kernels::Op::fma, Dtype::fp32, Units::vector, kernels::Data::random),
          kernels::peak_case(kernels::Op::mma, Dtype::bf16, Units::matrix, kernels::Data::random)};
}

/// What every lab reads.
constexpr Few<std::string_view> read_by_all{"device", "lab", "noise", "max-time", "time"};

}  // namespace

Place place_of(const kernels::Device& device) {
  const auto rows = device.kernels();
  Place place{device.info(), {rows.begin(), rows.end()}, device.free_bytes()};
  for (const kernels::Case& peak : tunable_peaks()) {
    const kernels::Kernel* kernel = kernels::find_kernel(device.kernels(), peak);
    if (kernel == nullptr || !kernel->runs) continue;
    for (kernels::Shape& shape : all_shapes(device.shape_axes(peak))) {
      place.shapes.push_back(peak);
      place.shapes.back().shape = std::move(shape);
    }
  }
  return place;
}

bool Place::runs(const kernels::Case& what) const {
  const kernels::Kernel* kernel = kernels::find_kernel(kernels, what);
  return kernel != nullptr && kernel->runs;
}

bool Place::knows(const kernels::Case& what) const {
  return kernels.empty() || kernels::find_kernel(kernels, what) != nullptr;
}

std::span<const Lab* const> labs() { return list(); }

void use_labs(std::vector<const Lab*> labs) { list() = std::move(labs); }

const Lab* find_lab(std::string_view name) {
  const auto found = std::ranges::find_if(list(), [&](const Lab* lab) {
    return lab->name == name || (!name.empty() && lab->former_name == name);
  });
  return found == list().end() ? nullptr : *found;
}

const Lab& lab_of(const Spec& spec) {
  if (const Lab* lab = find_lab(spec.lab)) return *lab;
  throw BadInput(fmt::format("--lab {}: there is no such lab; `ridgepoint sweep --list` lists them",
                             spec.lab));
}

LabVerdict verdict_of(const Lab& lab, const Results& results) {
  const bool waits = !results.ended && !lab.says_early;
  return lab.verdict == nullptr || waits ? LabVerdict{} : lab.verdict(results);
}

bool is_over_repeats(std::string_view lab) {
  const Lab* found = find_lab(lab);
  return found == nullptr || found->slider == "repeat";
}

bool measures_roofs(std::string_view lab) {
  const Lab* found = find_lab(lab);
  return found != nullptr && found->lists_roofs;
}

bool reads_knob(const Lab& lab, std::string_view knob) {
  return std::ranges::find(read_by_all, knob) != read_by_all.end() ||
         std::ranges::find(lab.reads, knob) != lab.reads.end() ||
         std::ranges::find(lab.knobs, knob, &LabKnob::name) != lab.knobs.end();
}

Spec read_by(const Lab& lab, const Spec& spec) {
  Spec read = spec;
  const Spec usual;
  for (const Knob& knob : knobs())
    if (!reads_knob(lab, knob.name)) knob.set(read, knob.get(usual));
  std::erase_if(read.more, [&](const auto& own) { return !reads_knob(lab, own.first); });
  read.lab = lab.name;
  if (!reads_knob(lab, "dtype") && !reads_knob(lab, "units")) read.types_chosen = false;
  return read;
}

Spec suited(const Spec& spec, const Place& place) {
  const Lab* lab = find_lab(spec.lab);
  const bool prefers = lab != nullptr && lab->on_matrix_units && place.info.kind == "cuda";
  if (!prefers || spec.types_chosen || spec.kernel) return spec;
  if (!place.runs({.family = kernels::Family::matmul,
                   .ops = kernels::Op::mma,
                   .dtype = kernels::Dtype::bf16,
                   .units = kernels::Units::matrix}))
    return spec;
  Spec on_matrix_units = spec;
  on_matrix_units.dtypes = {kernels::Dtype::bf16};
  on_matrix_units.units = UnitsChoice::matrix;
  return on_matrix_units;
}

double time_of(const Lab& lab, const Spec& spec, std::size_t points) {
  if (std::isinf(spec.time)) return 0;
  if (spec.time > 0) return spec.time;
  return lab.time + lab.time_of_point * static_cast<double>(points);
}

Spec tour_spec(const Lab& lab, std::string device) {
  // Of all labs together, for their points; roofs come on top.
  constexpr double time_of_points = 120;  // s
  Spec spec;
  spec.lab = lab.name;
  spec.device = std::move(device);
  spec.noise = 0.03;  // enough for the shapes of curves; a sweep of its own measures better
  spec.max_time = 0.5;
  spec.time = time_of_points / static_cast<double>(list().size());
  return spec;
}

std::string knobs_read_by(const Lab& lab) {
  std::vector<std::string> names;
  for (const Knob& knob : knobs()) {
    if (knob.name != "lab" && reads_knob(lab, knob.name))
      names.push_back(fmt::format("--{}", knob.name));
  }
  for (const LabKnob& knob : lab.knobs) names.push_back(fmt::format("--{}", knob.name));
  const std::string last = std::exchange(names.back(), {});
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

bool is_automatic(const Spec& spec, const LabKnob& knob) {
  return text_of(spec, knob) == knob.usual;
}

std::uint64_t number_on(const Place& place, const Spec& spec, const LabKnob& knob,
                        std::uint64_t of_gpu) {
  const bool gpu = place.info.kind != "cpu";
  return gpu && is_automatic(spec, knob) ? of_gpu : number_of(spec, knob);
}

std::string why_none(const Place& place, kernels::Family family, std::string_view has_none) {
  if (place.kernels.empty()) return "";
  std::string why(has_none);
  for (const kernels::Kernel& kernel : place.kernels) {
    if (kernel.family != family) continue;
    if (kernel.runs) return "";
    why = kernel.why_not;
  }
  return why;
}

bool leaves_room(const Place& place, const kernels::Case& what) {
  return !(place.free_bytes > 0) || kernels::footprint_of(what) <= place.free_bytes / 2;
}

void refuse_beyond_memory(const LabKnob& knob, const Spec& spec, const Place& place,
                          const kernels::Case& what) {
  constexpr double most_of_free = 0.9;  // as of --elements: the system needs memory, too
  const double bytes = kernels::footprint_of(what);
  if (is_automatic(spec, knob) || !(place.free_bytes > 0) ||
      bytes <= most_of_free * place.free_bytes)
    return;
  throw BadInput(fmt::format("--{} {}: {} needs {}, and {} are free", knob.name,
                             text_of(spec, knob), kernels::describe(what), units::bytes(bytes),
                             units::bytes(place.free_bytes)));
}

bool fits(const LabKnob& knob, const Spec& spec, const Place& place, const kernels::Case& what) {
  refuse_beyond_memory(knob, spec, place, what);
  return !is_automatic(spec, knob) || leaves_room(place, what);
}

Results results_of(std::string_view lab, const Session& session, bool ended) {
  static const Spec usual;
  const std::uint64_t newest = newest_run(session, lab).value_or(0);
  const Run* run = run_of(session, newest);
  return {run != nullptr ? run->spec : usual, session, points_of(session, newest, lab), ended};
}

// ---- the runs of an older file, which has none: what its points tell of them

namespace {

/// The values that a field has in these points, ascending.
template <class Value>
std::vector<Value> values_of(const Points& points, Value kernels::Case::*field) {
  std::set<Value> values;
  for (const Point* point : points) values.insert(point->what.*field);
  return {values.begin(), values.end()};
}

/// The choice of one of two values, or of both.
template <class Choice, class Value>
Choice choice_of(const std::vector<Value>& values) {
  return values.size() > 1 ? Choice::both : static_cast<Choice>(values.front());
}

/// A lab of products adds other types and units, and other operators: its first product tells.
void set_types_of_products(Spec& spec, const Points& points) {
  Points products = points;
  std::erase_if(products,
                [](const Point* point) { return point->what.family != kernels::Family::matmul; });
  if (products.empty()) return;
  const auto types = [](const Point* point) {
    return std::pair(point->what.dtype, point->what.units);
  };
  const auto [dtype, units] = types(products.front());
  spec.types_chosen =
      std::ranges::count(products, types(products.front()), types) == std::ssize(products);
  spec.dtypes = {dtype};
  spec.units = static_cast<UnitsChoice>(units);
}

/// As far as the points of a run tell.
Spec spec_told_by(const Points& points) {
  const kernels::Case& last = points.back()->what;
  Spec spec;
  spec.lab = points.back()->lab;
  if (can_be_asked_for(last.family)) {
    spec.kernel = last.family;
    spec.op = last.family->chooses_op ? last.op() : spec.op;
  }
  spec.data = last.data;
  spec.dtypes = values_of(points, &kernels::Case::dtype);
  spec.fusion = choice_of<FusionChoice>(values_of(points, &kernels::Case::fusion));
  spec.units = choice_of<UnitsChoice>(values_of(points, &kernels::Case::units));
  // Where each element type has its own number, each gets the default.
  const auto elements = values_of(points, &kernels::Case::elements);
  spec.elements = elements.size() == 1 ? elements.front() : 0;
  spec.types_chosen = true;
  const Lab* lab = find_lab(spec.lab);
  if (lab != nullptr && lab->on_matrix_units) set_types_of_products(spec, points);
  if (lab == nullptr) return spec;
  spec = read_by(*lab, spec);
  if (lab == &bert_lab) bert::set_knobs_told_by(points, spec);
  return spec;
}

}  // namespace

void use_names_of_today(Session& session) {
  const auto rename = [](std::string& name) {
    if (const Lab* lab = find_lab(name)) name = lab->name;
  };
  for (Point& point : session.points) rename(point.lab);
  for (Run& run : session.runs) rename(run.spec.lab);
}

std::vector<Run> runs_told_by(const Session& session) {
  std::map<std::uint64_t, Points> points;
  for (const Point& point : session.points)
    if (!point.probe) points[point.run].push_back(&point);
  std::vector<Run> runs;
  for (const auto& [number, of_run] : points) {
    runs.push_back({number, spec_told_by(of_run)});
    runs.back().spec.device = session.device.id;
  }
  return runs;
}

std::vector<Chart> charts_of(const Lab& lab, const Results& results) {
  if (lab.charts == nullptr) return {};
  std::vector<Chart> charts = lab.charts(results);
  for (Chart& chart : charts) chart.lab = lab.name;
  return charts;
}

const std::deque<Chart>& all_charts() {
  static std::deque<Chart> charts;  // only grows, so that references stay valid
  static std::size_t known = 0;
  static const Spec spec;
  static const Session session;
  for (; known < list().size(); ++known)
    std::ranges::move(charts_of(*list()[known], {spec, session, {}}), std::back_inserter(charts));
  return charts;
}

const Chart* find_chart(std::string_view id) {
  const auto found = std::ranges::find_if(all_charts(), [&](const Chart& chart) {
    return chart.id == id || (!id.empty() && chart.former_id == id);
  });
  return found == all_charts().end() ? nullptr : &*found;
}

}  // namespace engine
