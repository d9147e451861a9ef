// The program over an emulated CUDA runtime, of which one call fails: listing devices, default
// sweeps and sweeps of matrix units with their roofs, all roofs, products of matrices,
// convolutions, operators, both passes of a chain, the slider's point, and the window's state,
// through the worker that command line and window use. Each fault has a process of its own, so that
// crashes and hangs are counted. RIDGEPOINT_FAULTS=1/3 tries the second of three parts of all
// faults, in which each program, kind and place has its turn; without it all are tried.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tests/cuda/emulated_run.hpp"
#include "tests/cuda/fakes/fake_runtime.hpp"
#include "tests/cuda/fakes/libraries/fake_cublaslt.hpp"
#include "tests/cuda/fakes/libraries/fake_cudnn.hpp"
#include "tests/cuda/fakes/libraries/fake_library.hpp"
#include "tests/cuda/fakes/libraries/fake_nvrtc.hpp"
#include "ui/actions/events.hpp"
#include "ui/actions/intents.hpp"
#include "ui/model/app_state.hpp"

namespace {

using tests::Run;

/// Far beyond what a fault needs: only a hang reaches it.
constexpr unsigned hang_seconds = 60;

void small_machine() {
  fake_nvrtc::install();
  fake_cuda::State& state = fake_cuda::state();
  state = {};
  state.memory_bytes = 8 << 20;
  state.launch_seconds = 2e-3;  // searches end soon
  state.timed_runs_compute = false;
  state.repeats_once = true;
}

struct Outcome {
  std::string flaw;  ///< empty: none
  bool said = false;
  bool struck = false;  ///< the fault had happened when the program ended
  std::string complaint{};
  std::size_t measured = 0;  ///< roofs and points
  std::size_t words = 0;     ///< of what went wrong
};

Outcome outcome_of(const Run& one) {
  const fake_cuda::State& state = fake_cuda::state();
  return {one.flaw(),      one.says_why(), state.fault.call != 0 && state.calls >= state.fault.call,
          one.complaint(), one.measured(), one.words()};
}

Outcome run(const std::function<void(Run&)>& ask) {
  Run one;
  if (one.has_device()) ask(one);
  return outcome_of(one);
}

engine::Spec small_sweep(engine::UnitsChoice units) {
  engine::Spec spec;
  spec.units = units;
  if (units == engine::UnitsChoice::matrix) spec.dtypes = {kernels::Dtype::bf16};
  spec.fusion = engine::FusionChoice::both;
  spec.repeats = {1, 8};
  spec.elements = 4096;
  spec.max_time = 2;
  spec.noise = 1;  // the emulated device is as noisy as the machine that runs the test
  return spec;
}

/// All roofs of the device, each shape and working set.
engine::Spec every_roof() {
  engine::Spec spec;
  spec.lab = "roofs";
  spec.max_time = 0.1;
  spec.noise = 1;
  return spec;
}

/// What is wrong with a window after its sweep has ended.
std::string flaw_of(const ui::AppState& state, bool has_device) {
  if (state.worker.looking) return "the window still looks for devices";
  if (state.worker.running.sweep) return "the window still shows a sweep";
  for (const ui::Notice& notice : state.notices) {
    if (std::string flaw = tests::flaw_of(notice.text); !flaw.empty())
      return "the window says " + flaw;
  }
  if (!has_device)
    return state.notices.empty() ? "the window does not say why there is no GPU" : "";
  const engine::Session* session = ui::current_session(state);
  return session == nullptr ? "the window has no session" : tests::flaw_of(*session);
}

/// The user starts a sweep in the window.
Outcome window() {
  ui::AppState state = ui::new_state();
  Run one([&](const engine::Event& event) { ui::apply(state, event); });
  if (one.has_device()) {
    state.spec = small_sweep(engine::UnitsChoice::vector);
    state.spec.device = one.session().device.id;
    ui::run(state);
    for (ui::Command& command : std::exchange(state.commands, {})) {
      const auto* start = std::get_if<ui::StartSweep>(&command);
      if (start == nullptr) continue;
      state.worker.running.sweep_number = 1;  // the worker's first
      one.start(*start);
    }
  }
  Outcome outcome = outcome_of(one);
  if (outcome.flaw.empty()) outcome.flaw = flaw_of(state, one.has_device());
  return outcome;
}

/// Operators alone, by a list, generated, and on rows.
engine::Spec operator_sweep(const char* lab) {
  engine::Spec spec;
  spec.lab = lab;
  spec.elements = 1 << 12;
  spec.max_time = 20;  // each operator has a part of it, for six visits
  spec.noise = 1;
  if (spec.lab == "fusion") engine::set_knob(spec, "length", "2");
  return spec;
}

/// Our own product and the library's, of lines that do not fill their last 16 bytes.
Outcome products() {
  fake_cublaslt::install();
  const Outcome outcome = run([](Run& one) {
    engine::Spec spec;
    spec.lab = "matmul";
    spec.more["sizes"] = "17";
    spec.max_time = 2;
    spec.noise = 1;
    one.sweep(spec);
  });
  fake_library::installed().clear();
  return outcome;
}

/// cuDNN's first choice and algorithms.
Outcome convolutions() {
  fake_cudnn::install();
  const Outcome outcome = run([](Run& one) {
    engine::Spec spec;
    spec.lab = "conv";
    for (const char* knob : {"images", "channels", "filters", "image-size"}) spec.more[knob] = "2";
    spec.max_time = 2;
    spec.noise = 1;
    one.sweep(spec);
  });
  fake_library::installed().clear();
  return outcome;
}

/// Generated forward and backward passes.
Outcome both_passes() {
  return run([](Run& one) {
    engine::Spec spec = operator_sweep("rematerialize");
    spec.more["operators"] = "mul";
    spec.more["lengths"] = "2";
    one.sweep(spec);
  });
}

/// Each way of starting steps, and chunks that are copied; no interpreter beside them. A copy of
/// pageable memory waits for the GPU, whatever we do.
Outcome steps_and_chunks() {
  fake_cuda::state().launch_seconds = 1e-3;
  setenv("PATH", "", 1);
  return run([](Run& one) {
    engine::Spec spec;
    spec.max_time = 2;
    spec.noise = 1;
    spec.lab = "overlap";
    spec.more = {{"chunks", "2"}, {"ops", "2"}, {"mebibytes", "1"}};
    one.sweep(spec);
    spec.lab = "launches";
    spec.more = {{"steps", "4"}};
    one.sweep(spec);
  });
}

struct Program {
  const char* name;
  Outcome (*run)();
  bool uses_device = true;
};
// A place is struck by every kind of fault in the first program that calls it, and by the frequent
// kinds in the others, at their last call: that is one of their own trials, not of opening the GPU.
// The second sweep of one worker finds the GPU as the first one left it.
constexpr std::array<Program, 11> programs{
    {{"two default sweeps",
      [] {
        return run([](Run& one) {
          one.sweep(small_sweep(engine::UnitsChoice::vector));
          one.sweep(small_sweep(engine::UnitsChoice::vector));
        });
      }},
     {"matrix tiles",
      [] { return run([](Run& one) { one.sweep(small_sweep(engine::UnitsChoice::matrix)); }); }},
     {"every roof", [] { return run([](Run& one) { one.sweep(every_roof()); }); }},
     {"window", window},
     {"operators",
      [] {
        return run([](Run& one) {
          one.sweep(operator_sweep("fusion"));
          one.sweep(operator_sweep("operators"));
        });
      }},
     {"products", products},
     {"convolutions", convolutions},
     {"both passes", both_passes},
     {"steps and chunks", steps_and_chunks},
     {"slider's point", [] { return run([](Run& one) { one.probe(); }); }},
     {"devices", [] { return run([](Run&) {}); }, false}}};

/// Kinds of faults; from the third on the device is gone for good.
struct Kind {
  const char* name;
  fake_cuda::Fault fault;
  bool frequent = false;
  bool for_good() const { return fault.lasts || fault.hangs; }
};
const std::array<Kind, 5> kinds{{{"refused once", {.error = 1}, true},
                                 {"out of memory once", {.error = 2}},
                                 {"sticky error", {.error = 700, .lasts = true}, true},
                                 {"device lost", {.error = 100, .lasts = true}},
                                 {"hangs", {.hangs = true}}}};

/// The numbers of the first and the last call from a place.
struct Calls {
  std::uint64_t first = 0, last = 0;
  bool launches = false;  ///< a kernel: one place for each sort, which all fail by the same line
};
/// The places in the code that call the runtime in a program without a fault, and what comes of it.
struct Undisturbed {
  std::map<const void*, Calls> sites;
  Outcome outcome;
};
Undisturbed undisturbed(const Program& program) {
  std::map<const void*, Calls> sites;
  small_machine();
  fake_cuda::state().on_call = [&](std::string_view function, const void* from) {
    const std::uint64_t call = fake_cuda::state().calls;
    const Calls fresh{call, call, function == "cudaLaunchKernel"};
    sites.try_emplace(from, fresh).first->second.last = call;
  };
  Outcome outcome = program.run();
  fake_cuda::state().on_call = {};
  CHECK(outcome.flaw == "");
  // How well the emulated device is measured is not the question here, nor that it has no caches.
  const bool is_of_the_device =
      outcome.complaint.find("missed the noise goal") != std::string::npos ||
      outcome.complaint.find("it is no faster than the next level") != std::string::npos;
  CHECK_MESSAGE((outcome.complaint.empty() || is_of_the_device), outcome.complaint);
  return {std::move(sites), std::move(outcome)};
}

struct Counts {
  int faults = 0, crashes = 0, hangs = 0, flaws = 0, said = 0;
};

/// Which of all faults are tried.
class Part {
 public:
  Part() {
    const char* const chosen = std::getenv("RIDGEPOINT_FAULTS");
    if (chosen != nullptr && std::sscanf(chosen, "%d/%d", &which_, &parts_) == 2) return;
    which_ = 0;
    parts_ = 1;
  }
  bool takes_next() { return next_++ % parts_ == which_; }
  int parts() const { return parts_; }

