#include "engine/exercises/exercise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "engine/labs/lab.hpp"
#include "engine/session/json_reader.hpp"
#include "engine/session/session_file.hpp"
#include "engine/session/session_names.hpp"
#include "engine/verdict/doubts.hpp"
#include "engine/verdict/knee.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

constexpr std::size_t most_members = 16;
constexpr std::size_t longest_title = 60, longest_text = 320;  // what the window has room for
constexpr std::size_t most_exercises = 200;

/// An exercise of another version of the program.
struct UnknownLab : BadInput {
  using BadInput::BadInput;
};

constexpr names::Table<ExerciseKind, 4> kinds{{{"knee", ExerciseKind::knee},
                                               {"rate", ExerciseKind::rate},
                                               {"factor", ExerciseKind::factor},
                                               {"regime", ExerciseKind::regime}}};

/// Some text of at most `longest` bytes.
std::string words_at(const JsonReader& file, std::string_view key, std::size_t longest) {
  const JsonReader value = file.at(key);
  std::string text = value.text();
  if (text.empty() || text.size() > longest)
    value.fail(fmt::format("text of 1 to {} bytes", longest));
  return text;
}

/// A misspelt member would silently ask something else.
void refuse_unknown(const JsonReader& object, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : object.members(most_members))
    if (std::ranges::find(known, name) == known.end())
      value.fail(fmt::format("one of the members {}", fmt::join(known, ", ")));
}

PointPick read_pick(const JsonReader& file) {
  refuse_unknown(file, {"kernel", "op", "fusion", "by", "sizes"});
  PointPick pick;
  if (const auto kernel = file.find("kernel"))
    pick.family = kernel->choice(kernels::family_named, "the name of a kernel");
  if (const auto op = file.find("op"))
    pick.ops = kernels::text_of(op->choice(kernels::ops_named, "names of ops"));
  if (const auto fusion = file.find("fusion"))
    pick.fusion = fusion->choice(kernels::fusion_named, "fused or unfused");
  if (const auto by = file.find("by"))
    pick.by = by->choice(kernels::by_named, "own, library or generated");
  if (const auto sizes = file.find("sizes"))
    for (const auto& [axis, value] : sizes->members(most_members))
      pick.sizes.emplace_back(axis, value.whole(0, std::uint64_t{1} << 48));
  return pick;
}

Spec read_lab(const JsonReader& file) {
  Spec spec;
  const JsonReader lab = file.at("lab");
  spec.lab = lab.text();
  const Lab* known = find_lab(spec.lab);
  if (known == nullptr) throw UnknownLab(fmt::format("there is no lab {}", spec.lab));
  if (known->lists_roofs) lab.fail("the name of a lab with charts");
  const auto knobs = file.find("knobs");
  if (!knobs) return spec;
  for (const auto& [name, value] : knobs->members(most_members)) {
    if (!reads_knob(*known, name))
      value.fail(fmt::format("a knob that the lab {} reads", spec.lab));
    try {
      set_knob(spec, name, value.text());
    } catch (const BadInput& problem) {
      value.fail(fmt::format("a value of that knob ({})", problem.what()));
    }
  }
  return spec;
}

Exercise read(const JsonReader& file) {
  refuse_unknown(file, {"format", "version", "title", "source", "question", "lab", "knobs", "place",
                        "of", "than", "why"});
  const JsonReader format = file.at("format");
  if (format.text() != "ridgepoint-exercise") format.fail("ridgepoint-exercise");
  file.at("version").whole(1, 1);
  Exercise exercise;
  exercise.title = words_at(file, "title", longest_title);
  exercise.source = words_at(file, "source", longest_text);
  exercise.question = words_at(file, "question", longest_text);
  exercise.why = words_at(file, "why", longest_text);
  exercise.spec = read_lab(file);
  exercise.kind = file.at("place").choice(names::parse<kinds>, "knee, rate, factor or regime");
  exercise.of = read_pick(file.at("of"));
  if (exercise.kind == ExerciseKind::factor) {
    exercise.than = read_pick(file.at("than"));
  } else if (const auto than = file.find("than")) {
    than->fail("no such member but for a factor");
  }
  return exercise;
}

