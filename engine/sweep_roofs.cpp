// The roofs of a sweep: those that bound its cases, or all; which of them are measured again, and
// what is said of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/predict.hpp"
#include "engine/roof_facts.hpp"
#include "engine/sweep_run.hpp"
#include "engine/units.hpp"

namespace engine {
namespace {

using kernels::Case;

/// Bandwidth and launches bound every case, a compute roof those that it is named for; the FMA roof
/// is shown beside that of mul or add, too. What was measured on zeros bounds none.
bool bounds_any(const Roof& roof, const std::vector<Case>& cases) {
  if (roof.data != kernels::Data::random) return false;
  return roof.kind != RoofKind::compute || std::ranges::any_of(cases, [&](const Case& what) {
           return std::ranges::count(compute_roof_names(what), roof.name) > 0;
         });
}

// Points that memory bounds come to 90 % of a copy's rate and more; one or two may have been
// disturbed.
constexpr double far_below_roof = 0.75;
constexpr std::ptrdiff_t enough_to_tell = 3;
constexpr double clearly_lower = 0.9;
// A machine whose speed goes to and fro would have its roofs measured after every point.
constexpr int most_raises = 3;

bool contains(const std::vector<Roof>& roofs, const Roof& roof) {
  return std::ranges::any_of(roofs, [&](const Roof& other) {
    return other.name == roof.name && other.source == roof.source;
  });
}

}  // namespace

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
  if (low.empty()) return doubt_exceeded();
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
  doubt_exceeded();
}

void SweepRun::doubt_exceeded() {
  for (Roof& roof : excess_.exceeded()) {
    if (!roof.flaws.empty() && !doubted_.contains(roof.name)) continue;
    doubted_.insert(roof.name);
    std::string flaws = fmt::format("points reached at least {} of it", reached(roof));
    if (flaws == roof.flaws) continue;
    roof.flaws = std::move(flaws);
    report_roof(roof);
  }
}

std::string SweepRun::reached(const Roof& roof) const {
  // Rounded down: it is a lower bound.
  return units::percent(std::floor(100 * excess_.highest_share(roof)) / 100);
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
    warn(fmt::format(
        "points reached at least {} of the {} roof, which measured again gave no more: {} was "
        "faster for a while; measure the roofs again when the machine is idle",
        reached(roof), roof.name, device_.info().id));
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

}  // namespace engine
