// Runs the GPU tests, and says at the end how many were skipped and why.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/cuda/gpu/gpu_under_test.hpp"

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int result = context.run();
  if (gpu_under_test::skipped() > 0) {
    fmt::print("skipped: {} GPU tests, no CUDA device: {}\n", gpu_under_test::skipped(),
               gpu_under_test::why_none());
  }
  return result;
}
