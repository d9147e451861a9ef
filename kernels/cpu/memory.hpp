// Large buffers: fresh pages from the system, in huge pages where it gives them, and kept between
// trials.
#pragma once

#include <cstddef>
#include <string>

namespace kernels::cpu {

/// Pages of its own, 2 MiB aligned, zero, and not yet placed: the thread that first writes one gets
/// it nearby.
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { release(); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Makes room for `bytes`; keeps the pages it has where they are enough and not far too many.
  /// `free` is what the system can give, `what` names the buffer. Throws Unsupported with both
  /// sizes when it doesn't fit.
  void reserve(std::size_t bytes, double free, const std::string& what);
  void release();

  template <class Type = char>
  Type* data() const {
    return static_cast<Type*>(data_);
  }
  std::size_t capacity() const { return capacity_; }

 private:
  void* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace kernels::cpu
