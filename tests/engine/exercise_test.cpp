// Exercises: their files, what answers them, and how far an answer is from that.
#include "engine/exercises/exercise.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/labs/lab.hpp"
#include "engine/roofs/roofs.hpp"
#include "engine/session/session_file.hpp"
#include "tests/engine/fake_device.hpp"

using engine::Exercise;
using engine::ExerciseKind;
using engine::Guess;
using engine::MeasuredAnswer;
using engine::Regime;
using nlohmann::json;

namespace {

json knee_file() {
  return {{"format", "ridgepoint-exercise"},
          {"version", 1},
          {"title", "the knee"},
          {"source", "an article"},
          {"question", "Where is the knee?"},
          {"lab", "intensity"},
          {"knobs", {{"op", "fma"}, {"repeat", "1:1024:x2"}}},
          {"place", "knee"},
          {"of", {{"kernel", "chain"}, {"fusion", "fused"}}},
          {"why", "Memory is the limit."}};
}

json file_of(const char* kind, const json& of, const json& than = nullptr) {
  json file = knee_file();
  file["place"] = kind;
  file["of"] = of;
  if (!than.is_null()) file["than"] = than;
  return file;
}

Exercise read(const json& file) { return engine::read_exercise(file.dump(), "a.json"); }

std::string problem(const std::string& text) {
  try {
    engine::read_exercise(text, "a.json");
  } catch (const engine::BadInput& bad) {
    return bad.what();
  }
  return "";
}

/// A session with roofs, and with a run of fused fma chains of these ops.
engine::Session measured(const std::vector<std::uint64_t>& repeats,
                         std::uint64_t elements = 1 << 22) {
  engine::Session session = engine::new_session(fake::Device({}).info());
  for (engine::Roof& roof : fake::roofs()) engine::add_roof(session, std::move(roof));
  engine::Run run;
  run.number = 1;
  engine::add_run(session, run);
  for (const std::uint64_t repeat : repeats) {
    engine::Point point;
    point.run = 1;
    point.what.elements = elements;
    point.what.repeat = repeat;
    point.work = kernels::work_of(point.what);
    const double seconds = fake::ideal_seconds(point.what);
    point.seconds = {seconds, seconds * 0.99, seconds * 1.01, std::vector<double>(10, seconds), {}};
    engine::add_point(session, point);
  }
  return session;
}

const std::vector<std::uint64_t> octaves{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

}  // namespace

TEST_CASE("every installed exercise can be read, asks something of its own, and its lab runs it") {
  const auto folder = engine::assets_folder() / "exercises";
  std::vector<std::string> problems;
  const std::vector<Exercise> all = engine::read_exercises(folder, problems);
  CHECK(problems.empty());
  const auto files = std::distance(std::filesystem::directory_iterator(folder), {});
  CHECK(static_cast<std::size_t>(files) == all.size());
  CHECK(all.size() >= 8);
  std::vector<std::string> titles;
  for (const Exercise& one : all) {
    CAPTURE(one.name);
    CHECK(std::ranges::count(titles, one.title) == 0);
    titles.push_back(one.title);
    CHECK(one.question.ends_with('?'));
    CHECK(one.why.ends_with('.'));
    CHECK_FALSE(std::isupper(static_cast<unsigned char>(one.title.front())));
    CHECK_NOTHROW(engine::lab_of(one.spec));
  }
  for (const ExerciseKind kind :
       {ExerciseKind::knee, ExerciseKind::rate, ExerciseKind::factor, ExerciseKind::regime})
    CHECK(std::ranges::count(all, kind, &Exercise::kind) > 0);
}

TEST_CASE("an exercise sets the knobs of its lab") {
  const Exercise exercise = read(knee_file());
  CHECK(exercise.kind == ExerciseKind::knee);
  CHECK(exercise.spec.lab == "intensity");
  CHECK(exercise.spec.repeats == octaves);
  CHECK(exercise.of.family == kernels::Family::chain);
  CHECK_FALSE(exercise.spec.types_chosen);
}

TEST_CASE("what is wrong with an exercise is said in one sentence with its place") {
  const auto with = [](const char* key, const json& value) {
    json file = knee_file();
    file[key] = value;
    return problem(file.dump());
  };
  CHECK(problem("{").find("a.json") == 0);
  CHECK(problem("[]").find("object") != std::string::npos);
  const json whole = knee_file();
  for (const auto& [key, value] : whole.items()) {
    if (key == "knobs") continue;  // the lab as it is
    json file = knee_file();
    file.erase(key);
    CAPTURE(key);
    CHECK(problem(file.dump()).find("a.json") == 0);
  }
  CHECK(with("format", "ridgepoint-session").find("ridgepoint-exercise") != std::string::npos);
  CHECK(with("version", 2).find("a.json: version is 2") == 0);
  CHECK(with("titel", "x").find("titel") != std::string::npos);
  CHECK(with("title", "").find("1 to 60 bytes") != std::string::npos);
  CHECK(with("title", std::string(61, 'a')).find("1 to 60 bytes") != std::string::npos);
  CHECK(with("question", std::string(321, 'a')).find("1 to 320 bytes") != std::string::npos);
  CHECK(with("lab", "intensitaet").find("intensitaet") != std::string::npos);
  CHECK(with("lab", "roofs").find("a lab with charts") != std::string::npos);
  CHECK(with("place", "colour").find("knee, rate, factor or regime") != std::string::npos);
  CHECK(with("place", "factor").find("than") != std::string::npos);
  CHECK(with("than", json::object()).find("than") != std::string::npos);
  CHECK(with("knobs", {{"width", "64"}}).find("the lab intensity reads") != std::string::npos);
  CHECK(with("knobs", {{"repeat", "0"}}).find("repeat") != std::string::npos);
  CHECK(with("knobs", {{"repeat", 3}}).find("text") != std::string::npos);
  CHECK(with("of", {{"kernel", "train"}}).find("kernel") != std::string::npos);
  CHECK(with("of", {{"op", "fma,fmb"}}).find("ops") != std::string::npos);
  CHECK(with("of", {{"colour", "red"}}).find("colour") != std::string::npos);
  CHECK(with("of", {{"sizes", {{"m", -1}}}}).find("sizes.m") != std::string::npos);
  CHECK(with("of", {{"sizes", {{"m", 1.5}}}}).find("sizes.m") != std::string::npos);
  CHECK(with("title", "a\x1b[31m").find('\x1b') == std::string::npos);
}

TEST_CASE("a folder is read by the names of its files, and each bad one is one sentence") {
  const auto folder = std::filesystem::temp_directory_path() / "ridgepoint-exercise-test";
  std::filesystem::create_directories(folder);
  json other = knee_file();
  other["lab"] = "of-another-version";
  engine::write_file(folder / "b.json", knee_file().dump());
  engine::write_file(folder / "a.json", "{\"format\": 5}");
  engine::write_file(folder / "c.json", other.dump());
  engine::write_file(folder / "d.txt", "no exercise");
  std::vector<std::string> problems;
  const std::vector<Exercise> all = engine::read_exercises(folder, problems);
  REQUIRE(all.size() == 1);
  CHECK(all.front().name == "b");
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().find("a.json") != std::string::npos);
  std::filesystem::remove_all(folder);
  problems.clear();
  CHECK(engine::read_exercises(folder, problems).empty());
  CHECK(problems.size() == 1);
}

