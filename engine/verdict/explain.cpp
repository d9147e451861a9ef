// A whole session in words, for a terminal: device, roofs, each series, what fusion and matrix
// units bring, advice.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "engine/labs/lab.hpp"
#include "engine/roofs/roof_facts.hpp"
#include "engine/verdict/advice.hpp"
#include "engine/verdict/explain_series.hpp"
#include "engine/verdict/precision.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/verdict/quotient.hpp"
#include "engine/verdict/wrapped.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

std::string device_line(const Session& session) {
  const kernels::DeviceInfo& device = session.device;
  std::string text = fmt::format("{} ({}", device.name, device.id);
  if (!device.compute_capability.empty()) text += fmt::format(", {}", device.compute_capability);
  if (device.multiprocessors > 0) {
    text += ", " + units::counted(device.multiprocessors,
                                  device.kind == "cuda" ? "multiprocessor" : "core");
    if (device.slow_cores > 0) text += fmt::format(" ({} of them slower)", device.slow_cores);
  }
  if (device.clock_hz > 0) text += fmt::format(", {}", units::hertz(device.clock_hz));
  text += fmt::format("), measured {}", session.created);
  return wrapped("", text);
}

/// Roofs that the session has points for; a datasheet knows more than matters here.
bool matters(const Session& session, const Roof& roof) {
  return roof.source == RoofSource::measured || roof.kind != RoofKind::compute ||
         std::ranges::any_of(session.points, [&](const Point& point) {
           const auto peaks = kernels::bounds_of(point.what).compute;
           return !peaks.empty() && roof.dtype == peaks.back().dtype &&
                  roof.units == peaks.back().units;
         });
}

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }

/// " ±0.4 %"; empty where there is no interval.
std::string spread_of(const Roof& roof) {
  const double reach = reach_of(roof);
  return reach > 0 ? " " + spread_in_words(reach) : "";
}

struct RoofLine {
  std::array<std::string, 5> cells;
  std::string how;
};

RoofLine line_of(const Session& session, const std::string& name) {
  const Roof* measured = measured_roof(session.roofs, name);
  const Stated stated = stated_for(session, name);
  const Roof& any = *std::ranges::find(session.roofs, name, &Roof::name);
  const char* each = any.kind == RoofKind::overhead ? " each" : "";
  const bool both = measured != nullptr && stated.rate > 0;
  constexpr std::size_t longest = 31;  // "overhead tile bf16 matrix graph"
  return {{name.substr(0, longest),
           measured != nullptr ? rate_text(any, measured->rate) + each + spread_of(*measured) : "-",
           rate_text(any, stated.rate), both ? units::percent(measured->rate / stated.rate) : "-",
           or_dash(measured != nullptr ? per_clock_text(session.device, *measured) : "")},
          measured != nullptr ? text_of(measured->shape) : ""};
}

/// What matrix units hold at the power limit, and at which clock and power.
RoofLine sustained_line(const Session& session, Roof roof) {
  roof.rate = roof.sustained;
  roof.conditions = roof.sustained_conditions;
  std::string how = "at the power limit";
  if (roof.conditions.clock_hz) how += ", " + units::hertz(*roof.conditions.clock_hz);
  if (roof.conditions.power_w)
    how += fmt::format(", {} W", units::number(*roof.conditions.power_w, 3));
  return {{"  sustained", rate_text(roof), "-", "-", or_dash(per_clock_text(session.device, roof))},
          how};
}

/// Columns as wide as their longest text, names at the left.
std::string aligned(const std::vector<RoofLine>& lines) {
  std::array<std::size_t, 5> widths{};
  for (const RoofLine& line : lines)
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], units::width_of(line.cells[i]));
  std::string text;
  for (const auto& [cells, how] : lines) {
    std::string row = fmt::format("{:<{}}", cells[0], widths[0]);
    for (std::size_t i = 1; i < widths.size(); ++i)
      row += fmt::format("  {:>{}}", cells[i], widths[i]);
    text += how.empty() ? row + "\n" : wrapped(row + "  ", how);
  }
  return text;
}

std::string roofs_table(const Session& session) {
  std::vector<std::string> names;
  for (const Roof& roof : session.roofs) {
    if (matters(session, roof) && std::ranges::find(names, roof.name) == names.end()) {
      names.push_back(roof.name);
    }
  }
  // Memory first, then arithmetic, then launches.
  std::ranges::stable_sort(names, {}, [&](const std::string& name) {
    return std::ranges::find(session.roofs, name, &Roof::name)->kind;
  });
  if (names.empty()) return "\nNo roofs are known, so shares and regimes are unknown.\n";
  std::vector<RoofLine> lines{{{"Roof", "measured", std::string(stated_title(session.device)),
                                "of peak", per_clock_title(session.device)},
                               "fastest shape"}};
  std::string flags;
  for (const std::string& name : names) {
    lines.push_back(line_of(session, name));
    const Roof* measured = measured_roof(session.roofs, name);
    if (measured == nullptr) continue;
    if (measured->sustained > 0) lines.push_back(sustained_line(session, *measured));
    if (!flag_of(*measured).empty()) flags += flag_in_words(name, flag_of(*measured)) + "\n";
  }
  return "\n" + aligned(lines) + flags;
}

