#include "tests/cuda/gpu/gpu_under_test.hpp"

#include <doctest/doctest.h>

#include <exception>

#include "kernels/backends.hpp"

namespace gpu_under_test {
namespace {

kernels::Devices& devices() {
  static kernels::Devices opened = [] {
    kernels::Devices found;
    kernels::open_cuda(found);
    if (found.usable.empty()) return found;
    try {
      found.usable.front()->open();
    } catch (const std::exception& error) {
      found.unavailable.insert(found.unavailable.begin(),
                               {found.usable.front()->info().id, error.what()});
      found.usable.clear();
    }
    return found;
  }();
  return opened;
}

int& skip_count() {
  static int count = 0;
  return count;
}

}  // namespace

kernels::Device* device() {
  if (!devices().usable.empty()) return devices().usable.front().get();
  ++skip_count();
  MESSAGE("skipped, no CUDA device: " << why_none());
  return nullptr;
}

int skipped() { return skip_count(); }

std::string why_none() {
  return devices().unavailable.empty() ? "" : devices().unavailable.front().why;
}

}  // namespace gpu_under_test