 private:
  int which_ = 0, parts_ = 1, next_ = 0;
};

/// In a process of its own. What is lost against the `usual` outcome has a word more.
void try_fault(const Program& program, const Kind& kind, std::uint64_t call, const Outcome& usual,
               Counts& counts) {
  std::array<int, 2> pipe_ends{};
  REQUIRE(pipe(pipe_ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(hang_seconds);
    small_machine();
    fake_cuda::state().fault = kind.fault;
    fake_cuda::state().fault.call = call;
    Outcome outcome;
    try {
      outcome = program.run();
    } catch (const std::exception& error) {
      outcome.flaw = fmt::format("an exception that nobody caught: {}", error.what());
    }
    if (outcome.flaw.empty() && fake_cuda::state().hangs > 0) outcome.flaw = "HANG";
    const bool must_say = kind.for_good() && program.uses_device && outcome.struck;
    if (outcome.flaw.empty() && must_say && !outcome.said) outcome.flaw = "no word of it";
    const bool lost = outcome.measured < usual.measured;
    if (outcome.flaw.empty() && lost && !outcome.said && outcome.words <= usual.words)
      outcome.flaw = "something was lost without a word";
    if (!outcome.flaw.empty())
      outcome.flaw += fmt::format(" ({})", fake_cuda::state().failed_function);
    const std::string report = (outcome.said ? "+" : "-") + outcome.flaw;
    const auto written = write(pipe_ends[1], report.data(), report.size());
    _exit(written == static_cast<ssize_t>(report.size()) ? 0 : 1);
  }
  close(pipe_ends[1]);
  std::string report;
  std::array<char, 1024> part{};
  for (ssize_t got = 0; (got = read(pipe_ends[0], part.data(), part.size())) > 0;)
    report.append(part.data(), static_cast<std::size_t>(got));
  close(pipe_ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  ++counts.faults;
  const std::string_view flaw = report.empty() ? "" : std::string_view(report).substr(1);
  const bool slept = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  const bool hung = slept || flaw.starts_with("HANG");
  const bool crashed = !hung && (!WIFEXITED(status) || WEXITSTATUS(status) != 0);
  counts.hangs += hung ? 1 : 0;
  counts.crashes += crashed ? 1 : 0;
  counts.said += !report.empty() && report[0] == '+' ? 1 : 0;
  if (!hung && !crashed && flaw.empty()) return;
  if (!hung && !crashed) ++counts.flaws;
  FAIL_CHECK(std::string(program.name)
             << ", " << std::string(kind.name) << ", call " << call << ": "
             << (slept     ? "hangs"
                 : crashed ? "crashes"
                           : flaw));
}

}  // namespace

TEST_CASE("whatever call of the runtime fails, nothing crashes or hangs, and sessions are whole") {
  std::set<const void*> places;
  Counts all;
  Part part;
  for (const Program& program : programs) {
    Counts counts;
    const auto [sites, usual] = undisturbed(program);
    for (const auto& [place, calls] : sites) {
      const bool is_known = !places.insert(place).second;
      for (const Kind& kind : kinds) {
        if (!kind.frequent && (is_known || calls.launches)) continue;
        if (!is_known && part.takes_next()) try_fault(program, kind, calls.first, usual, counts);
        const bool again =
            is_known || (kind.frequent && !calls.launches && calls.last != calls.first);
        if (again && part.takes_next()) try_fault(program, kind, calls.last, usual, counts);
      }
    }
    MESSAGE(std::string(program.name) << ": " << sites.size() << " call sites, " << counts.faults
                                      << " faults, " << counts.said << " with a sentence");
    all.faults += counts.faults;
    all.crashes += counts.crashes;
    all.hangs += counts.hangs;
    all.flaws += counts.flaws;
  }
  MESSAGE("fault injection: " << places.size() << " call sites, " << all.faults << " faults, "
                              << all.crashes << " crashes, " << all.hangs << " hangs, one of "
                              << part.parts() << " parts");
  CHECK(places.size() > 30);
  CHECK(all.crashes == 0);
  CHECK(all.hangs == 0);
}