// ---- what was measured

bool has_all(const Point& point, const PointPick& pick) {
  const kernels::Case& what = point.what;
  const auto same_size = [&](const auto& wanted) {
    return kernels::size(what, wanted.first) == wanted.second;
  };
  return point.label.empty() && (!pick.family || what.family == *pick.family) &&
         (pick.ops.empty() || kernels::text_of(what.ops) == pick.ops) &&
         (!pick.fusion || what.fusion == *pick.fusion) && (!pick.by || what.by == *pick.by) &&
         std::ranges::all_of(pick.sizes, same_size);
}

/// Those that were measured, by their ops per element.
Points picked(const Points& points, const PointPick& pick) {
  Points found;
  for (const Point* point : points)
    if (point->status == Status::ok && has_all(*point, pick)) found.push_back(point);
  std::ranges::stable_sort(found, {}, [](const Point* point) { return point->what.repeat; });
  return found;
}

std::string why_unmeasured(const Points& points, const PointPick& pick) {
  for (const Point* point : points)
    if (has_all(*point, pick) && !point->why.empty()) return point->why;
  return "the run holds no such point; measure again and let it end.";
}

/// The one point that is meant: of several ways to do the same the fastest that can be relied on.
struct Picked {
  const Point* point = nullptr;
  std::string why_not{};
};

Picked one_of(const Session& session, const Points& points, const PointPick& pick) {
  Points found = picked(points, pick);
  if (found.empty()) return {nullptr, why_unmeasured(points, pick)};
  Points sure = found;
  std::erase_if(sure, [](const Point* one) { return !is_sure(*one); });
  if (!sure.empty()) found = std::move(sure);
  const Point* fastest =
      *std::ranges::min_element(found, {}, [](const Point* one) { return one->seconds.median; });
  for (const Doubt& doubt : doubts_of(session, *fastest))
    if (doubt.word != "above its roof")
      return {nullptr, fmt::format("{}: {}.", doubt.reason, doubt.remedy)};
  if (!is_sure(*fastest))
    return {nullptr, "too few samples: measure again with a longer time limit."};
  return {fastest, {}};
}

MeasuredAnswer knee_in(const Exercise& exercise, const Points& points) {
  const Points series = picked(points, exercise.of);
  if (series.empty()) return {{}, {}, why_unmeasured(points, exercise.of)};
  const std::optional<Interval> knee = knee_of(series);
  if (!knee)
    return {{}, {}, "no knee within these ops: the runtime is flat, or rises from the start."};
  if (!knee->low)
    return {
        {}, {}, "other work disturbed too many points: measure again when the machine is idle."};
  if (!is_called(*knee))
    return {{}, {}, "the knee is not clear: measure again when the machine is idle."};
  return {knee->median, knee, {}};
}

MeasuredAnswer bound_of(const Session& session, const Point& point) {
  const Verdict verdict = judge(session, point);
  if (verdict.two_roofs || verdict.regime == Regime::unknown)
    return {{}, {}, verdict.headline + "."};
  return {verdict.regime, {}, {}};
}

std::string number_text(ExerciseKind kind, double value) {
  switch (kind) {
    case ExerciseKind::knee:
      return units::number(value, 2 + (value >= 100 ? 1 : 0));
    case ExerciseKind::rate:
      return units::flops_per_second(value);
    default:
      return fmt::format("{}x", units::number(value, 3));
  }
}

/// " (20 to 24)"; empty where there is none, or it is narrower than the digits.
std::string interval_text(ExerciseKind kind, const std::optional<Interval>& interval) {
  if (!interval || !interval->low || !interval->high) return {};
  const std::string low = number_text(kind, *interval->low);
  const std::string high = number_text(kind, *interval->high);
  return low == high ? "" : fmt::format(" ({} to {})", low, high);
}

}  // namespace