TEST_CASE("the knee that was measured answers, with its interval") {
  const Exercise exercise = read(knee_file());
  const MeasuredAnswer here = engine::answer_of(exercise, measured(octaves), 0);
  REQUIRE(here.value);
  const double ridge = fake::peak / fake::bandwidth * 8 / 2;  // ops of 2 FLOP, 8 bytes
  CHECK(std::get<double>(*here.value) == doctest::Approx(ridge).epsilon(0.05));
  REQUIRE(here.interval);
  CHECK(here.interval->low < ridge);
  CHECK(engine::distance_in_words(exercise, Guess(16.0), here)
            .find("You said 16 ops; measured here: 40 ops (") == 0);
  CHECK(engine::distance_in_words(exercise, Guess(16.0), here)
            .ends_with("Your answer is too low by a factor of 2.5."));
  CHECK(engine::distance_in_words(exercise, Guess(80.0), here)
            .ends_with("Your answer is too high by a factor of 2."));
  CHECK(engine::distance_in_words(exercise, Guess(41.0), here)
            .ends_with("Your answer is right, within 10 %."));
}

TEST_CASE("without a knee, or with disturbed points, the machine cannot tell") {
  const Exercise exercise = read(knee_file());
  CHECK_FALSE(engine::answer_of(exercise, measured({1, 2, 4, 8}), 0).value);
  CHECK_FALSE(engine::answer_of(exercise, measured({}), 0).value);
  engine::Session disturbed = measured(octaves);
  for (engine::Point& point : disturbed.points) point.disturbed = true;
  const MeasuredAnswer here = engine::answer_of(exercise, disturbed, 0);
  CHECK_FALSE(here.value);
  CHECK(engine::distance_in_words(exercise, Guess(16.0), here)
            .find("this machine cannot tell: other work disturbed") != std::string::npos);
}

