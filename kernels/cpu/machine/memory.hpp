// Memory of the system: large buffers that are kept between trials, and pages that it gives and
// takes back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernels::cpu {

/// Fresh pages of its own, huge ones where the system gives them: 2 MiB aligned, zero, and not yet
/// placed: the thread that first writes one gets it nearby.
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

/// As the system gives them to programs; never huge; of 2 MiB, where the system has such.
enum class PageSize : std::uint8_t { usual, small, huge };

/// Memory whose pages have a size of choice.
class Pages {
 public:
  /// None of them is there before it is written. Throws std::bad_alloc.
  Pages(std::size_t bytes, PageSize);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  /// Those that are not written yet come from that memory node while it has some. Returns false
  /// where the system lets no program choose.
  bool prefer(int node);
  /// Whether the first, the middle and the last one, which must have been written, lie there.
  bool lie_on(int node) const;

  char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_, all_;
  char *mapped_, *data_;
};

}  // namespace kernels::cpu
