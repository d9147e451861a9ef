// What the labs say of real recordings, whole and cut off at every point.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "engine/worker/replay.hpp"

using engine::LabVerdict;
using engine::Says;

namespace {

engine::Session recording_of(const std::string& lab,
                             const std::string& machine = "epyc-zen4-2-cores") {
  return engine::load_session("../../assets/recordings/" + machine + "-lab-" + lab + ".json");
}

/// The files of all recordings, by name.
std::vector<std::filesystem::path> recordings() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("../../assets/recordings")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

LabVerdict verdict_of(const std::string& lab, const engine::Session& session) {
  const engine::Lab& found = *engine::find_lab(lab);
  return found.verdict(engine::results_of(found.name, session));
}

/// Than the recordings.
constexpr std::array newer_labs{"launches",  "eager",   "timing", "autotune",
                                "transfers", "overlap", "decode", "coalescing"};

}  // namespace

TEST_CASE("the verdicts of the recordings are those of the machine that measured them") {
  CHECK(verdict_of("fma", recording_of("fma")).says == Says::holds);
  CHECK(verdict_of("hierarchy", recording_of("hierarchy")).says == Says::holds);
  CHECK(verdict_of("overhead", recording_of("overhead")).says == Says::holds);
  CHECK(verdict_of("precision", recording_of("precision", "xeon-amx-2-cores")).says == Says::holds);
  CHECK(verdict_of("where-time-goes", recording_of("where-time-goes")).says != Says::cannot_say);
}

TEST_CASE("a recording that is cut off says nothing that the whole one contradicts") {
  for (const std::string lab : {"fma", "hierarchy", "overhead"}) {
    engine::Session session = recording_of(lab);
    const Says whole = verdict_of(lab, session).says;
    while (!session.points.empty()) {
      session.points.pop_back();
      CAPTURE(lab);
      CAPTURE(session.points.size());
      const LabVerdict cut = verdict_of(lab, session);
      CHECK((cut.says == Says::cannot_say || cut.says == whole));
      CHECK_FALSE(cut.headline.empty());
    }
    CHECK(verdict_of(lab, session).says == Says::cannot_say);
  }
}

TEST_CASE("every recording is small, has points without a wrong result, and plays to its end") {
  const std::vector<std::filesystem::path> files = recordings();
  REQUIRE(files.size() > 30);
  for (const std::filesystem::path& file : files) {
    CAPTURE(file.filename().string());
    CHECK(std::filesystem::file_size(file) < (1U << 20U));
    const engine::Session session = engine::load_session(file.string());
    REQUIRE_FALSE(session.points.empty());
    const auto failed = [](const engine::Point& point) {
      return point.status == engine::Status::failed;
    };
    CHECK(std::ranges::none_of(session.points, failed));
    engine::Session played;
    for (const engine::TimedEvent& one : engine::timeline(session, 1, 1)) {
      if (const auto* point = std::get_if<engine::PointMeasured>(&one.event))
        engine::add_point(played, point->point);
    }
    CHECK(std::ranges::is_permutation(played.points, session.points));
  }
}

TEST_CASE("the recordings of two GPUs have their 36 roofs, and one of an H200 each lab") {
  for (const std::string card : {"h200", "h100"}) {
    const auto open = [&](const std::string& part) {
      return engine::load_session("../../assets/recordings/" + card + part + ".json");
    };
    const engine::Session roofs = open("-roofs");
    CHECK(roofs.device.kind == "cuda");
    const auto measured = [](const engine::Roof& roof) {
      return roof.source == engine::RoofSource::measured;
    };
    CHECK(std::ranges::count_if(roofs.roofs, measured) == 36);
    CHECK(open("").points.size() == 22);
    CHECK(open("-tile").points.size() == 22);
  }
  for (const engine::Lab* lab : engine::labs()) {
    const std::string name(lab->name);
    CAPTURE(name);
    if (name == "intensity" || name == "roofs") continue;  // files of their own, above
    if (std::ranges::find(newer_labs, name) != newer_labs.end()) continue;
    const engine::Session session = recording_of(name, "h200");
    CHECK(std::ranges::all_of(session.points,
                              [&](const engine::Point& point) { return point.lab == name; }));
  }
}
