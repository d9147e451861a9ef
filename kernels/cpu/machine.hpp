// What the trials of one CPU device share: its threads, its buffers, and how large its caches are.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "kernels/case.hpp"
#include "kernels/cpu/memory.hpp"
#include "kernels/cpu/pool.hpp"

namespace kernels::cpu {

/// Buffers, kept from trial to trial, so that a sweep does not wait for pages. A trial takes them
/// in this order, because those after the one it asks for go back to the system when memory is
/// short.
enum class Slot : std::uint8_t { first, second, third };

class Machine {
 public:
  Machine(std::filesystem::path root, std::vector<int> processors, double last_level_cache);

  Pool& pool() { return pool_; }
  double last_level_cache() const { return last_level_cache_; }
  double free_bytes() const;
  /// A new seed for every trial.
  std::uint64_t next_seed();

  /// Room for `bytes` in a slot; what it held is undefined. `what` names the buffer for the error.
  /// Throws Unsupported.
  Buffer& reserve(Slot, std::uint64_t bytes, const Case&);

  /// Data beyond the caches that this process reaches.
  bool beyond_caches(double bytes) const;
  /// Data in DRAM at the start of each run, as method.md asks for.
  bool in_dram(double bytes) const;

 private:
  std::filesystem::path root_;
  double last_level_cache_;
  std::uint64_t seed_;
  std::array<Buffer, 3> buffers_;
  Pool pool_;  // last member: its threads use the rest
};

/// Elements per thread are multiples of this: whole blocks of every chain kernel (8 or 12 registers
/// of 2 to 32 elements), whole cache lines of every dtype.
inline constexpr std::uint64_t element_granule = 384;

/// Fills `elements` of a tensor with random_element(dtype, seed, i), each thread its share.
void fill_random(Machine&, Dtype, void* data, std::uint64_t elements, std::uint64_t seed,
                 std::stop_token);

/// Sets all bytes of a tensor of elements of `element_bytes`, each thread its share.
void fill_bytes(Machine&, void* data, std::uint64_t elements, std::uint64_t element_bytes,
                int value, std::stop_token);

}  // namespace kernels::cpu
