// Counts the FLOP of operators of networks in the machine code of their loops, and of the functions
// of SLEEF that they call, against the table.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen_check.hpp"
#include "kernels/chain_text.hpp"
#include "kernels/cpu/loaded/vector_math.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise_reference.hpp"
#include "kernels/operator_flops.hpp"

namespace codegen {
namespace {

using kernels::cpu_operator_flops;
using kernels::Dtype;
using kernels::Op;
using kernels::cpu::MathFunctions;

/// FLOP of one lane of a register: additions, multiplications, divisions and roots 1, an FMA 2.
int arithmetic_of(const Instruction& instruction) {
  const std::string& name = instruction.mnemonic;
  if (!name.ends_with("ps") && !name.ends_with("pd")) return 0;
  const auto begins = [&](const char* start) { return name.starts_with(start); };
  if (begins("fmadd") || begins("fmsub") || begins("fnmadd") || begins("fnmsub")) return 2;
  const std::string plain = name.substr(0, name.size() - 2);
  const std::set<std::string> of_one{"add", "sub", "mul", "div", "sqrt"};
  return of_one.contains(plain) ? 1 : 0;
}

/// A comparison, which is a FLOP of a loop. In a function it chooses between results.
bool compares(const Instruction& instruction) {
  const std::string& name = instruction.mnemonic;
  const bool of_numbers = name.ends_with("ps") || name.ends_with("pd");
  return of_numbers && (name.starts_with("cmp") || name.starts_with("max"));
}

/// FLOP and calls.
using Counts = std::pair<int, int>;
Counts counts_of(Loop loop) {
  Counts counts;
  for (const Instruction& instruction : loop) {
    counts.first += arithmetic_of(instruction) + (compares(instruction) ? 1 : 0);
    counts.second += instruction.mnemonic == "call" ? 1 : 0;
  }
  return counts;
}

/// Of one of SLEEF's functions, up to its first return: large arguments jump behind it.
double flops_of(void (*function)()) {
  Dl_info info{};
  REQUIRE(dladdr(reinterpret_cast<void*>(function), &info) != 0);
  const auto first =
      reinterpret_cast<std::uint64_t>(function) - reinterpret_cast<std::uint64_t>(info.dli_fbase);
  constexpr std::uint64_t longest = 4096;
  int flops = 0;
  for (const Function& part :
       disassemble(CODEGEN_OBJDUMP, info.dli_fname, Addresses{first, first + longest})) {
    for (const Instruction& instruction : part.body) {
      if (instruction.mnemonic.starts_with("ret")) return flops;
      flops += arithmetic_of(instruction);
    }
  }
  FAIL("a function without an end");
  return 0;
}

using Called = std::vector<void (*MathFunctions::*)()>;
Called called_by(Op op) {
  if (op == Op::cos) return {&MathFunctions::cos};
  if (op == Op::tanh || op == Op::gelu_tanh) return {&MathFunctions::tanh};
  if (op == Op::gelu || op == Op::bias_gelu) return {&MathFunctions::erf};
  if (op == Op::gelu_gradient) return {&MathFunctions::erf, &MathFunctions::exp};
  return kernels::calls_function(op) ? Called{&MathFunctions::exp} : Called{};
}

/// What the functions of an operator execute for one element; registers of 32 bytes and of 64.
double flops_of_functions(Op op, Dtype dtype, int register_bytes) {
  const MathFunctions functions = kernels::cpu::math_functions(dtype, register_bytes);
  double flops = 0;
  for (const auto& one : called_by(op)) flops += flops_of(functions.*one);
  return flops;
}

const char* policy_of(Dtype dtype) { return dtype == Dtype::fp64 ? "Fp64" : "Fp32"; }

/// An operator on rows by the name of its code, with the FLOP of its loops: of those that sum in
/// four registers, and of those that take a register at a time.
struct RowLoops {
  Op op;
  std::string name;
  std::vector<int> of_four, of_one;

