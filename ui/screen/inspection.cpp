#include "ui/screen/inspection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/labs/lab.hpp"
#include "engine/verdict/doubts.hpp"
#include "engine/verdict/overhead.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/watch/windows.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"
#include "ui/screen/hover.hpp"
#include "ui/screen/verdict_target.hpp"

namespace ui {

using engine::Point;
using engine::Session;

namespace {

std::string interval_text(const Point& point) {
  if (!point.seconds.has_interval()) return "too few samples for an interval";
  return fmt::format("{} to {} (95 %)", units::seconds(point.seconds.low, 4),
                     units::seconds(point.seconds.high, 4));
}

std::string stop_text(const Point& point) {
  if (point.stop == engine::Stop::time_limit) {
    switch (point.limit) {
      case engine::Limit::time:
        return "at the time limit";
      case engine::Limit::samples:
        return "at the largest number of samples";
      case engine::Limit::others:
        return "early: other work shared the cores";
      case engine::Limit::stopped:
        return "before the noise goal: the sweep goes on, or its time was over";
    }
  }
  return "at the noise goal";
}

/// "91 % of DRAM copy beside it (90 % to 92 %)".
std::string share_text(const Point& point) {
  if (!point.share) return {};
  const engine::Interval& of = point.share->of;
  std::string text =
      fmt::format("{} of {} beside it", units::percent(of.median), point.share->roof);
  if (of.low && of.high)
    text += fmt::format(" ({} to {})", units::percent(*of.low), units::percent(*of.high));
  return text;
}

/// "in a CUDA graph"; a CPU has one way, of which nobody needs to read.
std::string launched_text(const Session& session, const Point& point) {
  const kernels::Launched launched = launched_of(session, point);
  if (launched == kernels::Launched::threads) return {};
  return std::string(engine::launched_in_words(launched));
}

/// "870 ns, 97 % of the runtime"; empty where it hardly counts.
std::string overhead_text(const Session& session, const Point& point) {
  constexpr double least = 0.01;
  const engine::Prediction predicted = engine::predict(session, point);
  const double share = predicted.overhead_seconds / point.seconds.median;
  if (!(share >= least)) return {};
  const std::string each =
      point.work.launches > 1 ? fmt::format(" in {} launches", point.work.launches) : "";
  return fmt::format("{}{}, {} of the runtime", units::seconds(predicted.overhead_seconds), each,
                     units::percent(share));
}

std::string visits_text(const Point& point) {
  if (point.visits.empty()) return {};
  const auto aside = std::ranges::count_if(
      point.visits, [](const engine::Visit& visit) { return !visit.set_aside.empty(); });
  const std::string all = std::to_string(point.visits.size());
  return aside > 0 ? fmt::format("{}, {} of them set aside", all, aside) : all;
}

std::string samples_text(const Point& point) {
  std::string text = std::to_string(point.seconds.samples.size());
  if (const std::size_t outliers = point.seconds.outliers.size(); outliers > 0)
    text += fmt::format(", {} of them outliers", outliers);
  if (point.discarded > 0) text += fmt::format(", {} more discarded", point.discarded);
  if (point.contended > 0)
    text += fmt::format(", {} more discarded: SMT contention", point.contended);
  return text;
}

/// "64 Mi elements x 32 ops x 2 = 4.29 GFLOP": the factors that work_of() multiplies.
std::string flops_text(const Point& point) {
  const double elements = static_cast<double>(point.what.elements);
  const double repeat = static_cast<double>(point.what.repeat);
  if (!(elements > 0 && repeat > 0)) return {};
  const bool integer = kernels::info_of(point.what.dtype).integer;
  return fmt::format(
      "{} elements × {} × {} = {}", units::count(elements), ops_text(point.what.repeat),
      units::number(point.work.flops / elements / repeat), units::flops(point.work.flops, integer));
}

/// "64 Mi elements x 8 B x 1 launch = 512 MiB".
std::string bytes_text(const Point& point) {
  const double elements = static_cast<double>(point.what.elements);
  const double launches = std::max(point.work.launches, 1.0);
  if (!(elements > 0)) return {};
  return fmt::format("{} elements × {} B × {} launch{} = {}", units::count(elements),
                     units::number(point.work.bytes / elements / launches, 4),
                     units::number(launches), launches == 1 ? "" : "es",
                     units::bytes(point.work.bytes));
}

std::string clocks_text(const Point& point) {
  const auto text = [](const kernels::Conditions& conditions) {
    return conditions.clock_hz ? units::hertz(*conditions.clock_hz) : std::string();
  };
  const std::string before = text(point.before), after = text(point.conditions);
  if (before.empty() || after.empty() || before == after) return after.empty() ? before : after;
  return fmt::format("{}, then {}", before, after);
}

/// "412 W at 61 °C", as far as the device tells.
std::string power_text(const kernels::Conditions& conditions) {
  const std::string power =
      conditions.power_w ? fmt::format("{:.0f} W", *conditions.power_w) : std::string();
  if (!conditions.temperature_c) return power;
  return fmt::format("{}{:.0f} °C", power.empty() ? "" : power + " at ", *conditions.temperature_c);
}

/// Which run it is of; empty where this case was measured in one run alone.
std::string run_text(const Session& session, const Point& point) {
  bool newer = false, others = false;
  for (const Point& other : session.points) {
    if (!is_swept(other) || other.what != point.what) continue;
    newer = newer || other.run > point.run;
    others = others || other.run != point.run;
  }
  if (point.probe || !others) return {};
  return fmt::format("{}{}", point.run, newer ? ", an earlier run" : "");
}

/// Every knob that the lab reads and that has a value; types only where somebody chose them.
std::string command_of(const std::string& program, const engine::Lab& lab,
                       const engine::Spec& spec) {
  std::string text = fmt::format("{} sweep", program);
  for (const engine::Knob& knob : engine::knobs()) {
    const bool said = knob.name == "device" || knob.name == "lab" ||
                      std::ranges::find(lab.reads, knob.name) != lab.reads.end();
    const bool automatic = knob.name == "dtype" || knob.name == "units"
                               ? !spec.types_chosen
                               : knob.name == "elements" && spec.elements == 0;
    if (said && !automatic) text += fmt::format(" --{} {}", knob.name, knob.get(spec));
  }
  for (const auto& [name, value] : spec.more) text += fmt::format(" --{} {}", name, value);
  return text;
}

}  // namespace

Histogram histogram_of(const std::vector<double>& samples, std::size_t most) {
  Histogram histogram;
  if (samples.empty() || most == 0) return histogram;
  const auto [low, high] = std::ranges::minmax(samples);
  histogram.low = low;
  histogram.high = high;
  const std::size_t steps = high > low ? std::min(most, samples.size()) : 1;
  histogram.counts.assign(steps, 0);
  for (const double sample : samples) {
    const double share = high > low ? (sample - low) / (high - low) : 0;
    const auto step = static_cast<std::size_t>(share * static_cast<double>(steps));
    ++histogram.counts[std::min(step, steps - 1)];
  }
  return histogram;
}

std::string command_for(const std::string& program, const Session& session, const Point& point) {
  const kernels::Case& what = point.what;
  const bool can_be_asked_for = engine::can_be_asked_for(what.family);
  const engine::Run* run = run_of(session, point.run);
  const engine::Lab* lab = engine::find_lab(point.lab);
  if (!can_be_asked_for && run != nullptr && lab != nullptr && !lab->lists_roofs)
    return command_of(program, *lab, run->spec);
  if (!can_be_asked_for)
    return fmt::format("{} sweep --device {} --lab {} --data {}", program, session.device.id,
                       point.lab, name_of(what.data));
  return fmt::format(
      "{} sweep --device {} --kernel {}{} --dtype {} --fusion {} --units {} --elements {} "
      "--repeat {} --data {}",
      program, session.device.id, name_of(what.family),
      what.family->chooses_op ? fmt::format(" --op {}", name_of(what.op())) : "",
      name_of(what.dtype), name_of(what.fusion), name_of(what.units), what.elements, what.repeat,
      name_of(what.data));
}

std::vector<Reading> facts_of(const Session& session, const Point& point) {
  if (engine::is_window(point)) return window_facts(session, point);
  std::vector<Reading> facts;
  for (const engine::Doubt& doubt : doubts_of(session, point))
    facts.push_back({"Doubtful", fmt::format("{}: {}", doubt.reason, doubt.remedy)});
  const std::vector<Reading> measured{{"Interval", interval_text(point)},
                                      {"Of roof", share_text(point)},
                                      {"Samples", samples_text(point)},
                                      {"Visits", visits_text(point)},
                                      {"Stopped", stop_text(point)},
                                      {"Counted", flops_text(point)},
                                      {"Moved", bytes_text(point)},
                                      {"Launched", launched_text(session, point)},
                                      {"Overhead", overhead_text(session, point)}};
  facts.insert(facts.end(), measured.begin(), measured.end());
  for (Reading& reading : readings_of(session, point)) {
    const bool said = (reading.label == "of roof" && point.share) || reading.label == "samples" ||
                      reading.label == "elements" || reading.label == "device" ||
                      reading.label == "doubtful" || reading.label == "runtime";
    if (said) continue;
    // Its file has a page of its own.
    const std::string file = kernels::source_named_in(reading.value).string();
    if (reading.label == "kernel" && !file.empty())
      reading.value.resize(reading.value.size() - file.size() - std::string(": ").size());
    reading.label = units::capitalised(reading.label);
    facts.push_back(std::move(reading));
  }
  facts.push_back({"Run", run_text(session, point)});
  facts.push_back({"Shape", text_of(point.what.shape)});
  facts.push_back({"Source", point.source});
  facts.push_back({"Clock", clocks_text(point)});
  facts.push_back({"Power", power_text(point.conditions)});
  facts.push_back({"Result", point.checked ? "verified before timing" : "not verified"});
  std::erase_if(facts, [](const Reading& fact) { return fact.value.empty(); });
  return facts;
}

Inspection inspection_of(const std::string& program, const Session& session, const Point& point) {
  const bool window = engine::is_window(point);
  return {window ? units::capitalised(point.kernel) : point_name(point),
          window ? units::capitalised(std::string(limit_of(session, point)))
                 : units::seconds(point.seconds.median),
          facts_of(session, point),
          point.source.empty() ? command_for(program, session, point) : "",
          point.seconds,
          kernels::source_named_in(point.note).string(),
          {},
          false,
          false,
          point.id,
          session.created};
}

}  // namespace ui
