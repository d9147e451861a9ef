#include "engine/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "engine/roofs/roof_facts.hpp"
#include "engine/session/session_file.hpp"
#include "engine/verdict/doubts.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using WordSet = std::set<std::string>;

WordSet words_on(const Side& side, const Label& label) {
  WordSet words;
  for (const Point* point : side.points) words.insert(label({*point, *side.session}));
  return words;
}

/// The labels in which the sides differ, and those in which points of a pair are alike.
struct Sorted {
  std::vector<const Label*> compared, same;
};

Sorted labels_of(const Side& a, const Side& b) {
  Sorted sorted;
  for (const Label* label : compared_labels()) {
    const WordSet of_a = words_on(a, *label), of_b = words_on(b, *label);
    const bool differ = of_a.size() == 1 && of_b.size() == 1 && of_a != of_b;
    (differ ? sorted.compared : sorted.same).push_back(label);
  }
  return sorted;
}

/// What both points of a pair have in common, beside their elements.
std::string pairing_key(const Side& side, const Point& point, const Sorted& sorted) {
  std::string key = fmt::format("{}|{}|{}|{}", point.lab, kernel_of(point), point.what.repeat,
                                fmt::join(point.what.more, ","));
  for (const Label* label : sorted.same) key += "|" + (*label)({point, *side.session});
  return key + "|" + text_of(point.what.shape);
}

std::vector<Difference> differences_of(const Side& a, const Side& b, const Sorted& sorted) {
  std::vector<Difference> differences;
  const std::string &on = a.session->device.name, &other = b.session->device.name;
  if (on != other) differences.push_back({"device", on, other});
  for (const Label* label : sorted.compared) {
    differences.push_back(
        {std::string(label->name), *words_on(a, *label).begin(), *words_on(b, *label).begin()});
  }
  const auto runs = [](const Side& side) {
    std::set<std::uint64_t> numbers;
    for (const Point* point : side.points) numbers.insert(point->run);
    return fmt::format("{}", fmt::join(numbers, ", "));
  };
  if (a.session == b.session && runs(a) != runs(b))
    differences.push_back({"run", runs(a), runs(b)});
  if (differences.empty()) differences.push_back({"begun", a.session->created, b.session->created});
  return differences;
}

/// "NVIDIA H200, fp16"; where nothing else tells the sides apart, "run 2" or when they began.
std::string name_of_side(const std::vector<Difference>& differences, std::string Difference::*side,
                         std::string_view otherwise) {
  std::string name;
  for (const Difference& one : differences) {
    if (!name.empty() && one.what == "run") continue;
    const std::string word = one.*side;
    if (word.empty()) continue;
    name += (name.empty() ? "" : ", ") + (one.what == "run" ? "run " + word : word);
  }
  return name.empty() ? std::string(otherwise) : name;
}

Measured measured_side(const Session& session, const Point& point) {
  Measured side{time_of(point)};
  const std::vector<Doubt> doubts = doubts_of(session, point);
  if (point.share && !point.disturbed && point.share->of.median > 0) {
    side.share = point.share->of;
  } else if (const double share = share_of_roofs(session, point); share > 0) {
    side.share = Interval{share};
  }
  for (const Doubt& doubt : doubts) {
    const bool first = point.disturbed && &doubt == &doubts.front();
    std::string& list = first ? side.unsure : side.doubts;
    list += (list.empty() ? "" : ", ") + doubt.word;
  }
  const std::size_t samples = point.seconds.samples.size();
  if (side.unsure.empty() && !is_sure(point))
    side.unsure =
        samples == 0 ? "no interval" : units::counted(static_cast<std::int64_t>(samples), "sample");
  return side;
}

/// The words of both, beside those in which they differ: "fp32 fused tile".
std::string common_name(const Side& a, const Point& one, const Side& b, const Point& other) {
  const kernels::Family family = one.what.family;
  std::string name;
  const auto add = [&](const std::string& word, const std::string& same) {
    if (!word.empty() && word == same) name += (name.empty() ? "" : " ") + word;
  };
  const auto both = [&](const Label& label) {
    add(label({one, *a.session}), label({other, *b.session}));
  };
  both(labels::dtype);
  if (family->fuses) both(labels::fusion);
  if (one.kernel.empty())
    add(kernels::tag_of(one.what), kernels::tag_of(other.what));
  else
    add(one.kernel, other.kernel);
  if (one.what.data == kernels::Data::zeros) both(labels::data);
  if (name.empty()) name = kernel_of(one);
  if (!one.label.empty() && one.label == other.label) name += " · " + one.label;
  return name;
}

