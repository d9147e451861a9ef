// Every kernel that the program can launch does something, in the machine code of every
// architecture.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cuda/bodies/mma_layout.hpp"
#include "tests/cuda/machine_code/sass.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cuda;
using tests::contains;

namespace {

// All kernels of an architecture: of every file that the program is built of.
std::vector<cubin::Kernel> every_kernel(int architecture) {
  std::istringstream files(RIDGEPOINT_KERNEL_NAMES);
  std::vector<cubin::Kernel> kernels;
  for (std::string file; files >> file;) {
    std::ranges::move(sass::kernels_of(file, architecture), std::back_inserter(kernels));
  }
  if (architecture == 90) {
    std::ranges::move(cubin::read(sass::path_of("wgmma", "90a"), architecture),
                      std::back_inserter(kernels));
  }
  return kernels;
}

// What launches alone cost; and what the architecture lacks, so that the program does not launch it
// there: accesses of 32 bytes, and products by an mma.sync.
bool does_nothing(const std::string& name, int architecture) {
  if (contains(name, "::empty_kernel(")) return true;
  const bool streams = contains(name, "::stream_kernel<") || contains(name, "::read_kernel<");
  if (streams && contains(name, ", 32>(")) return architecture < 100;
  const bool by_mma = contains(name, "matrix_kernel<");
  return by_mma && !mma_shape(sass::dtype_argument(name), architecture * 10).native();
}

std::set<unsigned> widths_stored(const cubin::Kernel& kernel) {
  std::set<unsigned> widths;
  for (const cubin::Instruction& i : kernel.code) {
    if (i.operation() == sass::store_global) widths.insert(i.access_bytes);
  }
  return widths;
}

}  // namespace

TEST_CASE("no kernel traps, and each stores what it computes") {
  for (const int architecture : sass::architectures) {
    for (const cubin::Kernel& kernel : every_kernel(architecture)) {
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      CHECK_FALSE(sass::traps(kernel));
      CHECK(sass::stores(kernel) == !does_nothing(kernel.name, architecture));
    }
  }
}

TEST_CASE("what fills tensors of any type stores elements of 1, 2, 4 and 8 bytes") {
  for (const int architecture : sass::architectures) {
    int seen = 0;
    for (const cubin::Kernel& kernel : every_kernel(architecture)) {
      if (!contains(kernel.name, "::pattern_kernel(") && !contains(kernel.name, "::fill_kernel(") &&
          !contains(kernel.name, "::sparse_kernel(")) {
        continue;
      }
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      CHECK(widths_stored(kernel) == std::set<unsigned>{1, 2, 4, 8});
      ++seen;
    }
    CHECK(seen == 3);
  }
}

TEST_CASE("kernels whose threads share memory are those that racecheck runs, by small_sizes.hpp") {
  constexpr std::string_view sharing[] = {
      "chain_queue_kernel<",   "shared_kernel<",     "tile_matrix_kernel<",
      "tile_vector_kernel<",   "wgmma_peak_kernel<", "matmul_matrix_kernel<",
      "matmul_vector_kernel<", "rowwise_kernel<",    "column_sum_kernel<",
      "transpose_kernel<",     "banks_kernel"};
  for (const int architecture : sass::architectures) {
    std::set<std::string_view> seen;
    for (const cubin::Kernel& kernel : every_kernel(architecture)) {
      if (kernel.shared_bytes == 0) continue;
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const auto found = std::ranges::find_if(sharing, [&](std::string_view name) {
        return contains(kernel.name, std::string("::").append(name));
      });
      CHECK(found != std::end(sharing));
      if (found != std::end(sharing)) seen.insert(*found);
    }
    // wgmma is Hopper's; chains and tiles on matrix units copy to shared memory from 8.0 on.
    const std::size_t lacks = (architecture == 90 ? 0 : 1) + (architecture < 80 ? 2 : 0);
    CHECK(seen.size() == std::size(sharing) - lacks);
  }
}

TEST_CASE("every kernel that the program can launch is among those whose machine code is read") {
  // Other compilers lack kernels that this one has.
  if (std::getenv("RIDGEPOINT_CUBINS") != nullptr) return;
  const std::set<std::string> launchable = cubin::launchable(RIDGEPOINT_CUDA_PROGRAM);
  CHECK(launchable.size() > 400);
  for (const int architecture : sass::architectures) {
    std::set<std::string> read;
    for (const cubin::Kernel& kernel : every_kernel(architecture)) read.insert(kernel.name);
    std::set<std::string> in_one;
    std::ranges::set_symmetric_difference(launchable, read, std::inserter(in_one, in_one.end()));
    for (const std::string& name : in_one) {
      CAPTURE(architecture);
      CAPTURE(name);
      CHECK(contains(name, "wgmma_peak_kernel<"));  // of Hopper alone
    }
    MESSAGE(architecture << ": " << launchable.size() << " kernels in the program, " << read.size()
                         << " read");
  }
}
