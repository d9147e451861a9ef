// An emulated machine with its devices open, and what is asked of a case that works.
#pragma once

#include <doctest/doctest.h>

#include <memory>

#include "fake_runtime.hpp"
#include "kernels/backends.hpp"
#include "kernels/device.hpp"
#include "tests/cuda/fakes/libraries/fake_library.hpp"

/// GPUs of two multiprocessors of one block each; every launch takes 60 us unless a test says
/// otherwise.
struct Emulated {
  kernels::Devices devices;

  explicit Emulated(int count = 1) : Emulated(fake_cuda::State{.devices = count}) {}
  /// With what a test chooses, but for the time of launches.
  explicit Emulated(const fake_cuda::State& machine) {
    fake_cuda::state() = machine;
    fake_cuda::state().launch_seconds = 60e-6;
    kernels::open_cuda(devices);
    REQUIRE(devices.usable.size() == static_cast<std::size_t>(machine.devices));
  }
  ~Emulated() {
    devices.usable.clear();  // before the libraries that they use
    fake_library::installed().clear();
  }
  Emulated(const Emulated&) = delete;
  Emulated& operator=(const Emulated&) = delete;

  kernels::Device& gpu(std::size_t i = 0) { return *devices.usable[i]; }
};

/// The case verifies, its run takes time, and it still verifies after it.
inline void check_case(kernels::Device& gpu, const kernels::Case& c) {
  CAPTURE(kernels::describe(c));
  const auto trial = gpu.prepare(c, {});
  const kernels::Check before = trial->verify({});
  CHECK_MESSAGE(before.ok, before.why);
  CHECK(trial->run({}).seconds > 0);
  const kernels::Check after = trial->verify({});
  CHECK_MESSAGE(after.ok, after.why);
}