  double flops() const {
    double sum = 0;
    for (const int flops : of_four) sum += flops / 4.0;
    for (const int flops : of_one) sum += flops;
    return sum;
  }
};
const std::vector<RowLoops> row_loops{
    {Op::layernorm, "LayerNorm", {4, 12}, {2}},
    {Op::rmsnorm, "RmsNorm", {8}, {1}},
    {Op::softmax, "Softmax", {}, {1, 2, 1}},
    {Op::sum, "RowSum", {4}, {}},
    {Op::transpose, "Transpose", {}, {}},
    {Op::bias, "Bias", {}, {1}},
    {Op::bias_gelu, "BiasGelu", {}, {5}},
    {Op::dropout, "Dropout", {}, {2}},
    {Op::drop, "Drop", {}, {1}},
    {Op::residual, "Residual", {}, {1}},
    {Op::gelu_gradient, "GeluGradient", {}, {9}},
    {Op::softmax_gradient, "SoftmaxGradient", {8}, {2}},
    {Op::layernorm_gradient, "LayerNormGradient", {4, 12, 4, 12}, {5}},
    {Op::scaled_softmax_dropout, "ScaledSoftmaxDropout", {}, {1, 3, 2}},
    {Op::scaled_softmax_dropout_gradient, "ScaledSoftmaxDropoutGradient", {12}, {4}}};

/// FLOP of the loops of an operator on rows, wherever the compiler has put them.
std::vector<int> flops_in_loops(const Object& object, const RowLoops& row, Dtype dtype) {
  const std::string in_template = fmt::format("<{}, {}>", policy_of(dtype), row.name);
  const std::string in_struct = fmt::format("{}::row<{}>", row.name, policy_of(dtype));
  std::vector<int> flops;
  for (const Function& function : listing_of(object.file)) {
    if (function.name.find(in_template) == std::string::npos &&
        !function.name.starts_with(in_struct))
      continue;
    for (const Loop& loop : innermost_loops(function)) {
      const Counts counts = counts_of(loop);
      if (counts.first == 0) continue;
      flops.push_back(counts.first);
      const bool calls = counts.second > 0;
      CHECK((!calls || static_cast<std::size_t>(counts.second) == called_by(row.op).size()));
    }
  }
  std::ranges::sort(flops);
  return flops;
}

/// Instruction sets whose loops hold operators of networks in registers of SLEEF.
std::vector<Object> objects_with_operators() {
  std::vector<Object> objects;
  for (const Object& object : vector_objects()) {
    if (object.file == "avx2.cpp" || object.file == "avx512.cpp") objects.push_back(object);
  }
  return objects;
}

TEST_CASE("a pointwise operator executes the FLOP of the table in its loop and its function") {
  constexpr int registers = 4;
  const bool has_functions = kernels::cpu::why_no_vector_math().empty();
  if (!has_functions) MESSAGE("functions skipped: " << kernels::cpu::why_no_vector_math());
  for (const Object& object : objects_with_operators()) {
    for (const Op op : kernels::Family::pointwise->ops) {
      for (const Dtype dtype : {Dtype::fp32, Dtype::fp64}) {
        CAPTURE(object.file);
        CAPTURE(op->name);
        CAPTURE(name_of(dtype));
        const std::string name =
            fmt::format("unsigned long pointwise_blocks<{}, pointwise::{}, {}, false>(",
                        policy_of(dtype), kernels::identifier_of(op), registers);
        const Function& function = function_of(listing_of(object.file), name);
        std::vector<Loop> loops = innermost_loops(function);
        std::erase_if(loops, [](const Loop& loop) { return counts_of(loop) == Counts{}; });
        REQUIRE(loops.size() == 1);
        const auto [flops, calls] = counts_of(loops.front());
        CHECK(calls == registers * static_cast<int>(called_by(op).size()));
        if (calls > 0 && !has_functions) continue;
        CHECK(static_cast<double>(flops) / registers +
                  flops_of_functions(op, dtype, object.isa.register_bytes) ==
              cpu_operator_flops.pointwise(op, dtype).forward);
      }
    }
  }
}

TEST_CASE("an operator on rows executes the FLOP of the table in its loops and its functions") {
  const bool has_functions = kernels::cpu::why_no_vector_math().empty();
  for (const Object& object : objects_with_operators()) {
    for (const RowLoops& row : row_loops) {
      for (const Dtype dtype : {Dtype::fp32, Dtype::fp64}) {
        CAPTURE(object.file);
        CAPTURE(row.name);
        CAPTURE(name_of(dtype));
        std::vector<int> expected = row.of_four;
        expected.insert(expected.end(), row.of_one.begin(), row.of_one.end());
        std::ranges::sort(expected);
        CHECK(flops_in_loops(object, row, dtype) == expected);
        if (!called_by(row.op).empty() && !has_functions) continue;
        const kernels::Case one{
            .family = kernels::Family::rowwise, .ops = row.op, .dtype = dtype, .elements = 1};
        CHECK(row.flops() + flops_of_functions(row.op, dtype, object.isa.register_bytes) ==
              cpu_operator_flops.rowwise(one));
      }
    }
  }
  CHECK(row_loops.size() + 1 == kernels::Family::rowwise->ops.size());  // and sums of columns
}

TEST_CASE("a sum of columns executes one addition for each register that it reads") {
  for (const Object& object : objects_with_operators()) {
    for (const Dtype dtype : {Dtype::fp32, Dtype::fp64}) {
      CAPTURE(object.file);
      const Function& function =
          function_of(listing_of(object.file), fmt::format("column_sums<{}>(", policy_of(dtype)));
      int loops = 0;
      for (const Loop& loop : innermost_loops(function)) {
        const int flops = counts_of(loop).first;
        if (flops == 0) continue;
        CHECK(flops == count_mnemonics(loop)[dtype == Dtype::fp64 ? "addpd" : "addps"]);
        ++loops;
      }
      CHECK(loops > 0);
      const kernels::Case one{
          .family = kernels::Family::rowwise, .ops = Op::column_sum, .dtype = dtype, .elements = 1};
      CHECK(cpu_operator_flops.rowwise(one) == 1);
    }
  }
}

}  // namespace
}  // namespace codegen
