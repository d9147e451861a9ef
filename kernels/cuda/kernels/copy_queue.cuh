// Vectors of A on their way to a warp while it multiplies. From compute capability 8.0 on they are
// copied to shared memory without passing through registers; before, one tile waits in registers.
#pragma once

#include "kernels/cuda/bodies/arguments.hpp"

namespace kernels::cuda {

/// Bytes of A that a lane has under way per tile: two vectors.
inline constexpr int lane_vectors = tile_a_vectors / 32;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/// `stages` tiles of a warp. A lane reads back only what it copied itself, so that no other lane has
/// to wait for it.
template <int stages>
class CopyQueue {
 public:
  static constexpr int depth = stages;
  struct Storage {
    Vector ring[stages][tile_a_vectors];
  };

  __device__ CopyQueue(Storage& storage, int lane) : storage_(storage), lane_(lane) {}

  /// Begins to copy a tile to a stage; nothing where `there` is false, but the stage counts.
  __device__ void start(int stage, const Vector* tile, bool there) {
    if (there) {
#pragma unroll
      for (int i = 0; i < lane_vectors; ++i) {
        const auto to =
            static_cast<std::uint32_t>(__cvta_generic_to_shared(&storage_.ring[stage][at(i)]));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(tile + at(i))
                     : "memory");
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  }

  /// Waits for the oldest stage.
  __device__ void take(int stage, Vector (&loaded)[lane_vectors]) {
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 1) : "memory");
#pragma unroll
    for (int i = 0; i < lane_vectors; ++i) loaded[i] = storage_.ring[stage][at(i)];
  }

 private:
  __device__ int at(int i) const { return lane_ + 32 * i; }

  Storage& storage_;
  int lane_;
};

#else

template <int stages>
class CopyQueue {
 public:
  static constexpr int depth = 1;
  struct Storage {};

  __device__ CopyQueue(Storage&, int lane) : lane_(lane) {}

  __device__ void start(int, const Vector* tile, bool there) {
    if (!there) return;
#pragma unroll
    for (int i = 0; i < lane_vectors; ++i) next_[i] = tile[lane_ + 32 * i];
  }

  __device__ void take(int, Vector (&loaded)[lane_vectors]) {
#pragma unroll
    for (int i = 0; i < lane_vectors; ++i) loaded[i] = next_[i];
  }

 private:
  Vector next_[lane_vectors] = {};
  int lane_;
};

#endif

}  // namespace kernels::cuda
