// Pages of memory that the system gives and takes back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernels::cpu {

/// As the system gives them to programs; never huge; of 2 MiB, where the system has such.
enum class PageSize : std::uint8_t { usual, small, huge };

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
