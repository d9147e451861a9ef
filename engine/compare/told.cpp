#include "engine/compare/told.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "engine/verdict/precision.hpp"
#include "engine/watch/windows.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

/// What is concluded of one pair, and the duration of B over that of A there.
struct Concluded {
  Outcome outcome = Outcome::undecided;
  double duration = 1;
};

std::string times_text(double factor) { return units::number(factor, 3) + "x"; }

/// "1.4x to 1.9x"; "1.4x" where all are alike.
std::string times_text(const std::vector<double>& factors) {
  const auto [low, high] = std::ranges::minmax(factors);
  const std::string least = times_text(low), most = times_text(high);
  return least == most ? least : fmt::format("{} to {}", least, most);
}

std::string points_text(std::size_t count) {
  return units::counted(static_cast<std::int64_t>(count), "point");
}

/// How many times as fast B is, or as long as it takes, where it is so.
std::vector<double> factors_of(const std::vector<Concluded>& all, Outcome outcome) {
  std::vector<double> factors;
  for (const Concluded& one : all) {
    if (one.outcome != outcome) continue;
    factors.push_back(outcome == Outcome::faster ? 1 / one.duration : one.duration);
  }
  return factors;
}

/// "B is faster at all 11 points: 1.4x to 1.9x."
std::string of_all(Outcome outcome, const std::vector<double>& factors, std::string_view noun) {
  const std::size_t total = factors.size();
  const std::string where = total == 1 ? "" : fmt::format(" at all {} {}s", total, noun);
  switch (outcome) {
    case Outcome::faster:
      return fmt::format("B is faster{}: {}.", where, times_text(factors));
    case Outcome::slower:
      return fmt::format("B is slower{}: it takes {} as long.", where, times_text(factors));
    case Outcome::equal:
      return fmt::format("A and B are equal within 3 %{}.", where);
    case Outcome::undecided:
      break;
  }
  return total == 1 ? fmt::format("The only common {} is undecided.", noun)
                    : fmt::format("All {} {}s are undecided.", total, noun);
}

/// "B is faster at 9 of 11 points (1.4x to 1.9x), slower at 1 (1.2x as long) and equal within 3 %
/// at 1"; of at least one that is decided.
std::string of_decided(const std::vector<Concluded>& all, std::string_view noun) {
  std::vector<std::string> parts;
  for (const Outcome outcome : {Outcome::faster, Outcome::slower, Outcome::equal}) {
    const std::vector<double> factors = factors_of(all, outcome);
    if (factors.empty()) continue;
    const std::string of = parts.empty() ? fmt::format(" of {} {}s", all.size(), noun) : "";
    std::string part = fmt::format("{} at {}{}", word_of(outcome), factors.size(), of);
    if (outcome == Outcome::faster) part += fmt::format(" ({})", times_text(factors));
    if (outcome == Outcome::slower) part += fmt::format(" ({} as long)", times_text(factors));
    parts.push_back(std::move(part));
  }
  std::string text = "B is " + parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i)
    text += (i + 1 < parts.size() ? ", " : " and ") + parts[i];
  return text;
}

/// Of at least one pair; `noun` is "point".
std::string conclusion_of(const std::vector<Concluded>& all, std::string_view noun) {
  const Outcome first = all.front().outcome;
  if (std::ranges::all_of(all, [&](const Concluded& one) { return one.outcome == first; }))
    return of_all(first, factors_of(all, first), noun);
  std::string text = of_decided(all, noun);
  const std::size_t undecided = factors_of(all, Outcome::undecided).size();
  if (undecided > 0)
    text += fmt::format("; {} {} undecided", undecided, undecided == 1 ? "is" : "are");
  return text + ".";
}

/// " 3 points of A and 1 point of B have no partner."
std::string of_alone(const Comparison& comparison) {
  const std::size_t a = comparison.alone_in_a, b = comparison.alone_in_b;
  if (a + b == 0) return "";
  std::string text;
  if (a > 0) text = points_text(a) + " of A";
  if (b > 0) text += fmt::format("{}{} of B", a > 0 ? " and " : "", points_text(b));
  return fmt::format(" {} {} no partner.", text, a + b == 1 ? "has" : "have");
}

