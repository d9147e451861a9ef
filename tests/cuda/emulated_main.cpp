// The whole program on an emulated machine with one GPU: `ridgepoint` over tests/cuda/fakes.
#include "app/cli/cli.hpp"
#include "tests/cuda/fakes/fake_nvml.hpp"
#include "tests/cuda/fakes/fake_nvrtc.hpp"
#include "tests/cuda/fakes/fake_runtime.hpp"

int main(int argc, char** argv) {
  fake_cuda::state().memory_bytes = 1 << 22;  // kernels run on the host, thread by thread
  fake_cuda::state().launch_seconds = 20e-6;
  fake_cuda::state().timed_runs_compute = false;
  fake_cuda::state().repeats_once = true;
  fake_nvml::install();
  fake_nvrtc::install();
  return app::run(argc, argv);
}
