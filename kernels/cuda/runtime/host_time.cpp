#include "kernels/cuda/runtime/host_time.hpp"

#include <chrono>
#include <thread>

namespace kernels::cuda {

double host_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void host_pause(bool near) {
  if (near) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace kernels::cuda
