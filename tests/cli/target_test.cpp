#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "program.hpp"

using nlohmann::json;

namespace {

/// Exit code of a child in which no file system could be mounted.
constexpr int cannot_mount = 99;

/// Puts an empty file system of 8 KiB over a folder, for this process alone.
void mount_tiny_disk(const std::string& folder) {
  const int namespaces = geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
  if (unshare(namespaces) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("none", folder.c_str(), "tmpfs", 0, "size=8k") != 0) {
    _exit(cannot_mount);
  }
}

/// Files may not grow beyond this in the child.
void limit_file_size(rlim_t bytes) {
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

void check_refused_before_measuring(const Ended& ended, const std::string& said) {
  CHECK(ended.code == 1);
  CHECK(ended.out == "");  // no event: nothing was started
  CHECK(lines_in(ended.err) == 1);
  CHECK_MESSAGE(ended.err.find(said) != std::string::npos, ended.err);
}

}  // namespace

TEST_CASE("a target that cannot be written is refused before the sweep, with a remedy") {
  const TemporaryFolder folder;
  write_text(folder / "file", "");
  for (const char* option : {"-o", "--csv", "--plot"}) {
    const auto target = [&](const std::string& path) {
      return run(small_sweep({"--stream", option, path}));
    };
    check_refused_before_measuring(target(folder / "none/a.png"), "create it");
    check_refused_before_measuring(target(folder / "file/a.png"), "not a folder");
  }
  std::filesystem::create_directory(folder / "folder.png");
  check_refused_before_measuring(run(small_sweep({"--stream", "--plot", folder / "folder.png"})),
                                 "Is a directory");
}

TEST_CASE("links that form a loop or nowhere are refused before the sweep") {
  const TemporaryFolder folder;
  std::filesystem::create_symlink(folder / "b", folder / "a");
  std::filesystem::create_symlink(folder / "a", folder / "b");
  std::filesystem::create_symlink(folder / "none/a.json", folder / "c");
  check_refused_before_measuring(run(small_sweep({"--stream", "-o", folder / "a"})), "loop");
  check_refused_before_measuring(run(small_sweep({"--stream", "-o", folder / "c"})), "create it");
}

TEST_CASE("a folder without permission to write is refused before the sweep") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "locked");
  chmod((folder / "locked").c_str(), 0555);
  Launch launch{small_sweep({"--stream", "-o", folder / "locked/a.json"})};
  launch.before_exec = without_root_rights;
  check_refused_before_measuring(run(launch), "Permission denied");
}

TEST_CASE("a full disk is refused before the sweep") {
  const TemporaryFolder folder;
  Launch launch{small_sweep({"--stream", "-o", folder / "a.json"})};
  launch.before_exec = [&] { mount_tiny_disk(folder.path().string()); };
  const Ended ended = run(launch);
  if (ended.code == cannot_mount) {
    MESSAGE("no file system can be mounted here: the full device below stands for it");
    return;
  }
  check_refused_before_measuring(ended, "No space left");
}

TEST_CASE("a device that is full loses the file alone: the results are shown, the exit code is 1") {
  const Ended ended = run(small_sweep({"-o", "/dev/full"}));
  CHECK(ended.code == 1);
  CHECK(ended.err.find("/dev/full") != std::string::npos);
  CHECK(ended.out.find("fp32 fused") != std::string::npos);
}

TEST_CASE(
    "a disk that fills in mid-sweep is told once, the sweep continues, and the last save stays "
    "whole") {
  const TemporaryFolder folder;
  // 52 points of up to a second: more text than the limit, and more saves than one.
  Launch launch{small_sweep({"--elements", "1Mi", "--repeat", "1:4096:x2", "--dtype", "fp32,fp64",
                             "--fusion", "both", "--noise", "1e-9", "--max-time", "1s", "--stream",
                             "-o", folder / "a.json"})};
  launch.before_exec = [] { limit_file_size(20 * 1024); };
  Program program(launch);
  REQUIRE(program.wait_for("the sweep continues"));
  program.send(SIGINT);
  const Ended ended = program.finish();
  CHECK(ended.code == 130);
  CHECK(ended.out.find("\"end\":\"stopped\"") != std::string::npos);  // it had not failed
  const std::size_t first = ended.err.find("the sweep continues");
  CHECK(ended.err.find("the sweep continues", first + 1) == std::string::npos);
  CHECK(ended.err.find("the last points were not saved") != std::string::npos);
  const json session = json::parse(read_file(folder / "a.json"));
  CHECK(session.at("points").size() >= 1);
  CHECK(session.at("points").size() < 52);
}

TEST_CASE("one file under two names is refused before it is written") {
  const TemporaryFolder folder;
  const std::string session = folder / "a.json";
  write_text(session, "precious");
  std::filesystem::create_directory(folder / "real");
  std::filesystem::create_directory_symlink(folder / "real", folder / "alias");
  std::filesystem::create_symlink(session, folder / "link.json");
  std::filesystem::create_symlink("new.json", folder / "dangling.json");
  std::filesystem::create_hard_link(session, folder / "hard.json");
  const auto refused = [&](const std::string& first, const std::string& second) {
    CAPTURE(first);
    CAPTURE(second);
    const Ended ended = run(small_sweep({"--output", first, "--csv", second}));
    CHECK(ended.code == 2);
    CHECK(ended.err.find("the same file") != std::string::npos);
  };
  refused(session, folder / "./a.json");
  refused(session, folder / "real/../a.json");
  refused(session, folder / "link.json");
  refused(session, folder / "hard.json");
  refused(folder / "real/b.json", folder / "alias/b.json");
  refused(folder / "dangling.json", folder / "new.json");
  refused("/dev/stdout", "/dev/fd/1");
  CHECK(read_file(session) == "precious");
  CHECK_FALSE(std::filesystem::exists(folder / "new.json"));
}

TEST_CASE("a session on standard output is JSON alone, and the table goes to standard error") {
  const Ended ended = run(small_sweep({"-o", "/dev/stdout"}));
  CHECK(ended.code == 0);
  CHECK(json::parse(ended.out).at("points").size() == 2);
  CHECK(ended.err.find("FLOP/byte") != std::string::npos);
  CHECK(std::filesystem::is_symlink("/dev/stdout"));
}

TEST_CASE("standard output redirected to a file gets the session whole") {
  const TemporaryFolder folder;
  const Ended ended = run(Launch{small_sweep({"-o", "/dev/stdout"}), {}, folder / "out.json"});
  CHECK(ended.code == 0);
  CHECK(json::parse(read_file(folder / "out.json")).at("points").size() == 2);
}

TEST_CASE("a named pipe is written once, at the end, and stays a pipe") {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  // A reader that is there from the start, with room for the whole session: nobody has to wait.
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader != -1);
  REQUIRE(fcntl(reader, F_SETPIPE_SZ, 1 << 20) >= 1 << 20);
  const Ended ended = run(small_sweep({"-o", pipe}));
  std::string read(1 << 20, '\0');
  read.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, ::read(reader, read.data(), read.size()))));
  close(reader);
  CHECK(ended.code == 0);
  CHECK(json::parse(read).at("points").size() == 2);
  CHECK(std::filesystem::is_fifo(pipe));
}
