// What gpu-check.sh runs under compute-sanitizer launches every kernel of the workloads: seen on
// the emulated runtime.
#include "tests/cuda/small_sizes.hpp"

#include <algorithm>
#include <set>

#include "kernels/cuda/bodies/mma_layout.hpp"
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/decode/decode_arguments.hpp"
#include "kernels/families/divergence/divergence.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/cuda/fakes/libraries/fake_nvrtc.hpp"

using namespace kernels;

namespace {

/// Notes which kernels are launched.
struct Launches {
  std::set<const void*> seen;

  Launches() {
    fake_cuda::state().before_kernel = [this](const void* function, void*) {
      seen.insert(function);
    };
  }
  ~Launches() { fake_cuda::state().before_kernel = {}; }

  /// All of a table were, or those of it that `which` picks.
  template <class Table>
  void check_all_of(const Table& kernels) const {
    check_all_of(kernels, [](const auto&) { return true; });
  }
  template <class Table, class Which>
  void check_all_of(const Table& kernels, Which which) const {
    int row = 0;
    for (const auto& one : kernels) {
      CAPTURE(row);
      if (which(one)) CHECK(seen.contains(one.function));
      ++row;
    }
  }
};

}  // namespace

TEST_CASE("every branch is launched at small sizes, and peaks and streams of each axis") {
  Emulated emulated;
  const Launches launches;
  small_sizes::verify_roofs_and_workloads(emulated.gpu(), false);
  using namespace kernels::cuda;
  CHECK(launches.seen.contains(divergence_function()));
  // Compute capability 9.0 has no accesses of 32 bytes.
  launches.check_all_of(stream_kernels(), [](const StreamKernel& one) { return one.width == 16; });
  launches.check_all_of(ring_kernels(), [](const RingKernel& one) { return one.op != Op::shared; });
}

TEST_CASE(
    "every chain and tile is launched at small sizes, and peaks and streams that share memory of "
    "each "
    "axis") {
  Emulated emulated;
  const Launches launches;
  small_sizes::verify_roofs_and_workloads(emulated.gpu(), true);
  using namespace kernels::cuda;
  for (const ChainKernels& chains :
       {fp64_kernels(), fp32_kernels(), fp16_kernels(), bf16_kernels(), int32_kernels()}) {
    for (const ChainKernel& kernel : chains) {
      for (const void* function : kernel.functions) CHECK(launches.seen.contains(function));
    }
  }
  launches.check_all_of(tile_vector_kernels());
  for (const MatrixKernel& kernel : matrix_kernels()) {
    CHECK(launches.seen.contains(kernel.tile) == mma_shape(kernel.dtype, 900).native());
  }
  launches.check_all_of(ring_kernels(), [](const RingKernel& one) { return one.op == Op::shared; });
}

TEST_CASE("packed weights of every width and batch are launched at small sizes") {
  Emulated emulated;
  const Launches launches;
  small_sizes::verify_packed_weights(emulated.gpu());
  launches.check_all_of(cuda::decode_kernels());
}

TEST_CASE("every product is launched at small sizes") {
  Emulated emulated;
  const Launches launches;
  small_sizes::verify_products(emulated.gpu());
  launches.check_all_of(cuda::matmul_vector_kernels());
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
  launches.check_all_of(cuda::pointwise_kernels());
  launches.check_all_of(cuda::pointwise_list_kernels());
}

TEST_CASE("every operator on rows is launched at small sizes") {
  Emulated emulated;
  const Launches launches;
  small_sizes::verify_operators_on_rows(emulated.gpu());
  launches.check_all_of(cuda::rowwise_kernels());
}
