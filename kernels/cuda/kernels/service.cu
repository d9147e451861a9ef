// The kernels around the measured ones: input, checks, the empty kernel and the one that holds a
// stream.
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/bodies/sparse.hpp"
#include "kernels/cuda/runtime/helpers.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/random.hpp"

namespace kernels::cuda {
namespace {

__device__ std::uint64_t thread_index() {
  return static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::uint64_t thread_count() {
  return static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
}

__global__ void empty_kernel() {}

__global__ void hold_kernel(HoldArguments args) {
  volatile HoldFlags* const flags = args.flags;
  const long long start = clock64();
  while (flags->release == 0) {
    if (static_cast<std::uint64_t>(clock64() - start) > args.cycles) {
      flags->expired = 1;
      return;
    }
  }
}

__device__ std::uint64_t timer_nanoseconds() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void probe_kernel(ProbeArguments args) {
  const long long in = clock64();
  const auto patient = [&] {
    return static_cast<std::uint64_t>(clock64() - in) < args.most_cycles;
  };
  const std::uint64_t before = timer_nanoseconds();
  std::uint64_t start = before;
  while (start == before && patient()) start = timer_nanoseconds();
  const long long start_cycles = clock64();
  std::uint64_t end = start;
  while (end - start < args.nanoseconds && patient()) end = timer_nanoseconds();
  args.samples[blockIdx.x] = {static_cast<std::uint64_t>(clock64() - start_cycles), end - start};
}

__device__ void store_bits(void* out, std::size_t bytes, std::uint64_t i, std::uint64_t bits) {
  if (bytes == 1) static_cast<std::uint8_t*>(out)[i] = static_cast<std::uint8_t>(bits);
  if (bytes == 2) static_cast<std::uint16_t*>(out)[i] = static_cast<std::uint16_t>(bits);
  if (bytes == 4) static_cast<std::uint32_t*>(out)[i] = static_cast<std::uint32_t>(bits);
  if (bytes == 8) static_cast<std::uint64_t*>(out)[i] = bits;
}

__global__ void fill_kernel(FillArguments args) {
  const std::size_t bytes = size_of(args.dtype);
  for (std::uint64_t i = thread_index(); i < args.elements; i += thread_count()) {
    store_bits(args.out, bytes, i, random_bits(args.dtype, args.seed, i));
  }
}

__global__ void sparse_kernel(SparseArguments args) {
  const std::size_t bytes = size_of(args.dtype);
  for (std::uint64_t i = thread_index(); i < args.elements; i += thread_count()) {
    store_bits(args.out, bytes, i,
               sparse_bits(args.dtype, args.seed, i, args.magnitude_bits, args.density));
  }
}

template <class Bits>
__device__ void find(const FindArguments& args) {
  const auto poison = static_cast<Bits>(0x0101010101010101ULL * args.poison);
  const auto* const data = static_cast<const Bits*>(args.data);
  for (std::uint64_t i = thread_index(); i < args.elements; i += thread_count()) {
    if (data[i] != poison) continue;
    const unsigned long long place = atomicAdd(&args.found->count, 1ULL);
    if (place < Suspects::most_listed) args.found->index[place] = i;
  }
}

__global__ void find_poison_kernel(FindArguments args) {
  if (args.element_bytes == 2) find<std::uint16_t>(args);
  if (args.element_bytes == 4) find<std::uint32_t>(args);
  if (args.element_bytes == 8) find<std::uint64_t>(args);
}

__global__ void sum_random_kernel(SumArguments args) {
  std::uint32_t sum = 0;
  for (std::uint64_t i = thread_index(); i < args.elements; i += thread_count()) {
    sum += static_cast<std::uint32_t>(random_bits(Dtype::fp32, args.seed, i));
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffU, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(args.sum, sum);
}

__global__ void architecture_kernel(int* architecture) {
#if defined(__CUDA_ARCH__)
  *architecture = __CUDA_ARCH__;
#endif
}

}  // namespace

ServiceKernels service_kernels() {
  return {reinterpret_cast<const void*>(&empty_kernel),
          reinterpret_cast<const void*>(&hold_kernel),
          reinterpret_cast<const void*>(&fill_kernel),
          reinterpret_cast<const void*>(&find_poison_kernel),
          reinterpret_cast<const void*>(&sum_random_kernel),
          reinterpret_cast<const void*>(&architecture_kernel)};
}

HelperKernels helper_kernels() {
  return {reinterpret_cast<const void*>(&probe_kernel),
          reinterpret_cast<const void*>(&sparse_kernel)};
}

}  // namespace kernels::cuda