/// That ratios are of the time for one element, where they are; else empty.
std::string scale_note_of(const Comparison& comparison) {
  const auto scaled =
      static_cast<std::size_t>(std::ranges::count_if(comparison.pairs, &Pair::per_element));
  if (scaled == 0) return "";
  const std::string where =
      scaled == comparison.pairs.size() ? "" : fmt::format(" at {}", points_text(scaled));
  return fmt::format("A and B have different numbers of elements{0}: {1}.", where,
                     where.empty() ? "ratios are of the time for one element"
                                   : "there, ratios are of the time for one element");
}

/// "faster", "undecided: A: disturbed".
std::string outcome_text(Outcome outcome, const std::string& why) {
  return fmt::format("{}{}{}", word_of(outcome), why.empty() ? "" : ": ", why);
}

/// The same, with doubts: "slower (B: throttled)".
std::string outcome_text(const Pair& pair) {
  const std::string text = outcome_text(pair.outcome, pair.why);
  std::string doubts;
  if (!pair.a.doubts.empty()) doubts = "A: " + pair.a.doubts;
  if (!pair.b.doubts.empty()) doubts += (doubts.empty() ? "B: " : "; B: ") + pair.b.doubts;
  return doubts.empty() ? text : fmt::format("{} ({})", text, doubts);
}

std::string duration_text(const Measured& side) {
  const std::string time = units::seconds(side.seconds.median);
  const double reach = reach_of(side.seconds);
  return reach > 0 ? fmt::format("{} {}", time, spread_in_words(reach)) : time;
}

std::string share_text(const std::optional<Interval>& share) {
  return share ? units::percent(share->median) : "-";
}

void add_cells(std::string& line, const Interval& value) {
  for (const std::optional<double>& number : {std::optional(value.median), value.low, value.high})
    line += "," + (number && std::isfinite(*number) ? number_cell(*number) : "");
}

/// Phases of two jobs are not the same.
bool is_phase(std::string_view row) { return row.starts_with("from "); }

/// 0 without a row: verdicts leave out what is below half a percent.
double share_in(const std::vector<VerdictRow>& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &VerdictRow::what);
  return found == rows.end() || !found->here ? 0 : found->here->median;
}

}  // namespace

std::string summary_of(const Comparison& comparison) {
  if (comparison.pairs.empty()) return comparison.why_none + ".";
  std::vector<Concluded> all;
  for (const Pair& pair : comparison.pairs) all.push_back({pair.outcome, pair.time.median});
  return conclusion_of(all, "point") + of_alone(comparison);
}

std::string summary_of(const std::vector<RoofPair>& pairs) {
  if (pairs.empty()) return "";
  std::vector<Concluded> all;
  for (const RoofPair& pair : pairs) all.push_back({pair.outcome, 1 / pair.rate.median});
  return conclusion_of(all, "roof");
}

std::vector<std::string> notes_of(const Comparison& comparison) {
  std::vector<std::string> notes;
  for (const Difference& one : comparison.differences)
    notes.push_back(fmt::format("{}: {} in A, {} in B.", one.what, one.a.empty() ? "none" : one.a,
                                one.b.empty() ? "none" : one.b));
  if (std::string scale = scale_note_of(comparison); !scale.empty())
    notes.push_back(std::move(scale));
  return notes;
}

const SizeOfPair* size_of(const Pair& pair, std::string_view axis) {
  const auto size = std::ranges::find(pair.sizes, axis, &SizeOfPair::axis);
  return size == pair.sizes.end() ? nullptr : &*size;
}

std::vector<std::string> varying_axes(const Comparison& comparison) {
  std::vector<std::string> axes;
  for (const Pair& pair : comparison.pairs) {
    for (const SizeOfPair& size : pair.sizes)
      if (std::ranges::find(axes, size.axis) == axes.end()) axes.push_back(size.axis);
  }
  std::erase_if(axes, [&](const std::string& axis) {
    std::set<std::uint64_t> values;  // 0: this pair has no such size
    for (const Pair& pair : comparison.pairs) {
      const SizeOfPair* size = size_of(pair, axis);
      values.insert(size != nullptr ? size->value : 0);
    }
    return values.size() < 2;
  });
  return axes;
}

std::string ratio_text(const Interval& ratio) {
  const auto text = [](double value) {
    return value >= 0.1 && value < 10 ? fmt::format("{:.3f}", value) : units::number(value, 3);
  };
  if (!ratio.low || !ratio.high) return text(ratio.median);
  return fmt::format("{} [{} to {}]", text(ratio.median), text(*ratio.low), text(*ratio.high));
}

