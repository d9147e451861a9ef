#include "engine/compare/roofs.hpp"

#include <algorithm>
#include <cmath>

#include "engine/compare/told.hpp"
#include "engine/roofs/roof_facts.hpp"
#include "engine/verdict/quotient.hpp"

namespace engine {
namespace {

Interval rate_interval(const Roof& roof) {
  if (!(roof.rate_low > 0 && roof.rate_high >= roof.rate_low)) return {roof.rate};
  return {roof.rate, roof.rate_low, roof.rate_high};
}

bool is_measured_roof(const Roof& roof) {
  return roof.source == RoofSource::measured && roof.rate > 0 && std::isfinite(roof.rate);
}

/// Why nothing may rest on a roof; mostly empty.
std::string why_unsure(const Roof& roof) {
  if (!flag_of(roof).empty()) return std::string(flag_of(roof));
  return rate_interval(roof).low ? "" : "no interval";
}

RoofPair pair_of_roofs(const Roof& a, const Roof& b) {
  RoofPair pair{a.name, rate_text(a), rate_text(b), quotient(rate_interval(b), rate_interval(a))};
  const std::string of_a = why_unsure(a), of_b = why_unsure(b);
  if (of_a.empty() && of_b.empty()) {
    pair.outcome = outcome_of(quotient(rate_interval(a), rate_interval(b)));
    if (pair.outcome == Outcome::undecided) pair.why = "the interval crosses 3 %";
    return pair;
  }
  if (!of_a.empty()) pair.why = "A: " + of_a;
  if (!of_b.empty()) pair.why += (pair.why.empty() ? "B: " : "; B: ") + of_b;
  return pair;
}

}  // namespace

std::vector<RoofPair> compare_roofs(const Session& a, const Session& b) {
  std::vector<RoofPair> pairs;
  for (const Roof& roof : a.roofs) {
    const auto other = std::ranges::find_if(b.roofs, [&](const Roof& candidate) {
      return candidate.name == roof.name && is_measured_roof(candidate);
    });
    if (is_measured_roof(roof) && other != b.roofs.end())
      pairs.push_back(pair_of_roofs(roof, *other));
  }
  return pairs;
}

std::vector<std::vector<std::string>> table_of(const std::vector<RoofPair>& pairs) {
  std::vector<std::vector<std::string>> rows{{"roof", "A", "B", "rate, B / A", "B is"}};
  for (const RoofPair& pair : pairs) {
    std::string outcome(word_of(pair.outcome));
    if (!pair.why.empty()) outcome += ": " + pair.why;
    rows.push_back({pair.name, pair.a, pair.b, ratio_text(pair.rate), std::move(outcome)});
  }
  return rows;
}

std::string summary_of(const std::vector<RoofPair>& pairs) {
  if (pairs.empty()) return "";
  std::vector<Concluded> all;
  for (const RoofPair& pair : pairs) all.push_back({pair.outcome, 1 / pair.rate.median});
  return conclusion_of(all, "roof");
}

}  // namespace engine
