// NVIDIA's matrix product library, as far as it is used, for the emulated machine.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace fake_cublaslt {

struct State {
  int create = 0;     ///< cublasStatus_t of cublasLtCreate
  int heuristic = 0;  ///< of cublasLtMatmulAlgoGetHeuristic
  int matmul = 0;     ///< of cublasLtMatmul
  int algorithms = 3;
  std::uint64_t workspace_bytes = 4096;
  std::function<double(double)> round_a = [](double a) { return a; };
  std::uint64_t skipped_terms = 0;  ///< of every sum
  bool skips_relu = false;          ///< of a bias and relu
  bool first_bias_for_all = false;
  bool first_product_alone = false;  ///< of a batch
  int open_handles = 0;
  std::vector<int> ranks;  ///< of the algorithms that were run
};
State& state();

/// Puts it on the machine under this name, in the initial state.
void install(const char* name = "libcublasLt.so.13");

}  // namespace fake_cublaslt
