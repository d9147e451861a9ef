// oneDNN, a library that is found at run time, and its matrix products. Its threads run on the
// cores that the pool has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/case.hpp"
#include "kernels/cpu/loaded/onednn_calls.hpp"
#include "kernels/families/matmul/matmul.hpp"

namespace kernels::cpu {

class OneDnn {
 public:
  /// Loads the first of libdnnl.so.3 and libdnnl.so.2 that there is; once, it is never unloaded,
  /// because its threads live as long as the program. Never throws.
  static const OneDnn& instance();

  /// "oneDNN 2.6.3"; empty without one.
  const std::string& name() const { return name_; }
  /// The path of the file that was loaded.
  const std::string& file() const { return file_; }
  /// What primitives are made by.
  const onednn::Interface& primitives() const;
  /// Why it does not multiply this dtype on these units, in one sentence; empty: it does.
  std::string why_not(Dtype, Units) const;

  /// Puts its threads onto these processors, one each; the calling thread is on the first of them
  /// (Pool::PinnedCaller). Before products that this thread asks for.
  void place_threads(const std::vector<int>& processors) const;

  /// One product of that size; fp32, or int8 with sums in int32. False where the library refuses.
  [[nodiscard]] bool multiply(Dtype, const MatmulSize&, const void* a, const void* b,
                              void* c) const;

 private:
  OneDnn();

  using Size = std::int64_t;  // dnnl_dim_t
  using Sgemm = int (*)(char, char, Size, Size, Size, float, const float*, Size, const float*, Size,
                        float, float*, Size);
  using Igemm = int (*)(char, char, char, Size, Size, Size, float, const std::int8_t*, Size,
                        std::int8_t, const std::int8_t*, Size, std::int8_t, float, std::int32_t*,
                        Size, const std::int32_t*);
  using Parallel = void (*)(void (*)(void*), void*, unsigned, unsigned);
  using SetThreads = void (*)(int);
  using ThreadNumber = int (*)();

  std::string name_, file_, why_not_;
  void* library_ = nullptr;
  Sgemm sgemm_ = nullptr;
  Igemm igemm_ = nullptr;
  Parallel parallel_ = nullptr;
  SetThreads set_threads_ = nullptr;
  ThreadNumber thread_number_ = nullptr;
};

}  // namespace kernels::cpu