std::vector<SizeOfPair> sizes_of(const kernels::Case& one, const kernels::Case& other) {
  std::vector<SizeOfPair> sizes;
  const auto add = [&](std::string_view axis, std::uint64_t value, std::string text) {
    sizes.push_back({std::string(axis), value, std::move(text)});
  };
  add("repeat", one.repeat, std::to_string(one.repeat));
  if (one.elements > 0 && one.elements == other.elements)
    add("elements", one.elements, units::count(static_cast<double>(one.elements)));
  for (const kernels::AxisInfo& axis : one.family->axes) {
    const std::uint64_t value = kernels::size(one, axis.name).value_or(0);
    if (value > 0 || (!axis.words.empty() && axis.low == 0))
      add(axis.name, value, kernels::text_of(axis, value));
  }
  return sizes;
}

/// What is concluded of a ratio of durations, and why it is undecided; `unsure`: why nothing may
/// rest on A or B.
std::pair<Outcome, std::string> decided(const Interval& ratio, const std::string& unsure_a,
                                        const std::string& unsure_b) {
  if (unsure_a.empty() && unsure_b.empty()) {
    const Outcome outcome = outcome_of(ratio);
    return {outcome, outcome == Outcome::undecided ? "the interval crosses 3 %" : ""};
  }
  std::string why = unsure_a.empty() ? "" : "A: " + unsure_a;
  if (!unsure_b.empty()) why += (why.empty() ? "B: " : "; B: ") + unsure_b;
  return {Outcome::undecided, why};
}

/// Two points that became partners.
struct Partners {
  const Point* a;
  const Point* b;
};

Pair pair_of_points(const Side& a, const Side& b, const Partners& partners) {
  const Point &one = *partners.a, &other = *partners.b;
  Pair pair;
  pair.name = common_name(a, one, b, other);
  pair.sizes = sizes_of(one.what, other.what);
  pair.a = measured_side(*a.session, one);
  pair.b = measured_side(*b.session, other);
  // Passes of other sessions ran at other times.
  pair.time =
      a.session == b.session ? times_as_long(other, one) : quotient(pair.b.seconds, pair.a.seconds);
  pair.per_element = one.what.elements != other.what.elements;
  if (pair.per_element) {
    const double fewer =
        static_cast<double>(one.what.elements) / static_cast<double>(other.what.elements);
    pair.time = mapped(pair.time, [&](double ratio) { return ratio * fewer; });
  }
  if (pair.a.share && pair.b.share) pair.share = quotient(*pair.b.share, *pair.a.share);
  std::tie(pair.outcome, pair.why) = decided(pair.time, pair.a.unsure, pair.b.unsure);
  return pair;
}

/// The points of a side, by what partners have in common.
using Groups = std::map<std::string, std::vector<const Point*>>;

Groups groups_of(const Side& side, const Sorted& sorted) {
  Groups groups;
  for (const Point* point : side.points) groups[pairing_key(side, *point, sorted)].push_back(point);
  return groups;
}

/// Of the same elements, else the only one where `point` is the only one, too.
const Point* partner_in(const std::vector<const Point*>& others, const Point& point, bool only) {
  const auto same = std::ranges::find_if(
      others, [&](const Point* other) { return other->what.elements == point.what.elements; });
  if (same != others.end()) return *same;
  const bool sized = point.what.elements > 0 && others.front()->what.elements > 0;
  return only && others.size() == 1 && sized ? others.front() : nullptr;
}

std::vector<Partners> partners_of(const Side& a, const Side& b, const Sorted& sorted) {
  const Groups of_a = groups_of(a, sorted), of_b = groups_of(b, sorted);
  std::vector<Partners> partners;
  for (const Point* point : a.points) {
    const std::string key = pairing_key(a, *point, sorted);
    const auto others = of_b.find(key);
    if (others == of_b.end()) continue;
    const Point* partner = partner_in(others->second, *point, of_a.at(key).size() == 1);
    if (partner != nullptr) partners.push_back({point, partner});
  }
  return partners;
}

/// By name in the order of appearance, then by sizes.
void sort_pairs(std::vector<Pair>& pairs) {
  std::map<std::string, std::size_t> places;
  for (const Pair& pair : pairs) places.emplace(pair.name, places.size());
  const auto sizes = [](const Pair& pair) {
    std::vector<std::uint64_t> values;
    for (const SizeOfPair& size : pair.sizes) values.push_back(size.value);
    return values;
  };
  std::ranges::stable_sort(
      pairs, {}, [&](const Pair& pair) { return std::pair(places.at(pair.name), sizes(pair)); });
}

