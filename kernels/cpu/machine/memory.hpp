// Large buffers: fresh pages from the system, in huge pages where it gives them, and kept between
// trials.
#pragma once

#include <cstddef>

namespace kernels::cpu {

/// Pages of its own, 2 MiB aligned, zero, and not yet placed: the thread that first writes one gets
/// it nearby.
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { release(); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Makes room for `bytes`; keeps the pages it has where they are enough. False when the system
  /// gives none.
  [[nodiscard]] bool reserve(std::size_t bytes);
  void release();
  /// Gives the pages back: they read as zeros, and the thread that first writes one gets it nearby.
  void drop();

  template <class Type = char>
  Type* data() const {
    return static_cast<Type*>(data_);
  }
  std::size_t capacity() const { return capacity_; }
  /// Bytes that the system has given pages for: those once written.
  double touched_bytes() const;
  /// Part of what was written that lies in huge pages, as /proc/self/smaps says of the mappings
  /// that it is in: neighbours can be one mapping.
  double huge_share() const;

 private:
  void* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace kernels::cpu
