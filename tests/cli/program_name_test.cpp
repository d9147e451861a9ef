#include "app/cli/program_name.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "program.hpp"

namespace fs = std::filesystem;

namespace {

void make_program(const std::string& path) {
  write_text(path, "#!/bin/sh\n");
  fs::permissions(path, fs::perms::owner_all);
}

}  // namespace

TEST_CASE("A program that the shell finds is started by its name, another one by its path") {
  const TemporaryFolder own, other;
  make_program(own / "ridgepoint");
  make_program(other / "ridgepoint");
  const std::string mine = own.path().string(), theirs = other.path().string();
  CHECK(app::words_to_start(own / "ridgepoint", mine) == "ridgepoint");
  CHECK(app::words_to_start(own / "ridgepoint", "/none:" + mine + ":" + theirs) == "ridgepoint");
  // Another program of the name would be started.
  CHECK(app::words_to_start(own / "ridgepoint", theirs + ":" + mine) == own / "ridgepoint");
  CHECK(app::words_to_start(own / "ridgepoint", "") == own / "ridgepoint");
  // In a folder that is named from where the shell is, another shell does not find it.
  const fs::path here = fs::current_path();
  fs::current_path(own.path());
  CHECK(app::words_to_start(own / "ridgepoint", ".:") == own / "ridgepoint");
  fs::current_path(here);
  // As programs are often put on the PATH.
  const TemporaryFolder links;
  fs::create_symlink(own / "ridgepoint", links / "ridgepoint");
  CHECK(app::words_to_start(own / "ridgepoint", links.path().string()) == "ridgepoint");
  // A file that may not be run is passed over.
  fs::permissions(other / "ridgepoint", fs::perms::owner_read);
  CHECK(app::words_to_start(own / "ridgepoint", theirs + ":" + mine) == "ridgepoint");
}

TEST_CASE("A path that a shell would take apart is quoted") {
  CHECK(app::words_to_start("/a b/ridgepoint", "") == "'/a b/ridgepoint'");
  CHECK(app::words_to_start("/it's/ridgepoint", "") == "'/it'\\''s/ridgepoint'");
}
