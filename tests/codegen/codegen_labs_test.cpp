// Counts the arithmetic in the machine code of convolutions and of kernels with a branch against
// the work formula.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "codegen_check.hpp"
#include "kernels/families/conv/conv.hpp"
#include "kernels/families/divergence/divergence.hpp"

namespace codegen {
namespace {

using kernels::Dtype;
using kernels::Family;
using kernels::Op;
using kernels::cpu::ConvVariant;
using kernels::cpu::Row;

std::map<std::string, int> fmas(const Object& object, int count) {
  return arithmetic_of(Op::fma, Dtype::fp32, object.isa.fused_multiply_add, count);
}

/// Only what is wrong with the arithmetic: the compiler puts some operands, or a counter, on the
/// stack.
void check_arithmetic(const Function& function, const Demand& demand) {
  for (const std::string& problem : problems_in(hot_loop(function, demand), demand)) {
    const bool of_memory =
        problem.starts_with("a store: ") || problem.find(" loads instead of ") != std::string::npos;
    if (!of_memory) FAIL_CHECK(problem);
  }
}

/// Of the hottest loop.
int fmas_in_loop(const Object& object, const Function& function) {
  const Demand one = demand_of(object, fmas(object, 1), 0);
  const auto counts = count_mnemonics(hot_loop(function, one));
  const auto found = counts.find(one.arithmetic.begin()->first);
  return found == counts.end() ? 0 : found->second;
}

/// FLOP that work_of counts for one channel of a register block: so many pixels of so many filters.
double block_flops(const ConvVariant& variant) {
  const kernels::ConvSize one{1, 1, 1, 1};
  return work_of(kernels::conv_case(one, kernels::Data::random)).flops * variant.pixels *
         variant.filters;
}

/// Of a direct convolution; "pixels 8x2" is DirectConv<Fp32, (ConvLanes)0, 8, 2>.
std::string function_name(const ConvVariant& variant) {
  const std::string name = variant.name;
  return fmt::format("DirectConv<Fp32, (ConvLanes){}, {}, {}>::compute(",
                     name.starts_with("pixels") ? 0 : 1, variant.broadcasts, variant.vectors);
}

TEST_CASE("a channel of a convolution is nine fmas for each sum of a register block") {
  int seen = 0;
  for (const Object& object : vector_objects()) {
    const int lanes = object.isa.register_bytes / static_cast<int>(sizeof(float));
    for (std::size_t i = 0; i < object.isa.count; ++i) {
      const Row& row = object.isa.rows[i];
      if (row.family != Family::conv) continue;
      for (const ConvVariant& variant : row.as<kernels::cpu::ConvKernels>()) {
        if (variant.pixels == 0) continue;  // im2col multiplies as matrix products do
        CAPTURE(object.file);
        CAPTURE(std::string(variant.name));
        const int count = static_cast<int>(block_flops(variant)) / 2 / lanes;
        const Function& function = function_of(listing_of(object.file), function_name(variant));
        // The compiler keeps the loop over the three rows of a filter, or unrolls it.
        const bool by_rows = fmas_in_loop(object, function) < count;
        Demand demand = demand_of(object, fmas(object, by_rows ? count / 3 : count), 0);
        if (object.file == "baseline.cpp") demand.helpers = {"shufps"};  // broadcasts
        check_arithmetic(function, demand);
        ++seen;
      }
    }
  }
  CHECK(seen >= 3 * 9);
}

TEST_CASE("a loop of masked paths is an fma for each register of elements, and nothing else") {
  constexpr int registers = 8;
  int seen = 0;
  for (const Object& object : vector_objects()) {
    for (std::size_t i = 0; i < object.isa.count; ++i) {
      const Row& row = object.isa.rows[i];
      if (row.family != Family::divergence || row.op != Op::masked) continue;
      CAPTURE(object.file);
      const Function& function = function_of(listing_of(object.file), "masked_slice<Fp32>");
      check_arithmetic(function, demand_of(object, fmas(object, registers), 0));
      ++seen;
    }
  }
  CHECK(seen >= 3);
}

TEST_CASE("each path of a branch is a loop of its own with eight fmas of one element") {
  constexpr int unrolled = 8;
  int seen = 0;
  for (const Object& object : vector_objects()) {
    for (std::size_t i = 0; i < object.isa.count; ++i) {
      const Row& row = object.isa.rows[i];
      if (row.family != Family::divergence || row.op != Op::branches) continue;
      for (int path = 0; path < kernels::most_paths; ++path) {
        CAPTURE(object.file);
        CAPTURE(path);
        const Function& function =
            function_of(listing_of(object.file), fmt::format("follow<{}>", path));
        Demand demand;
        for (const auto& [mnemonic, times] : fmas(object, unrolled)) {
          const std::string packed = mnemonic;
          demand.arithmetic[packed.substr(0, packed.size() - 2) + "ss"] = times;
        }
        demand.registers = "%xmm";
        check_no_problems(problems_in(hot_loop(function, demand), demand));
        ++seen;
      }
    }
  }
  CHECK(seen >= 3 * kernels::most_paths);
}

}  // namespace
}  // namespace codegen
