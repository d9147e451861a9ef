#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <nlohmann/json.hpp>

#include "app/output/output.hpp"
#include "app/output/signals.hpp"
#include "program.hpp"

using nlohmann::json;

namespace {

constexpr std::size_t all_points = 52;

/// Every point takes its whole time limit, since the noise goal is never reached.
std::vector<std::string> long_sweep(const std::string& session) {
  return small_sweep({"--elements", "1Mi", "--repeat", "1:4096:x2", "--dtype", "fp32,fp64",
                      "--fusion", "both", "--noise", "1e-9", "--max-time", "100ms", "--stream",
                      "-o", session});
}

}  // namespace

TEST_CASE("an interrupt in mid-sweep saves what was measured, says so, and ends with 130") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    Program program(Launch{long_sweep(folder / "a.json")});
    REQUIRE(program.wait_for("\"event\":\"point\""));
    program.send(signal);
    const Ended ended = program.finish();
    CHECK(ended.code == 130);
    const json session = json::parse(read_file(folder / "a.json"));
    CHECK(session.at("points").size() >= 1);
    CHECK(session.at("points").size() < all_points);
    CHECK(ended.err.find("interrupted") != std::string::npos);
    CHECK(ended.err.find("a.json") != std::string::npos);
    CHECK(ended.out.find("\"end\":\"stopped\"") != std::string::npos);
    CHECK(run({"explain", folder / "a.json"}).code == 0);
  }
}

TEST_CASE(
    "a second sweep into the file that a first one measures into is refused before it starts") {
  const TemporaryFolder folder;
  Program first(Launch{long_sweep(folder / "a.json")});
  REQUIRE(first.wait_for("\"event\":\"point\""));
  std::filesystem::create_symlink("a.json", folder / "another_name.json");
  for (const char* name : {"a.json", "another_name.json"}) {
    const Ended second = run(small_sweep({"-o", folder / name}));
    CHECK(second.code == 1);
    CHECK(second.out.empty());
    CHECK(second.err.find(fmt::format("another ridgepoint (process {}) is measuring into it",
                                      first.process())) != std::string::npos);
  }
  first.send(SIGKILL);
  CHECK(first.finish().signal == SIGKILL);
  // What a process leaves behind that was killed stops nobody.
  CHECK(run(small_sweep({"-o", folder / "a.json"})).code == 0);
  CHECK_FALSE(std::filesystem::exists(folder / ".a.json.lock"));
}

TEST_CASE("an interrupt while the roofs are measured ends with 130 and leaves an old file whole") {
  const TemporaryFolder folder;
  const std::vector<std::string> files{folder / "a.json", folder / "a.csv"};
  for (const std::string& file : files) write_text(file, "of an earlier sweep");
  std::vector<std::string> arguments = long_sweep(files[0]);
  arguments.insert(arguments.end(), {"--csv", files[1]});
  Program program(Launch{arguments});
  REQUIRE(program.wait_for("\"event\":\"roof\""));
  program.send(SIGINT);
  const Ended ended = program.finish();
  CHECK(ended.code == 130);
  CHECK(ended.err.find("before anything was measured; no file was written") != std::string::npos);
  for (const std::string& file : files) CHECK(read_file(file) == "of an earlier sweep");
}

TEST_CASE("interrupts that are ignored at the start stay ignored") {
  const TemporaryFolder folder;
  Launch launch{small_sweep({"--stream", "-o", folder / "a.json"})};
  launch.before_exec = [] { std::signal(SIGINT, SIG_IGN); };
  Program program(launch);
  REQUIRE(program.wait_for("\"event\":\"start\""));
  program.send(SIGINT);
  const Ended ended = program.finish();
  CHECK(ended.code == 0);
  CHECK(ended.out.find("\"end\":\"complete\"") != std::string::npos);
}

TEST_CASE("an interrupt ends the wait for the reader of a pipe, and says what was not saved") {
  const TemporaryFolder folder;
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  Program program(Launch{small_sweep({"--stream", "-o", folder / "pipe"})});
  REQUIRE(program.wait_for("\"event\":\"end\""));
  program.send(SIGTERM);
  const Ended ended = program.finish();
  CHECK(ended.code == 130);
  CHECK(ended.err.find("no program reads it") != std::string::npos);
  CHECK(ended.err.find("2 measured points not saved") != std::string::npos);
}

TEST_CASE("an interrupt that comes twice at once counts once: every file is written") {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = long_sweep(folder / "a.json");
  arguments.insert(arguments.end(), {"--csv", folder / "a.csv"});
  Program program(Launch{arguments});
  REQUIRE(program.wait_for("\"event\":\"point\""));
  program.send(SIGINT);
  program.send(SIGTERM);
  const Ended ended = program.finish();
  CHECK(ended.code == 130);
  CHECK(json::parse(read_file(folder / "a.json")).at("points").size() >= 1);
  CHECK(lines_in(read_file(folder / "a.csv")) >= 2);
  CHECK(ended.err.find("interrupted") != std::string::npos);
}

// ThreadSanitizer runs no signal handler in a child that a process with threads forked.
#ifdef RIDGEPOINT_TSAN
constexpr bool signals_reach_a_child = false;
#else
constexpr bool signals_reach_a_child = true;
#endif

TEST_CASE("an interrupt ends the program although nobody reads its standard output" *
          doctest::skip(!signals_reach_a_child)) {
  std::array<int, 2> full{}, ready{};
  REQUIRE(pipe2(full.data(), O_CLOEXEC) == 0);
  REQUIRE(pipe2(ready.data(), O_CLOEXEC) == 0);
  REQUIRE(fcntl(full[1], F_SETFL, O_NONBLOCK) == 0);
  const std::string filler(4096, ' ');
  while (write(full[1], filler.data(), filler.size()) > 0) {
  }
  REQUIRE(fcntl(full[1], F_SETFL, 0) == 0);
  const pid_t child = fork();
  REQUIRE(child != -1);
  if (child == 0) {
    alarm(30);  // what a hang ends with
    dup2(full[1], STDOUT_FILENO);
    std::signal(SIGINT, SIG_DFL);  // a shell may have started us with it ignored
    app::catch_interrupts();
    app::Output output;
    if (write(ready[1], "!", 1) != 1) _exit(3);
    output.write("nobody will read this");
    _exit(output.usable() ? 1 : 0);
  }
  char byte = 0;
  CHECK(read(ready[0], &byte, 1) == 1);
  CHECK(kill(child, SIGINT) == 0);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK_MESSAGE(status == 0, "it ended by signal ", WTERMSIG(status));
  for (const int descriptor : {full[0], full[1], ready[0], ready[1]}) close(descriptor);
}
