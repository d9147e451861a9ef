// The verdict of a lab in words.
#include <fmt/format.h>

#include "engine/labs/lab.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

std::string one(double value, std::string_view unit) {
  if (unit == "x") return fmt::format("{}x", units::number(value, 3));
  if (unit == "%") return units::percent(value);
  if (unit == "s") return units::seconds(value);
  if (unit == "B/s") return units::bytes_per_second(value);
  if (unit == "FLOP/s") return units::flops_per_second(value, false);
  return fmt::format("{} {}", units::count(value), unit);
}

}  // namespace

LabVerdict::Says judge(const Interval& value, double low, double high) {
  const double least = value.low.value_or(value.median), most = value.high.value_or(value.median);
  if (least >= low && most <= high) return LabVerdict::Says::holds;
  if (most < low || least > high) return LabVerdict::Says::differs;
  return LabVerdict::Says::cannot_say;
}

std::string_view words_of(LabVerdict::Says says) {
  switch (says) {
    case LabVerdict::Says::holds:
      return "The claim holds here.";
    case LabVerdict::Says::differs:
      return "Not on this machine.";
    case LabVerdict::Says::cannot_say:
      return "Not enough data.";
    case LabVerdict::Says::not_yet:
      break;
  }
  return "";
}

std::string text_of(const std::optional<Interval>& value, std::string_view unit) {
  if (!value) return "-";
  if (!value->low || !value->high) return one(value->median, unit);
  return fmt::format("{} ({} to {})", one(value->median, unit), one(*value->low, unit),
                     one(*value->high, unit));
}

std::string verdict_text(const Lab& lab, const Results& results) {
  if (lab.verdict == nullptr) return "";
  const LabVerdict verdict = lab.verdict(results);
  if (verdict.says == LabVerdict::Says::not_yet) return "";
  std::string text = fmt::format("{}\n", lab.question);
  if (!lab.claim.text.empty())
    text += fmt::format("Claim ({}): {}\n", lab.claim.source, lab.claim.text);
  if (!verdict.rows.empty())
    text += fmt::format("  {:<44} {:>20} {:>28}\n", "", "claim", "this machine");
  for (const VerdictRow& row : verdict.rows) {
    text += fmt::format("  {:<44} {:>20} {:>28}\n", row.what, text_of(row.claimed, row.unit),
                        text_of(row.here, row.unit));
  }
  text += fmt::format("{} {}\n", words_of(verdict.says), verdict.headline);
  for (const std::string& advice : verdict.advice) text += fmt::format("  {}\n", advice);
  return text;
}

}  // namespace engine