std::vector<std::vector<std::string>> table_of(const Comparison& comparison) {
  const std::vector<std::string> axes = varying_axes(comparison);
  std::vector<std::string> head{"point"};
  head.insert(head.end(), axes.begin(), axes.end());
  const bool scaled = std::ranges::any_of(comparison.pairs, &Pair::per_element);
  for (const char* title :
       {"time of A", "time of B", scaled ? "time of B / A, per element" : "time of B / A",
        "of roof A", "of roof B", "of roof B / A", "B is"})
    head.emplace_back(title);
  std::vector<std::vector<std::string>> rows{std::move(head)};
  for (const Pair& pair : comparison.pairs) {
    std::vector<std::string> row{pair.name};
    for (const std::string& axis : axes) {
      const SizeOfPair* size = size_of(pair, axis);
      row.push_back(size != nullptr ? size->text : "-");
    }
    for (std::string cell : {duration_text(pair.a), duration_text(pair.b), ratio_text(pair.time),
                             share_text(pair.a.share), share_text(pair.b.share),
                             pair.share ? ratio_text(*pair.share) : "-", outcome_text(pair)})
      row.push_back(std::move(cell));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::vector<std::string>> table_of(const std::vector<RoofPair>& pairs) {
  std::vector<std::vector<std::string>> rows{{"roof", "A", "B", "rate, B / A", "B is"}};
  for (const RoofPair& pair : pairs) {
    rows.push_back(
        {pair.name, pair.a, pair.b, ratio_text(pair.rate), outcome_text(pair.outcome, pair.why)});
  }
  return rows;
}

std::string csv_of(const Comparison& comparison) {
  const std::vector<std::string> axes = varying_axes(comparison);
  std::string text = "point";
  for (const std::string& axis : axes) text += "," + axis;
  for (const char* value :
       {"a_seconds", "b_seconds", "time_ratio", "a_share", "b_share", "share_ratio"})
    text += fmt::format(",{0},{0}_low,{0}_high", value);
  text += ",per_element,b_is,why,a_doubts,b_doubts\r\n";
  for (const Pair& pair : comparison.pairs) {
    text += text_cell(pair.name);
    for (const std::string& axis : axes) {
      const SizeOfPair* size = size_of(pair, axis);
      text += "," + (size != nullptr ? std::to_string(size->value) : "");
    }
    for (const Interval& value : {pair.a.seconds, pair.b.seconds, pair.time})
      add_cells(text, value);
    for (const auto& share : {pair.a.share, pair.b.share, pair.share}) {
      if (share)
        add_cells(text, *share);
      else
        text += ",,,";
    }
    text += fmt::format(",{},{},{},{},{}\r\n", pair.per_element ? "true" : "false",
                        text_cell(word_of(pair.outcome)), text_cell(pair.why),
                        text_cell(pair.a.doubts), text_cell(pair.b.doubts));
  }
  return text;
}

// ---- sessions of the lab that watches

std::vector<std::vector<std::string>> table_of_watched(const Session& a, const Session& b) {
  const Lab& lab = *find_lab(watch_lab);
  const Results of_a = results_of(lab.name, a), of_b = results_of(lab.name, b);
  if (of_a.points.empty() || of_b.points.empty()) return {};
  const std::vector<VerdictRow> rows_a = lab.verdict(of_a).rows, rows_b = lab.verdict(of_b).rows;
  std::vector<std::string> names;
  for (const auto* rows : {&rows_a, &rows_b}) {
    for (const VerdictRow& row : *rows) {
      const bool share = row.unit == "%" && row.here && !is_phase(row.what);
      if (share && std::ranges::find(names, row.what) == names.end()) names.push_back(row.what);
    }
  }
  std::vector<std::vector<std::string>> table{{"", "A", "B", "B - A"}};
  for (const std::string& name : names) {
    const double one = share_in(rows_a, name), other = share_in(rows_b, name);
    table.push_back({name, text_of(Interval{one}, "%"), text_of(Interval{other}, "%"),
                     fmt::format("{:+.0f} points", 100 * (other - one))});
  }
  return names.empty() ? std::vector<std::vector<std::string>>() : table;
}

}  // namespace engine
