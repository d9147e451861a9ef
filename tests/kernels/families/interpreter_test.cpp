// Additions in an interpreter that is there, missing, hanging, or says something else. Each
// python3 is a script of the test's own.
#include "kernels/families/interpreter/interpreter.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "kernels/families/family.hpp"
#include "tests/files.hpp"
#include "tests/kernels/tool_on_path.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;

namespace {

/// PATH with a python3 that is this script of a shell; without one: PATH with nothing.
struct PathWith : ToolOnPath {
  explicit PathWith(const std::string& script) : ToolOnPath("python3", script) {}
};

const Case python = interpreter_case(Interpreter::python, 1000);

std::string why_not(const Case& c) {
  try {
    const auto trial = c.family->prepare_on_host(c, "cpu", {});
    trial->run({});
    return "";
  } catch (const Unsupported& reason) {
    return reason.what();
  }
}

}  // namespace

TEST_CASE("an interpreter is asked for its additions, and its sum is checked") {
  const PathWith path(
      "echo a warning >&2\necho ready Python 3.99\nwhile read n; do echo \"$n 0.002 $n.0\"; "
      "done\n");
  const auto trial = prepare_interpreter(python, "cpu", {});
  CHECK(trial->verify({}).ok);
  const Sample sample = trial->run({});
  CHECK(sample.seconds == 0.002);
  CHECK(sample.note == "Python 3.99");
  CHECK(trial->work().flops == 1000);
}

TEST_CASE("an interpreter starts once for several trials, and anew where it did not answer") {
  const Folder folder;
  const std::string starts = (folder.path() / "starts").string();
  const PathWith path("echo x >>" + starts +
                      "\necho ready Python\nwhile read n; do [ $n = 3 ] || echo \"$n 0.002 $n\"; "
                      "done\n");
  const auto started = [&] {
    const std::string text = tests::read_file(starts);
    return std::count(text.begin(), text.end(), 'x');
  };
  for (int visit = 0; visit < 3; ++visit) {
    CHECK(prepare_interpreter(python, "cpu", {})->verify({}).ok);
    CHECK(started() == 1);
  }
  CHECK(prepare_interpreter(python, "cuda", {})->verify({}).ok);
  CHECK(started() == 2);
  std::stop_source source;
  source.request_stop();
  CHECK_THROWS_AS(
      static_cast<void>(prepare_interpreter(interpreter_case(Interpreter::python, 3), "cpu", {})
                            ->run(source.get_token())),
      Cancelled);
  CHECK(prepare_interpreter(python, "cpu", {})->verify({}).ok);
  CHECK(started() == 3);
  const PathWith other("echo ready Python\nwhile read n; do echo \"$n 0.002 7\"; done\n");
  CHECK_FALSE(prepare_interpreter(python, "cpu", {})->verify({}).ok);
}

TEST_CASE("an interpreter that adds wrongly is found") {
  const PathWith path("echo ready Python\nwhile read n; do echo \"$n 0.002 7\"; done\n");
  const Check check = prepare_interpreter(python, "cpu", {})->verify({});
  CHECK_FALSE(check.ok);
  CHECK(check.why == "1000 additions of 1 gave 7");
}

TEST_CASE("a missing interpreter, one that ends, and one that says something else are refused") {
  {
    const PathWith path("");
    CHECK(why_not(python) == "there is no python3 on PATH");
  }
  {
    const PathWith path("exit 3\n");
    CHECK(why_not(python) == "python3 ended before it was asked to");
  }
  {
    const PathWith path("echo Welcome\n");
    CHECK(why_not(python) == "python3 answered \"Welcome\", which is no result");
  }
  {
    const PathWith path("echo ready\nread n; echo Traceback; sleep 9\n");
    CHECK(contains(why_not(python), "which is no result"));
  }
  {
    const PathWith path("echo ready Python\nread n; echo 999 0.1 999.0\n");  // of another question
    CHECK(contains(why_not(python), "which is no result"));
  }
  {
    const PathWith path("echo absent\n");
    CHECK(why_not(interpreter_case(Interpreter::pytorch, 1000)) ==
          "the python3 on PATH cannot import PyTorch");
  }
}

TEST_CASE("an interpreter that hangs, or prints without end, is ended after its time") {
  for (const char* script : {"sleep 60\n", "yes | tr -d '\\n'\n"}) {
    CAPTURE(std::string(script));
    const PathWith path(script);
    CHECK(why_not(python) == "python3 gave no answer within 3 s, and was ended");
  }
}

TEST_CASE("a stop ends the wait for an interpreter at once") {
  const PathWith path("sleep 60\n");
  std::stop_source source;
  std::jthread stopper([&] { source.request_stop(); });
  const auto start = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(static_cast<void>(prepare_interpreter(python, "cpu", source.get_token())),
                  Cancelled);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}
