#include "codegen_objects.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>

namespace codegen {
namespace {

using kernels::Dtype;
using kernels::Op;

std::string path_of(const std::string& file) {
  std::ifstream list(CODEGEN_OBJECT_LIST);  // one path a line, written by CMake
  for (std::string path; std::getline(list, path);) {
    if (path.ends_with("/" + file + ".o")) return path;
  }
  throw std::runtime_error("no object of " + file + " in " CODEGEN_OBJECT_LIST);
}

}  // namespace

std::vector<Object> vector_objects() {
  using namespace kernels::cpu;
  return {{"baseline.cpp", isa_baseline, "%xmm"},     {"avx2.cpp", isa_avx2, "%ymm"},
          {"avxvnni.cpp", isa_avxvnni, "%ymm"},       {"avx512.cpp", isa_avx512, "%zmm"},
          {"avx512fp16.cpp", isa_avx512fp16, "%zmm"}, {"avx512bf16.cpp", isa_avx512bf16, "%zmm"},
          {"avx512vnni.cpp", isa_avx512vnni, "%zmm"}};
}

const Listing& listing_of(const std::string& file) {
  static std::map<std::string, Listing> listings;
  const auto known = listings.find(file);
  if (known != listings.end()) return known->second;
  return listings.emplace(file, disassemble(CODEGEN_OBJDUMP, path_of(file))).first->second;
}

std::vector<std::string> exports_of(const std::string& file) {
  return exported_symbols(CODEGEN_OBJDUMP, path_of(file));
}

std::string mnemonic_of(Op op, Dtype arithmetic, bool fused_multiply_add) {
  if (arithmetic == Dtype::int32) {
    return op == Op::mul ? "pmulld" : op == Op::add ? "paddd" : "";
  }
  if (op == Op::mul_add || (op == Op::fma && !fused_multiply_add)) return "";
  const std::string name = op == Op::mul    ? "mul"
                           : op == Op::add  ? "add"
                           : op == Op::sqrt ? "sqrt"
                                            : "fmadd";
  return name + (arithmetic == Dtype::fp64 ? "pd" : arithmetic == Dtype::fp16 ? "ph" : "ps");
}

std::map<std::string, int> arithmetic_of(Op op, Dtype arithmetic, bool fused_multiply_add,
                                         int count) {
  const std::string single = mnemonic_of(op, arithmetic, fused_multiply_add);
  if (!single.empty()) return {{single, count}};
  return {{mnemonic_of(Op::mul, arithmetic, false), count},
          {mnemonic_of(Op::add, arithmetic, false), count}};
}

}  // namespace codegen
