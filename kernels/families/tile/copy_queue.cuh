// Tiles of A on their way to a warp while it multiplies others. From compute capability 8.0 on they
// are copied to shared memory without passing through registers; before, those of one stage wait in
// registers.
#pragma once

#include "kernels/cuda/bodies/arguments.hpp"

namespace kernels::cuda {

/// Vectors of a tile of A that a lane loads: `lane` and `lane` + 32.
inline constexpr int lane_vectors = tile_a_vectors / 32;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/// `stages` x `tiles` tiles of a warp. A lane reads back only what it copied itself, so that no
/// other lane has to wait for it.
template <int stages, int tiles>
class CopyQueue {
 public:
  static constexpr int depth = stages;
  struct Storage {
    Vector ring[stages][tiles][tile_a_vectors];
  };

  __device__ CopyQueue(Storage& storage, int lane) : storage_(storage), lane_(lane) {}

  /// Begins to copy tile `t` of a stage.
  __device__ void start(int stage, int t, const Vector* tile) {
#pragma unroll
    for (int i = 0; i < lane_vectors; ++i) {
      const auto to =
          static_cast<std::uint32_t>(__cvta_generic_to_shared(&storage_.ring[stage][t][at(i)]));
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(tile + at(i))
                   : "memory");
    }
  }
  /// Ends a stage, also one without tiles.
  __device__ void close() { asm volatile("cp.async.commit_group;" ::: "memory"); }

  /// Waits for the oldest stage.
  __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(stages - 1) : "memory"); }

  __device__ void take(int stage, int t, Vector (&loaded)[lane_vectors]) const {
#pragma unroll
    for (int i = 0; i < lane_vectors; ++i) loaded[i] = storage_.ring[stage][t][at(i)];
  }

 private:
  __device__ int at(int i) const { return lane_ + 32 * i; }

  Storage& storage_;
  int lane_;
};

#else

template <int stages, int tiles>
class CopyQueue {
 public:
  static constexpr int depth = 1;
  struct Storage {};

  __device__ CopyQueue(Storage&, int lane) : lane_(lane) {}

  __device__ void start(int, int t, const Vector* tile) {
#pragma unroll
    for (int i = 0; i < lane_vectors; ++i) next_[t][i] = tile[lane_ + 32 * i];
  }
  __device__ void close() {}
  __device__ void wait() {}

  __device__ void take(int, int t, Vector (&loaded)[lane_vectors]) const {
#pragma unroll
    for (int i = 0; i < lane_vectors; ++i) loaded[i] = next_[t][i];
  }

 private:
  Vector next_[tiles][lane_vectors] = {};
  int lane_;
};

#endif

}  // namespace kernels::cuda
