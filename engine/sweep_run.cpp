#include "engine/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/dents.hpp"
#include "engine/predict.hpp"
#include "engine/roof_facts.hpp"
#include "engine/run_case.hpp"
#include "engine/units.hpp"

namespace engine {
namespace {

using kernels::Case;

Policy policy_of(const Spec& spec) {
  Policy policy;
  policy.noise = spec.noise;
  policy.max_time = spec.max_time;
  return policy;
}

/// Bandwidth and launches bound every case, a compute roof those that it is named for; the FMA roof
/// is shown beside that of mul or add, too. What was measured on zeros bounds none.
bool bounds_any(const Roof& roof, const std::vector<Case>& cases) {
  if (roof.data != kernels::Data::random) return false;
  return roof.kind != RoofKind::compute || std::ranges::any_of(cases, [&](const Case& what) {
           return std::ranges::count(compute_roof_names(what), roof.name) > 0;
         });
}

// Points far below their neighbours that are measured again: where there are more, the device is
// like that, or nobody knows which of them are sound.
constexpr std::size_t most_dents = 4;

// Points that memory bounds come to 90 % of a copy's rate and more; one or two may have been
// disturbed.
constexpr double far_below_roof = 0.75;
constexpr std::ptrdiff_t enough_to_tell = 3;
constexpr double clearly_lower = 0.9;
// A runtime below this share of the first one shows that the first one was disturbed.
constexpr double clearly_faster = 0.9;

/// Why points stopped short of their noise goal, and what to do.
std::string remedy_for(Limit limit, const Policy& policy) {
  switch (limit) {
    case Limit::time:
      return fmt::format(
          "{} were too short; close other programs, or raise the time limit (--max-time)",
          units::seconds(policy.max_time, 2));
    case Limit::samples:
      return fmt::format(
          "{} samples were not enough; close other programs, or raise the noise goal (--noise)",
          policy.max_samples);
    case Limit::spread:
      return fmt::format(
          "their samples scatter too much for it within {}; close other programs, or raise the "
          "noise goal (--noise) or the time limit (--max-time)",
          units::seconds(policy.max_time, 2));
    case Limit::others:
      return "others ran on the same cores all the time; close other programs, or measure when the "
             "host is less busy";
  }
  return "";
}

// A machine whose speed goes to and fro would have its roofs measured after every point.
constexpr int most_raises = 3;

/// What the memory roof is measured over.
double memory_bytes(const kernels::Device& device) {
  Case copy;
  copy.elements = default_elements(device.info(), device.free_bytes(), copy.family, copy.dtype);
  return kernels::footprint_of(copy);
}

bool contains(const std::vector<Roof>& roofs, const Roof& roof) {
  return std::ranges::any_of(roofs, [&](const Roof& other) {
    return other.name == roof.name && other.source == roof.source;
  });
}

}  // namespace

Case case_of_probe(const ProbeRequest& request, const kernels::Device& device) {
  const Case& what = request.what;
  Spec spec = request.spec;
  spec.experiment = "intensity";
  spec.kernel = what.family;
  spec.op = what.family == kernels::Family::tile ? kernels::Op::fma : what.op;
  spec.dtypes = {what.dtype};
  spec.fusion = what.fusion == kernels::Fusion::fused ? FusionChoice::fused : FusionChoice::unfused;
  spec.units = what.units == kernels::Units::vector ? UnitsChoice::vector : UnitsChoice::matrix;
  spec.repeats = {what.repeat};
  spec.elements = what.elements;
  spec.data = what.data;
  return expand(spec, device.info(), device.free_bytes()).front();
}

SweepRun::SweepRun(std::uint64_t number, kernels::Device& device, const Spec& spec,
                   RoofCache& cache, const Timing& timing, std::stop_token stop, Send send)
    : number_(number),
      device_(device),
      experiment_(spec.experiment),
      remeasure_(spec.remeasure),
      policy_(policy_of(spec)),
      cache_(cache),
      timing_(timing),
      stop_(std::move(stop)),
      send_(std::move(send)),
      forecast_(policy_),
      excess_(memory_bytes(device)) {}

void SweepRun::learn(const Roof& roof) {
  forecast_.learn(roof);
  excess_.learn(roof);
}

void SweepRun::report_roof(const Roof& roof) {
  learn(roof);
  send_(RoofMeasured{number_, device_.info().id, roof});
}

void SweepRun::or_warn(const std::function<void()>& find) {
  try {
    find();
  } catch (const kernels::Cancelled&) {
    throw;
  } catch (const kernels::DeviceLost&) {
    throw;
  } catch (const std::exception& error) {
    // Points count without roofs, too.
    warn(fmt::format("some roofs are missing: {}", error.what()));
  }
}

RoofEvents SweepRun::events_into(std::vector<Roof>& measured) {
  RoofEvents events;
  events.roof = [this, &measured](const Roof& roof) {
    std::erase_if(measured, [&](const Roof& older) { return older.name == roof.name; });
    measured.push_back(roof);
    report_roof(roof);
  };
  events.problem = [this](std::string problem) { warn(std::move(problem)); };
  return events;
}

RoofBench SweepRun::bench() { return {device_, policy_, stop_, timing_, &cache_, remeasure_}; }

void SweepRun::report_sheet(const std::function<void(const Roof&)>& report) {
  std::vector<std::string> problems;
  for (const Roof& roof : datasheet_roofs(device_.info(), &problems)) report(roof);
  for (std::string& problem : problems) warn(std::move(problem));
}

void SweepRun::find_roofs(const std::vector<Case>& cases, const std::vector<Roof>& known,
                          std::vector<Roof>& measured) {
  std::vector<Roof> have = known;
  for (const Roof& roof : known) learn(roof);
  const auto report_if_new = [&](const Roof& roof) {
    if (!bounds_any(roof, cases) || contains(have, roof)) return;
    have.push_back(roof);
    report_roof(roof);
  };
  or_warn([&] {
    report_sheet(report_if_new);
    for (const Roof& roof : measured) report_if_new(roof);
    adopt_better(measured);
    measure_roofs(bench(), cases, have, events_into(measured));
  });
}

void SweepRun::adopt_better(const std::vector<Roof>& measured) {
  for (const Roof& roof : measured) {
    const Roof* known = excess_.find(roof.name);
    if (known != nullptr && roof.rate > known->rate) report_roof(roof);
  }
}

void SweepRun::raise_roofs(const std::vector<Case>& cases, std::vector<Roof>& measured) {
  adopt_better(measured);  // a probe may have raised them
  std::vector<Roof> low = excess_.exceeded();
  std::erase_if(low, [this](const Roof& roof) { return raises_[roof.name]++ >= most_raises; });
  if (low.empty()) return;
  if (done_ > 0) report_progress(cases, "measuring exceeded roofs again");
  RoofEvents events = events_into(measured);
  events.roof = [&](const Roof& roof) {
    const Roof* known = excess_.find(roof.name);
    if (known == nullptr || roof.rate <= known->rate) return;
    before_.try_emplace(roof.name, rate_text(*known));
    std::erase_if(measured, [&](const Roof& other) { return other.name == roof.name; });
    measured.push_back(roof);
    report_roof(roof);
  };
  or_warn([&] { measure_again(bench(), cases, low, events); });
}

void SweepRun::lower_memory_roof(const std::vector<Case>& cases, std::vector<Roof>& measured) {
  const Roof* known = excess_.find("DRAM copy");
  if (known == nullptr) return;
  const double highest = excess_.highest_share(*known);  // 0: no point tells
  if (highest == 0 || highest >= far_below_roof) return;
  const auto bound_by_memory = [this](const Point& point) {
    if (point.status != Status::ok || !point.cold) return false;
    const Prediction prediction = predict(forecast_.known(), point.what, point.work);
    return prediction.complete() &&
           prediction.bandwidth_seconds >
               2 * std::max(prediction.compute_seconds, prediction.overhead_seconds);
  };
  if (std::ranges::count_if(forecast_.known().points, bound_by_memory) < enough_to_tell) return;
  report_progress(cases, "measuring the memory again");
  const Roof older = *known;
  RoofEvents events = events_into(measured);
  events.roof = [&](const Roof& newer) {
    if (newer.rate > clearly_lower * older.rate) return;
    std::erase_if(measured, [&](const Roof& other) { return other.name == newer.name; });
    measured.push_back(newer);
    report_roof(newer);
    warn(
        fmt::format("no point came near the {} roof, so it was measured again: {} instead of {}; "
                    "{} was faster before",
                    newer.name, rate_text(newer), rate_text(older), device_.info().id));
  };
  or_warn([&] { measure_again(bench(), cases, {older}, events); });
}

void SweepRun::warn_of_excess() {
  for (const auto& [name, older] : before_) {
    warn(
        fmt::format("points lay above the {} roof, so it was measured again: {} instead of {}; "
                    "{} was slower before",
                    name, rate_text(*excess_.find(name)), older, device_.info().id));
  }
  for (const Roof& roof : excess_.exceeded()) {
    warn(
        fmt::format("points reached {} of the {} roof, which measured again gave no more: {} was "
                    "faster for a while; run it again when the machine is idle",
                    units::percent(excess_.highest_share(roof)), roof.name, device_.info().id));
  }
}

void SweepRun::find_all_roofs(kernels::Data data, const std::vector<Roof>& before,
                              std::vector<Roof>& measured, const std::function<void()>& between) {
  RoofEvents events = events_into(measured);
  events.higher_known = [&before](const Roof& roof) {
    return std::ranges::any_of(before, [&](const Roof& known) {
      return known.name == roof.name && known.source == RoofSource::measured &&
             known.rate > roof.rate;
    });
  };
  events.tried = [this](Point point) {
    point.run = number_;
    report(std::move(point));
  };
  const double begin = timing_.now();
  events.progress = [&](std::size_t done, std::size_t total, std::string next) {
    between();
    const double each = done > 0 ? (timing_.now() - begin) / static_cast<double>(done) : 0;
    const double left = each * static_cast<double>(total - done);
    send_(Progress{number_, done, total, left, std::move(next)});
  };
  or_warn([&] {
    report_sheet([this](const Roof& roof) { report_roof(roof); });
    measure_all_roofs(bench(), data, events);
  });
  warn_of_lower(before, measured);
}

void SweepRun::warn_of_lower(const std::vector<Roof>& before, const std::vector<Roof>& measured) {
  std::string lower;
  for (const Roof& known : before) {
    if (known.source != RoofSource::measured) continue;
    const auto newer = std::ranges::find(measured, known.name, &Roof::name);
    if (newer == measured.end() || newer->rate > clearly_lower * known.rate) continue;
    lower += fmt::format("{}{} {} instead of {}", lower.empty() ? "" : ", ", known.name,
                         rate_text(*newer), rate_text(known));
  }
  if (lower.empty()) return;
  warn(fmt::format(
      "roofs are lower than before: {}; {} was faster then, and points of that time may "
      "lie above them",
      lower, device_.info().id));
}

Point SweepRun::measured_point(const Case& what) {
  const double begin = timing_.now();
  Point point = run_case(device_, what, policy_, forecast_.too_slow(what), stop_, timing_);
  point.experiment = experiment_;
  point.run = number_;
  forecast_.learn(point, timing_.now() - begin);
  return point;
}

void SweepRun::count(const Point& point, int times) {
  if (point.status != Status::ok) return;
  measured_ += times;
  if (point.stop == Stop::time_limit) stopped_at_[point.limit] += times;
  if (point.conditions.throttled.value_or(false)) throttled_ += times;
  if (point.disturbed) disturbed_ += times;
}

void SweepRun::report(Point point) {
  count(point, 1);
  send_(PointMeasured{number_, device_.info().id, std::move(point)});
}

void SweepRun::report_progress(const std::vector<Case>& cases, std::string now) {
  std::vector<Case> to_run;
  for (const Case& what : std::span(cases).subspan(done_)) {
    if (why_not(device_, what).empty()) to_run.push_back(what);
  }
  const double left = forecast_.seconds_for(to_run);
  send_(Progress{number_, done_, cases.size(), left, std::move(now)});
}

void SweepRun::run_cases(const std::vector<Case>& cases, const SweepNeeds& needs) {
  while (done_ < cases.size()) {
    needs.between();
    if (stop_.stop_requested()) throw kernels::Cancelled();
    const Case& what = cases[done_];
    report_progress(cases, kernels::describe(what));
    Point point = measured_point(what);
    const bool above = excess_.learn(point);
    report(std::move(point));
    ++done_;
    if (above) raise_roofs(cases, needs.measured);
  }
  measure_dents_again(cases, needs);
  lower_memory_roof(cases, needs.measured);
  report_progress(cases, "");
  warn_of_conditions();
  warn_of_excess();
}

void SweepRun::measure_dents_again(const std::vector<Case>& cases, const SweepNeeds& needs) {
  const std::vector<Case> again = dents(forecast_.known());
  if (again.size() > most_dents) return;
  for (std::size_t i = 0; i < again.size(); ++i) {
    const Case& what = again[i];
    needs.between();
    if (stop_.stop_requested()) throw kernels::Cancelled();
    const double left =
        forecast_.seconds_for({again.begin() + static_cast<std::ptrdiff_t>(i), again.end()});
    send_(Progress{number_, cases.size() + i, cases.size() + again.size(), left,
                   kernels::describe(what) + " once more"});
    const Point older = *std::ranges::find(forecast_.known().points, what, &Point::what);
    Point point = measured_point(what);
    // The slow end of its interval: one lucky sample proves nothing.
    const double seconds = std::max(point.seconds.median, point.seconds.high);
    const bool faster =
        point.status == Status::ok && seconds < clearly_faster * older.seconds.median;
    if (!faster && point.status == Status::ok) continue;
    if (faster) {
      warn(
          fmt::format("{} {}, repeat {} was slower than the points beside it, and measured again: "
                      "{} instead of {}",
                      name_of(what.dtype), name_of(what.fusion), what.repeat,
                      units::seconds(point.seconds.median), units::seconds(older.seconds.median)));
    }
    count(older, -1);
    const bool above = excess_.learn(point);
    report(std::move(point));
    if (above) raise_roofs(cases, needs.measured);
  }
}

void SweepRun::fail_rest(const std::vector<Case>& cases, const std::string& why) {
  for (; done_ < cases.size(); ++done_) {
    Point point = point_without_time(cases[done_], Status::failed, why);
    point.experiment = experiment_;
    point.run = number_;
    report(std::move(point));
  }
}

void SweepRun::warn_of_conditions() {
  for (const auto& [limit, points] : stopped_at_) {
    if (points == 0) continue;
    warn(fmt::format("{} of {} points did not reach the noise goal of {}: {}", points, measured_,
                     units::percent(policy_.noise), remedy_for(limit, policy_)));
  }
  if (throttled_ > 0) {
    warn(
        fmt::format("the clocks of {} were held back during {} of {} points (power or heat); let "
                    "it cool down, or "
                    "compare only points at the same clock",
                    device_.info().id, throttled_, measured_));
  }
  warn_of_disturbance();
}

void SweepRun::warn_of_disturbance() {
  if (disturbed_ == 0) return;
  warn(fmt::format(
      "other work took a share of {} in every try of {} of {} points; close other programs, or "
      "measure when the machine is idle",
      device_.info().id, disturbed_, measured_));
}

void SweepRun::run_probe(const Case& what, std::uint64_t run, std::vector<Roof>& measured) {
  Point point = measured_point(what);
  point.probe = true;
  point.run = run;
  const bool above = excess_.learn(point);
  report(std::move(point));
  if (!above) return;
  raise_roofs({what}, measured);
  warn_of_excess();
}

}  // namespace engine
