// A product of oneDNN with a bias and relu behind it, which its products by one call do not have: a
// primitive, made for one size.
#pragma once

#include <array>
#include <string>

#include "kernels/cpu/loaded/onednn_calls.hpp"
#include "kernels/families/matmul/matmul.hpp"

namespace kernels::cpu {

/// C = max(A B + bias, 0) in fp32. Products are placed as OneDnn::place_threads() has it.
class OneDnnRelu {
 public:
  /// Empty where oneDNN has such products, else why not, in one sentence.
  static std::string why_not();

  /// Throws Unsupported with the reason.
  explicit OneDnnRelu(const MatmulSize&);

  /// One product of that size; a bias of n numbers. False where the library refuses.
  [[nodiscard]] bool run(const void* a, const void* b, const void* biases, void* c) const;

 private:
  onednn::Owned primitive_;
  std::array<onednn::Owned, 4> tensors_;  ///< A, B, the bias and C
};

}  // namespace kernels::cpu
