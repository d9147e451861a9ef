// Pages of memory that the system gives and takes back.
#pragma once

#include <cstddef>

namespace kernels::cpu {

class Pages {
 public:
  /// None of them is there before it is written. `huge`: of 2 MiB, where the system has such.
  /// Throws std::bad_alloc.
  Pages(std::size_t bytes, bool huge);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_, all_;
  char *mapped_, *data_;
};

}  // namespace kernels::cpu
