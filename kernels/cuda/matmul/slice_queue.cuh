// Slices of A and B on their way to shared memory while a block multiplies others. From compute
// capability 8.0 on they are copied without passing through registers; before, the next one waits
// in registers.
#pragma once

#include "kernels/cuda/matmul/product_layout.hpp"

namespace kernels::cuda {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

template <class Share>
class SliceQueue {
 public:
  static constexpr std::uint32_t stages =
      3;  ///< 48 KiB, the most of a block that does not ask for more
  struct Storage {
    Slice ring[stages];
  };

  __device__ SliceQueue(Storage& storage, const Share& share) : storage_(storage), share_(share) {}

  __device__ void begin() {
#pragma unroll
    for (std::uint32_t slice = 0; slice < stages - 1; ++slice) start(slice, slice);
  }
  /// The slice to multiply now, when all threads have it. Another one starts in the place of the
  /// one before it, which no thread reads any more.
  __device__ const Slice& next(std::uint32_t slice) {
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2) : "memory");
    __syncthreads();
    start((slice + stages - 1) % stages, slice + stages - 1);
    return storage_.ring[slice % stages];
  }
  __device__ void end(std::uint32_t) {}

 private:
  __device__ void start(std::uint32_t stage, std::uint32_t slice) {
    start(share_.a, storage_.ring[stage].a, slice);
    start(share_.b, storage_.ring[stage].b, slice);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  /// What is not read is filled with zeros.
  template <class Lines>
  __device__ void start(const Lines& share, Vector* lines, std::uint32_t slice) {
    constexpr int size = sizeof(typename Lines::Moved);
#pragma unroll
    for (int part = 0; part < Lines::parts; ++part) {
      const auto to = static_cast<std::uint32_t>(
          __cvta_generic_to_shared(Lines::to(lines, static_cast<int>(threadIdx.x), part)));
      const bool inside = share.is_inside(part, slice);
      const void* const from = inside ? share.from(part, slice) : share.anywhere();
      if constexpr (size == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(inside ? size : 0)
                     : "memory");
      } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from),
                     "n"(size), "r"(inside ? size : 0)
                     : "memory");
      }
    }
  }

  Storage& storage_;
  Share share_;
};

#else

template <class Share>
class SliceQueue {
 public:
  static constexpr std::uint32_t stages = 2;
  struct Storage {
    Slice ring[stages];
  };

  __device__ SliceQueue(Storage& storage, const Share& share) : storage_(storage), share_(share) {}

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
  using A = typename Share::A;
  using B = typename Share::B;

  __device__ void load(std::uint32_t slice) {
    load(share_.a, next_a_, slice);
    load(share_.b, next_b_, slice);
  }
  template <class Lines>
  __device__ static void load(const Lines& share, typename Lines::Moved (&next)[Lines::parts],
                              std::uint32_t slice) {
#pragma unroll
    for (int part = 0; part < Lines::parts; ++part) {
      next[part] = {};
      if (share.is_inside(part, slice))
        next[part] = *static_cast<const typename Lines::Moved*>(share.from(part, slice));
    }
  }
  __device__ void put(std::uint32_t stage) {
    put<A>(storage_.ring[stage].a, next_a_);
    put<B>(storage_.ring[stage].b, next_b_);
  }
  template <class Lines>
  __device__ static void put(Vector* lines, const typename Lines::Moved (&next)[Lines::parts]) {
#pragma unroll
    for (int part = 0; part < Lines::parts; ++part)
      *static_cast<typename Lines::Moved*>(Lines::to(lines, static_cast<int>(threadIdx.x), part)) =
          next[part];
  }

  Storage& storage_;
  Share share_;
  typename A::Moved next_a_[A::parts];
  typename B::Moved next_b_[B::parts];
};

#endif

/// A tile of C: multiply(product, slice, thread) adds the product of a slice.
template <class Product, class Share, class Multiply>
__device__ void multiply_tile(const MatmulArguments& args, Multiply multiply) {
  __shared__ typename SliceQueue<Share>::Storage storage;
  const int thread = static_cast<int>(threadIdx.x);
  const ProductTile tile = product_tile_at(args, args.first + blockIdx.x);
  SliceQueue<Share> queue(storage, Share(args, tile, thread));
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
