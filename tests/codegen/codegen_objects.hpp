// The compiled objects whose code is checked, and the tables that say what each must hold.
#pragma once

#include <string>
#include <vector>

#include "codegen.hpp"
#include "kernels/cpu/simd/isa.hpp"

namespace codegen {

struct Object {
  std::string file;  ///< name of its source, "avx2.cpp"
  kernels::cpu::Isa isa;
  std::string registers;  ///< of the instruction set: "%ymm"
};

/// Objects with kernels of vector units.
std::vector<Object> vector_objects();

/// Listing of the object compiled from this source. Throws std::runtime_error when there is none.
const Listing& listing_of(const std::string& file);

/// Mangled names that this object exports.
std::vector<std::string> exports_of(const std::string& file);

/// Mnemonic of an op of one arithmetic dtype, "fmaddps"; empty for an fma that is two instructions.
std::string mnemonic_of(kernels::Op, kernels::Dtype arithmetic, bool fused_multiply_add);

/// The arithmetic of `count` vector ops.
std::map<std::string, int> arithmetic_of(kernels::Op, kernels::Dtype arithmetic,
                                         bool fused_multiply_add, int count);

}  // namespace codegen