/// The largest speed-up between two series at the same repeat, and where.
struct Gain {
  double ratio = 0;
  const Point* fast = nullptr;
  const Point* slow = nullptr;
};

Gain largest_gain(const PointSeries& fast, const PointSeries& slow) {
  Gain best;
  for (const Point* a : fast.points) {
    for (const Point* b : slow.points) {
      if (a->what.repeat != b->what.repeat) continue;
      const double ratio = times_as_long(*b, *a).median;
      if (ratio > best.ratio) best = {ratio, a, b};
    }
  }
  return best;
}

/// Whether the second series is the first one with another value in one field.
template <class Value>
bool differ_in(const PointSeries& a, const PointSeries& b, Value kernels::Case::*field, Value of_a,
               Value of_b) {
  kernels::Case changed = a.what();
  const bool so = std::exchange(changed.*field, of_b) == of_a;
  changed.repeat = b.what().repeat;
  return so && changed == b.what();
}

std::string gain_sentence(const Gain& gain, std::string_view what, std::string_view fast,
                          std::string_view slow) {
  return fmt::format("{}: at repeat {}, {} takes {} and {} takes {}: {}.", what,
                     gain.fast->what.repeat, fast, units::seconds(gain.fast->seconds.median), slow,
                     units::seconds(gain.slow->seconds.median),
                     speed_up_in_words(*gain.slow, *gain.fast));
}

}  // namespace

std::string series_heading(const PointSeries& series) {
  const Point& first = *series.points.front();
  std::string text = series_title(first.what);
  if (first.what.elements > 0) {
    text += fmt::format(", {} elements", units::count(static_cast<double>(first.what.elements)));
  }
  if (!first.note.empty()) text += fmt::format(" ({})", first.note);
  return text;
}

std::vector<std::string> describe_gains(const std::vector<PointSeries>& all,
                                        const PointSeries& series) {
  using kernels::Case, kernels::Fusion, kernels::Units;
  std::vector<std::string> sentences;
  for (const PointSeries& other : all) {
    const bool fusion = differ_in(series, other, &Case::fusion, Fusion::fused, Fusion::unfused);
    const bool units = differ_in(series, other, &Case::units, Units::matrix, Units::vector);
    const Gain gain = largest_gain(series, other);
    if (gain.fast == nullptr) continue;
    if (fusion) sentences.push_back(gain_sentence(gain, "Fusion", "fused", "unfused"));
    if (units) sentences.push_back(gain_sentence(gain, "Matrix units", "with them it", "without"));
  }
  return sentences;
}

namespace {

std::string place_of(Regime regime) {
  return regime == Regime::unknown ? "there is no clear limit"
                                   : fmt::format("it is {}", name_of(regime));
}

/// The advice of the last point of each regime: what helps there helps most at the far end, as long
/// as the next roof is not near.
std::string advice_of(const Session& session, const PointSeries& series) {
  struct Last {
    std::uint64_t repeat = 0;
    bool beside_ridge = false;
    std::vector<std::string> advice;
  };
  std::map<Regime, Last> by_regime;
  for (const Point* point : series.points) {
    const Verdict verdict = judge(session, *point);
    if (verdict.two_roofs) continue;  // its advice is for neither regime
    Last& last = by_regime[verdict.regime];
    if (last.repeat > 0 && verdict.beside_ridge && !last.beside_ridge) continue;
    last = {point->what.repeat, verdict.beside_ridge, verdict.advice};
  }
  std::string text;
  for (const auto& [regime, last] : by_regime) {
    if (last.advice.empty()) continue;
    text += fmt::format("  What would help where {}, for example at repeat {}:\n", place_of(regime),
                        last.repeat);
    for (const std::string& sentence : last.advice) text += wrapped("  - ", sentence);
  }
  return text;
}

/// What each lab that has points in the session finds.
std::string verdicts_of_labs(const Session& session) {
  std::string text;
  for (const Lab* lab : labs()) {
    const Results results = results_of(lab->name, session);
    const std::string verdict = results.points.empty() ? "" : verdict_text(*lab, results);
    if (!verdict.empty()) text += fmt::format("\n{}", verdict);
  }
  return text;
}

}  // namespace

std::string explain(const Session& session) {
  std::string text = device_line(session) + roofs_table(session);
  const std::vector<PointSeries> all = series_of(session);
  const auto tries = std::ranges::count_if(
      session.points, [](const Point& point) { return measures_roofs(point.lab); });
  const std::string labs = verdicts_of_labs(session);
  if (all.empty() && labs.empty()) {
    text += tries == 0 ? "\nNo point was measured.\n"
                       : fmt::format(
                             "\nOnly roofs were measured, {} shapes and working sets in all; a "
                             "sweep adds points.\n",
                             tries);
  }
  for (const PointSeries& series : all) {
    text.append("\n").append(wrapped("", series_heading(series)));
    for (const auto& sentence : describe_series(session, series)) text += wrapped("  ", sentence);
    for (const auto& sentence : describe_gains(all, series)) text += wrapped("  ", sentence);
    text += advice_of(session, series);
  }
  text += labs;
  const auto missing = describe_missing(session);
  if (!missing.empty()) text += "\nNot measured\n";
  for (const auto& sentence : missing) text += wrapped("  ", sentence);
  return text;
}

}  // namespace engine
