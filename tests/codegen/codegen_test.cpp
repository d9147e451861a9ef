// Counts the arithmetic in the machine code of every CPU kernel against the work formula.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "codegen_check.hpp"
#include "kernels/cpu/simd/amx_loop.hpp"
#include "kernels/families/peak/peak_start.hpp"
#include "kernels/families/tile/tile.hpp"
#include "kernels/families/tile/tile_loop.hpp"

namespace codegen {
namespace {

using kernels::Dtype;
using kernels::Family;
using kernels::Op;
using kernels::cpu::Row;
using kernels::cpu::Summing;

int register_bytes(const Object& object) {
  return object.registers == "%zmm" ? 64 : object.registers == "%ymm" ? 32 : 16;
}

/// The Simd policy that a row is built from.
std::string policy_of(const Row& row) {
  if (row.summing == Summing::dots) return row.dtype == Dtype::int8 ? "Int8Dots" : "Bf16Dots";
  if (row.dtype == Dtype::int8) return "Int16Pairs";
  switch (row.arithmetic) {
    case Dtype::fp64:
      return "Fp64";
    case Dtype::fp16:
      return "Fp16";
    case Dtype::int32:
      return "Int32";
    default:
      return "Fp32";
  }
}

/// Elements that one 32-bit result takes in an op.
int elements_per_result(const Row& row) {
  if (row.summing == Summing::dots) return 4 / static_cast<int>(size_of(row.dtype));
  return row.summing == Summing::pairs ? 2 : 1;
}

/// A multiplication of pairs of int16 is one instruction for two products; a dot product is one for
/// its products and their sum.
void use_dots(const Row& row, std::map<std::string, int>& arithmetic) {
  if (row.summing == Summing::no) return;
  if (row.summing == Summing::dots) {
    const int count = arithmetic.begin()->second;
    arithmetic = {{row.dtype == Dtype::int8 ? "pdpbusd" : "dpbf16ps", count}};
    return;
  }
  auto product = arithmetic.extract("pmulld");
  product.key() = "pmaddwd";
  arithmetic.insert(std::move(product));
}

/// One shape of a peak kernel against what it counts.
void check_peak(const Object& object, const Row& row, const kernels::cpu::PeakFunction& peak) {
  CAPTURE(object.file);
  CAPTURE(name_of(row.dtype));
  CAPTURE(name_of(row.op));
  CAPTURE(peak.accumulators);
  const int elements = elements_per_result(row);
  const int per_register =
      elements * register_bytes(object) / static_cast<int>(size_of(row.arithmetic));
  CHECK(static_cast<int>(peak.chains) == peak.accumulators * per_register);
  auto arithmetic =
      arithmetic_of(row.op == Op::mma ? Op::fma : row.op, row.arithmetic,
                    object.isa.fused_multiply_add, peak.accumulators * kernels::cpu::ops_per_trip);
  use_dots(row, arithmetic);
  const Demand demand = demand_of(object, arithmetic, 0);
  const std::string name = "peak_loop<" + policy_of(row) + ", " +
                           op_argument(row.op == Op::mma ? Op::fma : row.op) + ", " +
                           std::to_string(peak.accumulators) + ">";
  const Function& function = function_of(listing_of(object.file), name);
  check_no_problems(problems_in(hot_loop(function, demand), demand));
}

TEST_CASE("the peak loops hold all ops of every accumulator, in registers, and nothing else") {
  for (const Object& object : vector_objects()) {
    for (std::size_t i = 0; i < object.isa.count; ++i) {
      const Row& row = object.isa.rows[i];
      if (row.family != Family::peak) continue;
      CHECK(row.peaks.count > 0);
      for (const auto& peak : row.peaks) check_peak(object, row, peak);
    }
  }
}

/// "tile_block<Fp32, 8, 16>(...)" in its parts.
struct Block {
  std::string policy;
  int rows = 0;
  int depth = 0;
};

Block block_of(const std::string& name) {
  Block block;
  const auto comma = name.find(", ");
  const std::string prefix = "tile_block<";
  block.policy = name.substr(prefix.size(), comma - prefix.size());
  const char* end = name.data() + name.size();
  const auto rows = std::from_chars(name.data() + comma + 2, end, block.rows);
  std::from_chars(rows.ptr + 2, end, block.depth);
  return block;
}

const Row* tile_row_of(const Object& object, const Block& block) {
  for (std::size_t i = 0; i < object.isa.count; ++i) {
    const Row& row = object.isa.rows[i];
    const int depth = static_cast<int>(tile_depth(row.dtype)) / elements_per_result(row);
    if (row.family == Family::tile && policy_of(row) == block.policy && depth == block.depth) {
      return &row;
    }
  }
  return nullptr;
}

TEST_CASE("the tile loops hold two fmas per row and k step and load each operand once") {
  using kernels::cpu::block_vectors, kernels::cpu::tile_unroll;
  for (const Object& object : vector_objects()) {
    std::set<std::pair<std::string, int>> seen;
    for (const Function& function : listing_of(object.file)) {
      if (!function.name.starts_with("tile_block<")) continue;
      CAPTURE(object.file);
      CAPTURE(function.name);
      const Block block = block_of(function.name);
      const Row* row = tile_row_of(object, block);
      REQUIRE(row != nullptr);
      seen.insert({block.policy, block.depth});
      auto arithmetic = arithmetic_of(Op::fma, row->arithmetic, object.isa.fused_multiply_add,
                                      block_vectors * block.rows * tile_unroll);
      use_dots(*row, arithmetic);
      Demand demand = demand_of(object, arithmetic, tile_unroll * (block.rows + block_vectors));
      if (object.file == "baseline.cpp")
        demand.helpers = {"shufps", "unpcklpd", "pshufd"};  // broadcasts
      check_no_problems(problems_in(hot_loop(function, demand), demand));
      CHECK(count_starting(function, "movnt") == block_vectors * block.rows);
    }
    for (std::size_t i = 0; i < object.isa.count; ++i) {
      const Row& row = object.isa.rows[i];
      const int depth = static_cast<int>(tile_depth(row.dtype)) / elements_per_result(row);
      if (row.family == Family::tile) CHECK(seen.contains({policy_of(row), depth}));
    }
  }
}

int comparisons_of_vectors(const Function& function) {
  return static_cast<int>(std::ranges::count_if(function.body, [](const Instruction& one) {
    const bool compares = one.mnemonic.starts_with("cmp") || one.mnemonic.starts_with("max");
    return compares && (one.mnemonic.ends_with("ps") || one.mnemonic.ends_with("pd"));
  }));
}

TEST_CASE(
    "the loops of matrix products hold two fmas per row and k step, each operand loaded once") {
  using kernels::cpu::block_vectors, kernels::cpu::tile_unroll;
  int kernels_seen = 0;
  for (const Object& object : vector_objects()) {
    for (std::size_t i = 0; i < object.isa.count; ++i) {
      const Row& row = object.isa.rows[i];
      if (row.family != Family::matmul) continue;
      CAPTURE(object.file);
      CAPTURE(name_of(row.dtype));
      const int rows = row.matmul.block_rows;
      const Function& function =
          function_of(listing_of(object.file), "matmul_block<" + policy_of(row) + ">");
      auto arithmetic = arithmetic_of(Op::fma, row.arithmetic, object.isa.fused_multiply_add,
                                      block_vectors * rows * tile_unroll);
      use_dots(row, arithmetic);
      // A trip also asks for as many lines of A as it uses.
      const int group_bytes = row.arithmetic == Dtype::fp64 ? 8 : 4;
      const int lines = (rows * tile_unroll * group_bytes + 63) / 64;
      Demand demand = demand_of(object, arithmetic, tile_unroll * (rows + block_vectors) + lines);
      demand.helpers = {"prefetcht0"};
      if (object.file == "baseline.cpp")
        demand.helpers = {"prefetcht0", "shufps", "unpcklpd", "pshufd"};  // broadcasts
      check_no_problems(problems_in(hot_loop(function, demand), demand));
      // Relu of an epilogue: a comparison for each sum.
      const bool floating = row.arithmetic != Dtype::int32;
      CHECK(comparisons_of_vectors(function) == (floating ? block_vectors * rows : 0));
      ++kernels_seen;
    }
  }
  CHECK(kernels_seen >= 17);  // five of three sets, two dot products
}

TEST_CASE("the AMX loops hold one multiplication per accumulator and touch no memory") {
  const Listing& listing = listing_of("amx.cpp");
  for (const auto& [number, mnemonic] :
       {std::pair{"AmxBf16", "dpbf16ps"}, std::pair{"AmxInt8", "dpbssd"}}) {
    for (const bool pair : {false, true}) {
      const std::string name =
          std::string("amx_multiply<AmxUnit, ") + number + ", " + (pair ? "true>" : "false>");
      CAPTURE(name);
      const int sums = pair ? kernels::cpu::amx_accumulators : kernels::cpu::amx_accumulators / 2;
      const Demand demand{.arithmetic = {{std::string("t") + mnemonic, sums}}, .registers = "%tmm"};
      const Function& function = function_of(listing, name);
      check_no_problems(problems_in(hot_loop(function, demand), demand));
    }
    for (const char* kind : {"amx_slice<AmxUnit, ", "amx_peak<AmxUnit, "}) {
      const Function& function = function_of(listing, std::string(kind) + number);
      CAPTURE(function.name);
      CHECK(count_starting(function, "ldtilecfg") >= 1);
      CHECK(count_starting(function, "tilerelease") >= 1);
    }
    CHECK(count_starting(function_of(listing, std::string("amx_slice<AmxUnit, ") + number),
                         "movnt") > 0);
  }
}

TEST_CASE("objects for one instruction set offer the linker their table and nothing else") {
  // Anything more (an inline function, a template of the library) might replace the copy that older
  // processors run.
  for (const char* name :
       {"avx2", "avxvnni", "avx512", "avx512fp16", "avx512bf16", "avx512vnni", "amx"}) {
    CAPTURE(name);
    const auto symbols = exports_of(std::string(name) + ".cpp");
    REQUIRE(symbols.size() == 1);
    // Data, whose mangled name has no arguments: a function would run before the processor was
    // asked.
    CHECK(symbols[0] ==
          fmt::format("_ZN7kernels3cpu{}isa_{}E", 4 + std::string(name).size(), name));
  }
}

TEST_CASE("a kernel whose ops the compiler merged is noticed") {
  for (const Op op : {Op::mul, Op::add}) {
    const Object object{"codegen_folded.cpp", {}, "%xmm"};
    const Function& function =
        function_of(listing_of(object.file), "peak_loop<Foldable, " + op_argument(op) + ", 12>");
    auto arithmetic = arithmetic_of(op, Dtype::int32, false, 12 * kernels::cpu::ops_per_trip);
    if (op == Op::mul) arithmetic = {{"pmuludq", 2 * 12 * kernels::cpu::ops_per_trip}};
    const Demand demand{.arithmetic = arithmetic,
                        .helpers = {"psrlq", "pshufd", "punpckldq"},
                        .registers = object.registers};
    CHECK_FALSE(problems_in(hot_loop(function, demand), demand).empty());
  }
}

}  // namespace
}  // namespace codegen
