// What gpu-check.sh runs under compute-sanitizer launches every kernel of the workloads: seen on the
// emulated runtime.
#include <algorithm>
#include <set>

#include "kernels/cuda/bodies/mma_layout.hpp"
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/cuda/fakes/fake_nvrtc.hpp"
#include "tests/cuda/small_sizes.hpp"

using namespace kernels;

namespace {

/// Notes which kernels are launched.
struct Launches {
  std::set<const void*> seen;

  Launches() {
    fake_cuda::state().before_kernel = [this](const void* function, void*) { seen.insert(function); };
  }
  ~Launches() { fake_cuda::state().before_kernel = {}; }

  /// Whether all of a table were.
  template <class Table>
  bool all_of(const Table& kernels) const {
    return std::ranges::all_of(kernels, [&](const auto& one) { return seen.contains(one.function); });
  }
};

}  // namespace

TEST_CASE("every chain and branch is launched at small sizes, and peaks and streams of each axis") {
  Emulated emulated;
  const Launches launches;
  small_sizes::verify_roofs_and_workloads(emulated.gpu(), false);
  using namespace kernels::cuda;
  for (const ChainKernels& chains :
       {fp64_kernels(), fp32_kernels(), fp16_kernels(), bf16_kernels(), int32_kernels()}) {
    for (const ChainKernel& kernel : chains) {
      for (const void* function : kernel.functions) CHECK(launches.seen.contains(function));
    }
  }
  CHECK(launches.seen.contains(divergence_function()));
}

TEST_CASE(
    "every tile is launched at small sizes, and peaks and streams that share memory of each axis") {
  Emulated emulated;
  const Launches launches;
  small_sizes::verify_roofs_and_workloads(emulated.gpu(), true);
  using namespace kernels::cuda;
  CHECK(launches.all_of(tile_vector_kernels()));
  for (const MatrixKernel& kernel : matrix_kernels()) {
    CHECK(launches.seen.contains(kernel.tile) == mma_shape(kernel.dtype, 900).native());
  }
  CHECK(launches.all_of(ring_kernels()));
}

TEST_CASE("every product is launched at small sizes") {
  Emulated emulated;
  const Launches launches;
  small_sizes::verify_products(emulated.gpu());
  CHECK(launches.all_of(cuda::matmul_vector_kernels()));
  for (const cuda::MatmulKernel& kernel : cuda::matmul_matrix_kernels()) {
    CHECK(launches.seen.contains(kernel.function) == cuda::mma_shape(kernel.dtype, 900).native());
  }
}

TEST_CASE(
    "every pointwise operator is launched at small sizes, and chains by a list and generated") {
  fake_nvrtc::install();
  Emulated emulated;
  const Launches launches;
  small_sizes::verify_pointwise_operators(emulated.gpu());
  CHECK(launches.all_of(cuda::pointwise_kernels()));
  CHECK(launches.all_of(cuda::pointwise_list_kernels()));
}

TEST_CASE("every operator on rows is launched at small sizes") {
  Emulated emulated;
  const Launches launches;
  small_sizes::verify_operators_on_rows(emulated.gpu());
  CHECK(launches.all_of(cuda::rowwise_kernels()));
}