TEST_CASE("points of an earlier run answer nothing") {
  const Exercise exercise = read(knee_file());
  const MeasuredAnswer here = engine::answer_of(exercise, measured(octaves), 1);
  CHECK_FALSE(here.value);
  CHECK(here.why_not.find("nothing was measured") == 0);
}

TEST_CASE("a factor compares two points") {
  const json of = {{"sizes", {{"repeat", 8}}}}, than = {{"sizes", {{"repeat", 4}}}};
  const Exercise exercise = read(file_of("factor", of, than));
  const MeasuredAnswer here = engine::answer_of(exercise, measured({4, 8}), 0);
  REQUIRE(here.value);
  CHECK(std::get<double>(*here.value) == doctest::Approx(1));
  CHECK(engine::text_of(exercise, Guess(2.0)) == "2x");
  CHECK_FALSE(engine::answer_of(exercise, measured({8}), 0).value);
}

TEST_CASE("the attained rate and the regime of a point answer") {
  const json one = {{"sizes", {{"repeat", 1}}}};
  const Exercise rate = read(file_of("rate", one));
  const MeasuredAnswer attained = engine::answer_of(rate, measured({1}), 0);
  REQUIRE(attained.value);
  CHECK(std::get<double>(*attained.value) == doctest::Approx(fake::bandwidth / 8 * 2));
  const Exercise regime = read(file_of("regime", one));
  const MeasuredAnswer bound = engine::answer_of(regime, measured({1}), 0);
  REQUIRE(bound.value);
  CHECK(std::get<Regime>(*bound.value) == Regime::bandwidth);
  CHECK(engine::distance_in_words(regime, Guess(Regime::compute), bound) ==
        "You said compute-bound; measured here: bandwidth-bound. Your answer is wrong.");
  CHECK(engine::distance_in_words(regime, Guess(Regime::bandwidth), bound)
            .ends_with("Your answer is right."));
}

TEST_CASE("a point that was skipped says why there is no answer") {
  const Exercise exercise = read(file_of("regime", {{"sizes", {{"repeat", 1}}}}));
  engine::Session session = measured({1});
  session.points.front().status = engine::Status::skipped;
  session.points.front().why = "no fp32 here";
  CHECK(engine::answer_of(exercise, session, 0).why_not == "no fp32 here");
}

TEST_CASE("recorded runs of the labs hold the points that installed exercises speak of") {
  struct Recorded {
    std::string exercise, session;
    double low, high;  ///< of the answer; 0: a regime
  };
  std::vector<std::string> problems;
  const std::vector<Exercise> all =
      engine::read_exercises(engine::assets_folder() / "exercises", problems);
  for (const auto& [name, session, low, high] :
       {Recorded{"02-knee-of-fma", "h200.json", 20, 80},
        Recorded{"05-gelu-or-add", "h200-lab-operators.json", 0.9, 1.2},
        Recorded{"07-twice-the-data", "h200-lab-overhead.json", 0.9, 1.1},
        Recorded{"09-batch-of-one", "h200-lab-mlp.json", 0.9, 1.2},
        Recorded{"10-softmax", "h200-lab-operators.json", 0, 0}}) {
    CAPTURE(name);
    CAPTURE(session);
    const auto exercise = std::ranges::find(all, name, &Exercise::name);
    REQUIRE(exercise != all.end());
    const engine::Session recorded =
        engine::load_session(engine::assets_folder() / "recordings" / session);
    const MeasuredAnswer here = engine::answer_of(*exercise, recorded, 0);
    CAPTURE(here.why_not);
    REQUIRE(here.value);
    if (low == 0) {
      CHECK(std::get<Regime>(*here.value) == Regime::bandwidth);
      continue;
    }
    CHECK(std::get<double>(*here.value) > low);
    CHECK(std::get<double>(*here.value) < high);
  }
}
