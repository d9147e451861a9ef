// One run of a lab on an emulated GPU of two multiprocessors, with made-up times.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/labs/lab.hpp"
#include "tests/cuda/emulated_run.hpp"
#include "tests/cuda/fakes/libraries/fake_library.hpp"

namespace tests {

class LabRun {
 public:
  /// `seconds_of`: of a launch, as fake_cuda::State has it.
  using Seconds = std::optional<double>(const void* function, const void* arguments,
                                        std::uint64_t blocks);

  LabRun(std::string_view lab, std::string_view knob, std::string_view text, Seconds* seconds_of) {
    fake_cuda::State& state = fake_cuda::state();
    state = {};
    state.memory_bytes = 32 << 20;
    state.launch_seconds = 20e-6;
    state.timed_runs_compute = false;
    state.repeats_once = true;
    state.seconds_of = seconds_of;
    spec.lab = lab;
    spec.max_time = 2;
    spec.repeats = {8};
    spec.more[std::string(knob)] = text;
  }
  ~LabRun() {
    fake_cuda::state().seconds_of = {};
    fake_library::installed().clear();
  }
  LabRun(const LabRun&) = delete;
  LabRun& operator=(const LabRun&) = delete;

  engine::Session session() const {
    Run run;
    REQUIRE(run.has_device());
    run.sweep(spec);
    CHECK(run.flaw() == "");
    return run.session();
  }
  engine::LabVerdict verdict(const engine::Session& session) const {
    return engine::find_lab(spec.lab)->verdict(engine::results_of(spec.lab, session));
  }

  engine::Spec spec;
};

}  // namespace tests
