// The verdict of a lab in words.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/labs/lab.hpp"
#include "engine/verdict/wrapped.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

/// A number of something, such as "ops" or "elements".
bool is_count(std::string_view unit) {
  constexpr std::array<std::string_view, 7> others{"x", "%", "%.2", "s", "B/s", "FLOP", "FLOP/s"};
  return std::ranges::find(others, unit) == others.end();
}

std::string one(double value, std::string_view unit) {
  if (unit == "x") return fmt::format("{}x", units::number(value, 3));
  if (unit == "%.2") return fmt::format("{:.2f} %", 100 * value);
  if (!is_count(unit)) return text_of(value, unit);
  return unit.empty() ? units::count(value) : fmt::format("{} {}", units::count(value), unit);
}

}  // namespace

Says judge(const Interval& value, double low, double high) {
  const double least = value.low.value_or(value.median), most = value.high.value_or(value.median);
  if (least >= low && most <= high) return Says::holds;
  if (most < low || least > high) return Says::differs;
  return Says::cannot_say;
}

void LabVerdict::inform(std::string what, std::optional<Interval> here, std::string_view unit) {
  rows.push_back({std::move(what), {}, std::move(here), unit});
}

void LabVerdict::judge(std::string what, std::optional<Interval> claimed, const Interval& here,
                       std::string_view unit, double low, double high) {
  rows.push_back({std::move(what), std::move(claimed), here, unit, engine::judge(here, low, high)});
}

void LabVerdict::conclude(std::string holds, std::string differs,
                          std::span<const Point* const> rests_on, std::string_view unsure) {
  says = engine::conclude(rows);
  headline = says == Says::holds     ? std::move(holds)
             : says == Says::differs ? std::move(differs)
                                     : std::string(unsure);
  distrust_unsure(*this, rests_on);
}

LabVerdict cannot_say(std::string why) { return {Says::cannot_say, std::move(why)}; }

Says conclude(std::span<const VerdictRow> rows) {
  for (const Says worst : {Says::differs, Says::cannot_say, Says::holds})
    if (std::ranges::count(rows, worst, &VerdictRow::says) > 0) return worst;
  return Says::not_yet;
}

void distrust_unsure(LabVerdict& verdict, std::span<const Point* const> rests_on) {
  const auto unsure =
      std::ranges::count_if(rests_on, [](const Point* point) { return !is_sure(*point); });
  const bool says = verdict.says == Says::holds || verdict.says == Says::differs;
  if (!says || unsure == 0) return;
  verdict.says = Says::cannot_say;
  for (VerdictRow& row : verdict.rows)
    if (row.says != Says::not_yet) row.says = Says::cannot_say;
  constexpr const char* remedy = "measure again when the machine is idle, or with more time.";
  verdict.headline =
      rests_on.size() == 1
          ? fmt::format("The point behind this was disturbed or has too few samples: {}", remedy)
          : fmt::format("{} of the {} points behind this {} disturbed or {} too few samples: {}",
                        unsure, rests_on.size(), unsure == 1 ? "was" : "were",
                        unsure == 1 ? "has" : "have", remedy);
}

std::string_view words_of(Says says) {
  constexpr std::array<std::string_view, 4> words{"", "The claim holds here.",
                                                  "Not on this machine.", "Not sure."};
  return words.at(static_cast<std::size_t>(says));
}

std::string_view word_of(Says says) {
  constexpr std::array<std::string_view, 4> words{"", "holds", "differs", "not sure"};
  return words.at(static_cast<std::size_t>(says));
}

std::string said_of(const Lab& lab, const LabVerdict& verdict) {
  if (lab.claim.text.empty() && verdict.says == Says::holds) return verdict.headline;
  return fmt::format("{} {}", words_of(verdict.says), verdict.headline);
}

std::string text_of(const std::optional<Interval>& value, std::string_view unit) {
  if (!value) return "-";
  if (!value->low || !value->high) return one(value->median, unit);
  const std::string_view last = is_count(unit) ? unit : "";  // said once
  const std::string_view each = is_count(unit) ? "" : unit;
  const std::string text = fmt::format("{} ({} to {})", one(value->median, each),
                                       one(*value->low, each), one(*value->high, each));
  return last.empty() ? text : fmt::format("{} {}", text, last);
}

std::string verdict_text(const Lab& lab, const Results& results) {
  const LabVerdict verdict = verdict_of(lab, results);
  if (verdict.says == Says::not_yet) return "";
  std::string text = fmt::format("{}\n", lab.question);
  if (!lab.claim.text.empty())
    text += wrapped("", fmt::format("Claim ({}): {}", lab.claim.source, lab.claim.text));
  const bool claims = std::ranges::any_of(
      verdict.rows, [](const VerdictRow& row) { return row.claimed || row.says != Says::not_yet; });
  constexpr std::size_t names = 42;  // columns; a longer name has a line of its own
  const auto add = [&](std::string_view name, std::string_view claim, std::string_view here,
                       std::string_view says) {
    if (!claims) return void(text += fmt::format("  {:<{}} {:>28}\n", name, names, here));
    text += fmt::format("  {:<{}} {:>14} {:>28}{}{}\n", name, names, claim, here,
                        says.empty() ? "" : "  ", says);
  };
  if (!verdict.rows.empty()) add("", "claim", "this machine", "");
  for (const VerdictRow& row : verdict.rows) {
    const bool longer = row.what.size() > names;
    if (longer) text += fmt::format("  {}\n", row.what);
    add(longer ? "" : row.what, text_of(row.claimed, row.unit), text_of(row.here, row.unit),
        word_of(row.says));
  }
  text += wrapped("", said_of(lab, verdict));
  for (const std::string& advice : verdict.advice) text += wrapped("  ", advice);
  return text;
}

}  // namespace engine
