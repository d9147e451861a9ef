// The whole program on an emulated machine with one GPU: `ridgepoint` over tests/cuda/fakes.
#include <cstdlib>

#include "app/cli/cli.hpp"
#include "tests/cuda/fakes/fake_runtime.hpp"
#include "tests/cuda/fakes/libraries/fake_nvml.hpp"
#include "tests/cuda/fakes/libraries/fake_nvrtc.hpp"

namespace {

/// What another program does on the emulated GPU, second by second: copies, products, nothing.
double percent_counted(unsigned metric, double from, double to) {
  constexpr unsigned busy = 2, hmma = 7, dram = 10;
  static const double begin = from;
  const int phase = static_cast<int>((from + to) / 2 - begin) % 3;
  if (phase == 2) return 0;
  if (metric == busy) return 98;
  if (metric == dram) return phase == 0 ? 88 : 17;
  return metric == hmma && phase == 1 ? 93 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  fake_cuda::state().memory_bytes = 1 << 22;  // kernels run on the host, thread by thread
  fake_cuda::state().launch_seconds = 20e-6;
  fake_cuda::state().timed_runs_compute = false;
  fake_cuda::state().repeats_once = true;
  if (std::getenv("RIDGEPOINT_EMULATED_JOB") != nullptr) {
    fake_nvml::state().counted = percent_counted;
    fake_cuda::state().real_time = true;
  }
  fake_nvml::install();
  fake_nvrtc::install();
  return app::run(argc, argv);
}
