// What one thread of a divergence launch does: load an element and the number of its path, repeat
// fma along that path, store. Plain C++, which tests run on the host, but for the kernel at the
// end.
#include <cstdint>

#include "kernels/arithmetic.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/families/divergence/divergence.hpp"

namespace kernels::cuda {

/// One path, an instruction sequence of its own.
template <int path>
RIDGEPOINT_BOTH inline float follow(float x, std::uint32_t repeat) {
  constexpr float a = path_factor(path), b = path_addend(path);
#pragma unroll 1
  for (std::uint32_t trips = repeat / path_unroll; trips != 0; --trips) {
#pragma unroll
    for (int i = 0; i < path_unroll; ++i) x = multiply_add(x, a, b);
  }
#pragma unroll 1
  for (std::uint32_t rest = repeat % path_unroll; rest != 0; --rest) x = multiply_add(x, a, b);
  return x;
}

/// The branch: half of the paths at a time, so that each is one comparison away from a few others.
template <int first = 0, int count = most_paths>
RIDGEPOINT_BOTH inline float branch(int path, float x, std::uint32_t repeat) {
  if constexpr (count == 1) {
    return follow<first>(x, repeat);
  } else {
    constexpr int half = count / 2;
    return path < first + half ? branch<first, half>(path, x, repeat)
                               : branch<first + half, half>(path, x, repeat);
  }
}

RIDGEPOINT_BOTH inline void divergence_thread(const DivergenceArguments& args, Place place) {
  const std::uint64_t i = place.block * place.threads + place.thread;
  if (i >= args.elements) return;
  args.out[i] = branch(static_cast<int>(args.path[i]), args.in[i], args.repeat);
}

#ifdef __CUDACC__
__global__ void __launch_bounds__(block_threads) divergence_kernel(DivergenceArguments args) {
  divergence_thread(args, {blockIdx.x, threadIdx.x, static_cast<std::uint32_t>(block_threads)});
}

const void* divergence_function() { return reinterpret_cast<const void*>(&divergence_kernel); }
#endif

}  // namespace kernels::cuda
