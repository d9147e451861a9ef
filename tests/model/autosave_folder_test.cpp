// The folder of autosave files.
#include "ui/autosave/autosave_folder.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/session/session_file.hpp"
#include "tests/files.hpp"
#include "tests/model/kept_sessions.hpp"
#include "ui/autosave/autosave.hpp"

namespace fs = std::filesystem;

namespace {

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Number of a process that has ended: our own children are numbered later.
constexpr const char* ended = "1999999999";

}  // namespace

TEST_CASE("what a window that has ended left is taken over whole, once") {
  const fake::Folder folder;
  std::string name;
  {
    const ui::AutosaveFolder crashed(folder.path);
    crashed.write("cuda-0", fake::measured({1, 2, 4}));
    name = crashed.path_of("cuda-0").filename().string();
    // A window that runs keeps its files to itself.
    ui::AutosaveFolder second(folder.path);
    CHECK(second.take_over().sessions.empty());
    CHECK(fs::exists(folder.path / name));
  }
  REQUIRE(fs::exists(folder.path / name));
  {
    ui::AutosaveFolder next(folder.path);
    ui::Leftovers left = next.take_over();
    REQUIRE(left.sessions.size() == 1);
    CHECK(left.problems.empty());
    CHECK(left.sessions[0].session->points.size() == 3);
    CHECK(left.sessions[0].name.find("recovered cpu") == 0);
    CHECK(left.said.at(0).find("3 points") != std::string::npos);
    CHECK(left.said.at(0).find(next.path_of(left.sessions[0].autosave).string()) !=
          std::string::npos);
    CHECK(next.files() == std::vector{next.path_of(left.sessions[0].autosave)});
    ui::AutosaveFolder third(folder.path);
    CHECK(third.take_over().sessions.empty());
    next.remove(left.sessions[0].autosave);
  }
  CHECK(files_in(folder.path) == 0);
}

TEST_CASE("several windows' sessions keep apart when one window takes them over") {
  const fake::Folder folder;
  for (const char* id : {"12", "1999999998", ended}) {
    engine::save_session(fake::measured({1}),
                         folder.path / (std::string("autosave-") + id + "-opened-1.json"));
  }
  {
    const ui::AutosaveFolder mine(folder.path);
    mine.write("opened-1", fake::measured({1, 2}));
  }
  ui::AutosaveFolder next(folder.path);
  const ui::Leftovers left = next.take_over();
  CHECK(left.sessions.size() == 4);
  CHECK(next.files().size() == 4);
  CHECK_FALSE(fs::exists(next.path_of(ui::recovered_autosave_name(left.names))));
}

TEST_CASE("a broken autosave file is set aside with one sentence, and the others are recovered") {
  const fake::Folder folder;
  const std::string stem = std::string("autosave-") + ended;
  tests::write_text(folder.path / (stem + "-cpu.json"), "{ \"format\": ");
  engine::save_session(fake::measured({1}), folder.path / (stem + "-cuda-0.json"));
  ui::AutosaveFolder next(folder.path);
  const ui::Leftovers left = next.take_over();
  CHECK(left.sessions.size() == 1);
  REQUIRE(left.problems.size() == 1);
  CHECK(left.problems[0].find(stem + "-cpu.json.broken") != std::string::npos);
  CHECK(fs::exists(folder.path / (stem + "-cpu.json.broken")));
  CHECK_FALSE(fs::exists(folder.path / (stem + "-cpu.json")));
}

TEST_CASE("what an ended process had begun to write goes; other files stay") {
  const fake::Folder folder;
  const std::string half = std::string(".ridgepoint-") + ended + "-0.tmp";
  tests::write_text(folder.path / half, "{");
  tests::write_text(folder.path / "notes.json", "{");
  tests::write_text(folder.path / "autosave-mine.json", "{");
  fs::create_directory(folder.path / "autosave-1-folder.json");
  ui::AutosaveFolder next(folder.path);
  const ui::Leftovers left = next.take_over();
  CHECK(left.sessions.empty());
  CHECK(left.problems.empty());
  CHECK_FALSE(fs::exists(folder.path / half));
  CHECK(fs::exists(folder.path / "notes.json"));
  CHECK(fs::exists(folder.path / "autosave-mine.json"));
}

TEST_CASE("autosave files lie in XDG_STATE_HOME where that is absolute, else in the home folder") {
  const char* home = std::getenv("HOME");
  const std::string before = home != nullptr ? home : "";
  setenv("HOME", "/home/me", 1);
  setenv("XDG_STATE_HOME", "/var/state", 1);
  CHECK(ui::autosave_folder() == "/var/state/ridgepoint");
  setenv("XDG_STATE_HOME", "state", 1);
  CHECK(ui::autosave_folder() == "/home/me/.local/state/ridgepoint");
  unsetenv("XDG_STATE_HOME");
  CHECK(ui::autosave_folder() == "/home/me/.local/state/ridgepoint");
  setenv("HOME", "me", 1);
  CHECK(ui::autosave_folder().empty());
  unsetenv("HOME");
  CHECK(ui::autosave_folder().empty());
  if (home != nullptr) setenv("HOME", before.c_str(), 1);
}

TEST_CASE("without a folder to write in, nothing is kept and nothing fails") {
  ui::AutosaveFolder none{fs::path()};
  CHECK(none.take_over().sessions.empty());
  none.write("cpu", fake::measured({1}));
  CHECK(none.files().empty());
  const fake::Folder folder;
  tests::write_text(folder.path / "file", "");
  ui::AutosaveFolder blocked(folder.path / "file/below");
  CHECK(blocked.take_over().sessions.empty());
  CHECK_THROWS_AS(blocked.write("cpu", fake::measured({1})), engine::CannotWrite);
}

TEST_CASE("where files cannot be locked, nothing is written, and one sentence says so") {
  const fake::Folder folder;
  const auto no_locks = [](int, int) {
    errno = ENOLCK;
    return -1;
  };
  ui::AutosaveFolder without(folder.path, no_locks);
  const ui::Leftovers left = without.take_over();
  CHECK(left.sessions.empty());
  REQUIRE(left.problems.size() == 1);
  CHECK(left.problems[0].find(folder.path.string()) != std::string::npos);
  CHECK(left.problems[0].find("XDG_STATE_HOME") != std::string::npos);
  without.write("cpu", fake::measured({1}));
  CHECK(files_in(folder.path) == 0);
}