std::string listed(const WordSet& words) {
  constexpr std::size_t most = 4;
  std::vector<std::string> some(words.begin(), words.end());
  const bool more = some.size() > most;
  if (more) some.resize(most);
  return fmt::format("{}{}", fmt::join(some, ", "), more ? ", ..." : "");
}

/// Where no point of A has something that a point of B has: "lab intensity" against "lab conv".
std::optional<Difference> apart(const Side& a, const Side& b, const Sorted& sorted) {
  const Label kernel{
      "kernel", [](const Row& row, std::string_view) { return std::string(kernel_of(row.point)); }};
  const auto size = [](const Row& row, std::string_view axis) {
    return std::to_string(kernels::size(row.point.what, axis).value_or(0));
  };
  const Label repeat{"repeat", size, "repeat"}, elements{"elements", size, "elements"};
  std::vector<const Label*> all{&labels::lab, &kernel};
  all.insert(all.end(), sorted.same.begin(), sorted.same.end());
  all.insert(all.end(), {&repeat, &elements});
  for (const Label* label : all) {
    const WordSet of_a = words_on(a, *label), of_b = words_on(b, *label);
    const auto in_b = [&](const std::string& one) { return of_b.contains(one); };
    if (std::ranges::none_of(of_a, in_b))
      return Difference{std::string(label->name), listed(of_a), listed(of_b)};
  }
  return std::nullopt;
}

std::string why_no_pair(const Side& a, const Side& b, const Sorted& sorted) {
  const std::string begin = "A and B have no point in common";
  if (const auto difference = apart(a, b, sorted)) {
    return fmt::format("{}: {} is {} in A and {} in B", begin, difference->what, difference->a,
                       difference->b);
  }
  return begin + ": no point of A has the same sizes and words as one of B";
}

void refuse_common_points(const Side& a, const Side& b) {
  const std::set<const Point*> of_a(a.points.begin(), a.points.end());
  const auto common =
      std::ranges::count_if(b.points, [&](const Point* point) { return of_a.contains(point); });
  if (common == 0) return;
  throw BadInput(
      fmt::format("A and B have {} in common: expected words of which a point has one "
                  "alone, such as fused for A and unfused for B",
                  units::counted(common, "point")));
}

// ---- the measured roofs of two sessions

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
  std::tie(pair.outcome, pair.why) =
      decided(quotient(rate_interval(a), rate_interval(b)), why_unsure(a), why_unsure(b));
  return pair;
}

}  // namespace

std::string_view word_of(Outcome outcome) {
  constexpr std::array<std::string_view, 4> words{"faster", "slower", "equal within 3 %",
                                                  "undecided"};
  return words.at(static_cast<std::size_t>(outcome));
}

Outcome outcome_of(const Interval& ratio) {
  if (!ratio.low || !ratio.high || !(*ratio.low > 0) || !(*ratio.high >= *ratio.low))
    return Outcome::undecided;
  constexpr double above = 1 + equal_within, below = 1 / above;
  if (*ratio.high < below) return Outcome::faster;
  if (*ratio.low > above) return Outcome::slower;
  return *ratio.low >= below && *ratio.high <= above ? Outcome::equal : Outcome::undecided;
}

Comparison compare(const Side& a, const Side& b) {
  refuse_common_points(a, b);
  const Sorted sorted = labels_of(a, b);
  Comparison result;
  result.differences = differences_of(a, b, sorted);
  result.a = name_of_side(result.differences, &Difference::a, "A");
  result.b = name_of_side(result.differences, &Difference::b, "B");
  std::set<const Point*> paired;
  for (const Partners& partners : partners_of(a, b, sorted)) {
    result.pairs.push_back(pair_of_points(a, b, partners));
    paired.insert({partners.a, partners.b});
  }
  sort_pairs(result.pairs);
  const auto alone = [&](const Side& side) {
    return static_cast<std::size_t>(std::ranges::count_if(
        side.points, [&](const Point* point) { return !paired.contains(point); }));
  };
  result.alone_in_a = alone(a);
  result.alone_in_b = alone(b);
  if (result.pairs.empty()) result.why_none = why_no_pair(a, b, sorted);
  return result;
}

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

}  // namespace engine