GuessRange range_of(ExerciseKind kind) {
  const double third = std::exp2(1.0 / 3);
  switch (kind) {
    case ExerciseKind::knee:
      return {1, static_cast<double>(kernels::max_repeat), third};
    case ExerciseKind::rate:
      return {1e8, 1e16, std::pow(10.0, 0.1)};
    default:
      return {0.5, 64, std::exp2(1.0 / 8)};
  }
}

Exercise read_exercise(std::string_view text, const std::string& source) {
  const nlohmann::json parsed = parse_json(text, source, "an exercise");
  return read(JsonReader(parsed, source));
}

std::vector<Exercise> read_exercises(const std::filesystem::path& folder,
                                     std::vector<std::string>& problems) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (at->path().extension() == ".json") files.push_back(at->path());
  if (error)
    problems.push_back(fmt::format("no exercises: {}: {}", folder.string(), error.message()));
  std::ranges::sort(files);
  files.resize(std::min(files.size(), most_exercises));
  std::vector<Exercise> all;
  for (const std::filesystem::path& file : files) {
    try {
      all.push_back(read_exercise(read_json_file(file), file.string()));
      all.back().name = file.stem().string();
    } catch (const UnknownLab&) {  // no reason to complain of each
    } catch (const BadInput& problem) {
      problems.emplace_back(problem.what());
    }
  }
  return all;
}

MeasuredAnswer answer_of(const Exercise& exercise, const Session& session,
                         std::uint64_t after_run) {
  const Results results = results_of(exercise.spec.lab, session);
  if (newest_run(session, exercise.spec.lab).value_or(0) <= after_run)
    return {{}, {}, "nothing was measured; measure again and let it end."};
  if (exercise.kind == ExerciseKind::knee) return knee_in(exercise, results.points);
  const Picked of = one_of(session, results.points, exercise.of);
  if (of.point == nullptr) return {{}, {}, of.why_not};
  if (exercise.kind == ExerciseKind::rate) {
    const Interval rate = metrics::flops.at(*of.point, session);
    return {rate.median, rate, {}};
  }
  if (exercise.kind == ExerciseKind::regime) return bound_of(session, *of.point);
  const Picked than = one_of(session, results.points, exercise.than);
  if (than.point == nullptr) return {{}, {}, than.why_not};
  const Interval factor = times_as_long(*of.point, *than.point);
  return {factor.median, factor, {}};
}

std::string text_of(const Exercise& exercise, const Guess& guess) {
  if (const Regime* regime = std::get_if<Regime>(&guess)) return std::string(name_of(*regime));
  const std::string text = number_text(exercise.kind, std::get<double>(guess));
  return exercise.kind == ExerciseKind::knee ? text + (text == "1" ? " op" : " ops") : text;
}

std::string distance_in_words(const Exercise& exercise, const Guess& guess,
                              const MeasuredAnswer& measured) {
  const std::string said = "You said " + text_of(exercise, guess);
  if (!measured.value)
    return fmt::format("{}; this machine cannot tell: {}", said, measured.why_not);
  std::string here = text_of(exercise, *measured.value);
  if (const double* value = std::get_if<double>(&*measured.value)) {
    here += interval_text(exercise.kind, measured.interval);
    const double guessed = std::get<double>(guess);
    const double off = std::max(guessed / *value, *value / guessed);
    constexpr double close = 1.1;
    const std::string how = off <= close ? "right, within 10 %"
                                         : fmt::format("{} by a factor of {}",
                                                       guessed < *value ? "too low" : "too high",
                                                       units::number(off, off < 10 ? 2 : 3));
    return fmt::format("{}; measured here: {}. Your answer is {}.", said, here, how);
  }
  return fmt::format("{}; measured here: {}. Your answer is {}.", said, here,
                     guess == *measured.value ? "right" : "wrong");
}

}  // namespace engine
