// The kernels of the host side, and that of branches, on the emulated runtime.
#include <cstring>

#include "emulation.hpp"
#include "fake_runtime.hpp"
#include "kernels/cuda/bodies/sparse.hpp"
#include "kernels/cuda/runtime/helpers.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/divergence/divergence.cu"

namespace kernels::cuda {
namespace {

void fill_sparse(const SparseArguments& args, std::uint64_t) {
  const std::size_t bytes = size_of(args.dtype);
  for (std::uint64_t i = 0; i < args.elements; ++i) {
    const std::uint64_t bits =
        sparse_bits(args.dtype, args.seed, i, args.magnitude_bits, args.density);
    std::memcpy(static_cast<unsigned char*>(args.out) + i * bytes, &bits, bytes);
  }
}

}  // namespace

HelperKernels helper_kernels() {
  static const HelperKernels kernels{.probe = fake_cuda::add_probe(),
                                     .sparse = fake_cuda::add<SparseArguments>(fill_sparse)};
  return kernels;
}

const void* divergence_function() {
  static const void* const function = fake_cuda::add<DivergenceArguments>(
      [](const DivergenceArguments& args, std::uint64_t blocks) {
        launch_on_host(blocks, block_threads, [&](Place place) { divergence_thread(args, place); });
      });
  return function;
}

}  // namespace kernels::cuda
