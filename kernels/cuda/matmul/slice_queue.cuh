// Slices of A and B on their way to shared memory while a block multiplies others. From compute
// capability 8.0 on they are copied without passing through registers; before, the next one waits in
// registers.
#pragma once

#include "kernels/cuda/matmul/product_layout.hpp"

namespace kernels::cuda {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

class SliceQueue {
 public:
  static constexpr std::uint32_t stages = 3;  ///< 48 KiB, the most of a block that does not ask for more
  struct Storage {
    Slice ring[stages];
  };

  __device__ SliceQueue(Storage& storage, const SliceShare& share) : storage_(storage), share_(share) {}

  __device__ void begin() {
#pragma unroll
    for (std::uint32_t slice = 0; slice < stages - 1; ++slice) start(slice, slice);
  }
  /// The slice to multiply now, when all threads have it. Another one starts in the place of the one
  /// before it, which no thread reads any more.
  __device__ const Slice& next(std::uint32_t slice) {
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2) : "memory");
    __syncthreads();
    start((slice + stages - 1) % stages, slice + stages - 1);
    return storage_.ring[slice % stages];
  }
  __device__ void end(std::uint32_t) {}

 private:
  __device__ void start(std::uint32_t stage, std::uint32_t slice) {
#pragma unroll
    for (int part = 0; part < SliceShare::pieces; ++part) {
      const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(
          &SliceShare::to(storage_.ring[stage], static_cast<int>(threadIdx.x), part)));
      const bool inside = share_.is_inside(part, slice);
      const Vector* const from = inside ? share_.from(part, slice) : share_.anywhere();
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                   "r"(inside ? 16 : 0)  // what is not read is filled with zeros
                   : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  }

  Storage& storage_;
  SliceShare share_;
};

#else

class SliceQueue {
 public:
  static constexpr std::uint32_t stages = 2;
  struct Storage {
    Slice ring[stages];
  };

  __device__ SliceQueue(Storage& storage, const SliceShare& share) : storage_(storage), share_(share) {}

  __device__ void begin() {
    load(0);
    put(0);
  }
  __device__ const Slice& next(std::uint32_t slice) {
    __syncthreads();
    load(slice + 1);
    return storage_.ring[slice % stages];
  }
  __device__ void end(std::uint32_t slice) { put((slice + 1) % stages); }

 private:
  __device__ void load(std::uint32_t slice) {
#pragma unroll
    for (int part = 0; part < SliceShare::pieces; ++part) {
      next_[part] = {};
      if (share_.is_inside(part, slice)) next_[part] = *share_.from(part, slice);
    }
  }
  __device__ void put(std::uint32_t stage) {
#pragma unroll
    for (int part = 0; part < SliceShare::pieces; ++part)
      SliceShare::to(storage_.ring[stage], static_cast<int>(threadIdx.x), part) = next_[part];
  }

  Storage& storage_;
  SliceShare share_;
  Vector next_[SliceShare::pieces];
};

#endif

/// A tile of C: multiply(product, slice, thread) adds the product of a slice.
template <class Product, class Multiply>
__device__ void multiply_tile(const MatmulArguments& args, Multiply multiply) {
  __shared__ SliceQueue::Storage storage;
  const int thread = static_cast<int>(threadIdx.x);
  const ProductTile tile = product_tile_at(args, args.first + blockIdx.x);
  SliceQueue queue(storage, SliceShare(args, tile, thread));
  Product product;
  product.clear();
  queue.begin();
  const std::uint32_t slices = slices_of(args);
#pragma unroll 1
  for (std::uint32_t slice = 0; slice < slices; ++slice) {
    multiply(product, queue.next(slice), thread);
    queue.end(slice);
  }
  product.finish(args, tile, thread);
  product.store(args, tile, thread);
}

}  // namespace kernels::cuda
