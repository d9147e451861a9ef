// Counts the arithmetic in the machine code of chain and stream kernels against the work formula.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "codegen_check.hpp"
#include "kernels/families/chain/chain_loop.hpp"

namespace codegen {
namespace {

using kernels::Family;
using kernels::cpu::Row;
using kernels::cpu::StreamVariant;

/// Loops of a chain kernel: all ops of a trip, and one op for what is left over.
struct ChainLoops {
  Loop trip;
  Loop rest;
};

ChainLoops chain_loops(const Function& function, const Demand& demand) {
  std::vector<Loop> loops;
  for (const Loop loop : innermost_loops(function)) {
    const auto counts = count_mnemonics(loop);
    // A loop over blocks for no op at all contains no other loop, but the stores of results.
    const bool stores = std::ranges::any_of(
        loop, [](const Instruction& one) { return one.mnemonic.starts_with("movnt"); });
    if (!stores && counts.contains(demand.arithmetic.begin()->first)) loops.push_back(loop);
  }
  std::ranges::sort(loops, {}, &Loop::size);
  REQUIRE(loops.size() >= 2);
  return {loops.back(), loops[loops.size() - 2]};
}

Demand times(Demand demand, int factor) {
  for (auto& [mnemonic, count] : demand.arithmetic) count *= factor;
  return demand;
}

/// The row of a chain kernel, by the op in its name and the dtype of its instructions.
const Row& row_of(const Object& object, const Function& function) {
  for (std::size_t i = 0; i < object.isa.count; ++i) {
    const Row& row = object.isa.rows[i];
    if (row.family != Family::chain) continue;
    if (function.name.find(", " + op_argument(row.op)) == std::string::npos) continue;
    const auto one = arithmetic_of(row.op, row.arithmetic, object.isa.fused_multiply_add, 1);
    if (!hot_loop(function, demand_of(object, one, 0)).empty()) return row;
  }
  throw std::logic_error("no row for " + function.name);
}

/// Calls body(object, function, row) for the functions of chains whose name starts so.
template <class Body>
void for_each_chain(const std::string& start, Body body) {
  for (const Object& object : vector_objects()) {
    for (const Function& function : listing_of(object.file)) {
      if (!function.name.starts_with(start)) continue;
      CAPTURE(object.file);
      CAPTURE(function.name);
      body(object, function, row_of(object, function));
    }
  }
}

/// Both loops hold `accumulators` times the op, in registers, and nothing else.
ChainLoops check_loops(const Object& object, const Function& function, const Row& row,
                       int accumulators) {
  const auto op = arithmetic_of(row.op, row.arithmetic, object.isa.fused_multiply_add, 1);
  const Demand one = demand_of(object, op, 0);
  const ChainLoops loops = chain_loops(function, one);
  const Demand rest = times(one, accumulators);
  const Demand trip = times(one, accumulators * kernels::cpu::ops_per_trip);
  check_no_problems(problems_in(loops.rest, rest));
  check_no_problems(problems_in(loops.trip, trip));
  return loops;
}

TEST_CASE("the chain loops hold every op of every accumulator, in registers, and nothing else") {
  for (const int accumulators : {12, 8, 4, 1}) {
    for (const bool streaming : {true, false}) {
      const std::string end = fmt::format(", {}, {}>", accumulators, streaming);
      int functions = 0;
      for_each_chain("chain_blocks<",
                     [&](const Object& object, const Function& function, const Row& row) {
                       if (function.name.find(end) == std::string::npos) return;
                       ++functions;
                       check_loops(object, function, row, accumulators);
                       CHECK(count_starting(function, "movnt") == (streaming ? accumulators : 0));
                     });
      CHECK(functions > 0);
    }
  }
}

TEST_CASE(
    "every chain has a kernel for whole registers of every number, and one for a part of one") {
  for (const Object& object : vector_objects()) {
    const auto count = [&](const char* start) {
      return std::ranges::count_if(listing_of(object.file), [&](const Function& function) {
        return function.name.starts_with(start);
      });
    };
    const auto is_chain = [](const Row& row) { return row.family == Family::chain; };
    const auto rows = std::count_if(object.isa.rows, object.isa.rows + object.isa.count, is_chain);
    CAPTURE(object.file);
    CHECK(count("chain_blocks<") == 2 * 3 * rows);
    CHECK(count("chain_part<") == rows);
  }
}

TEST_CASE("a part of a register takes one register, and AVX-512 leaves out its other lanes") {
  for_each_chain(
      "chain_part<", [&](const Object& object, const Function& function, const Row& row) {
        const ChainLoops loops = check_loops(object, function, row, 1);
        if (object.registers != "%zmm") return;
        const auto op = arithmetic_of(row.op, row.arithmetic, object.isa.fused_multiply_add, 1);
        for (const Loop loop : {loops.trip, loops.rest}) {
          for (const Instruction& one : loop) {
            if (!op.contains(one.mnemonic)) continue;
            CAPTURE(one.operands);
            CHECK(one.operands.find("{%k") != std::string::npos);
          }
        }
      });
}

/// Its name in a listing, which leaves out what is zero at the end.
std::string stream_name(const Row& row, const StreamVariant& variant) {
  std::string name = "stream_" + std::string(name_of(row.op)) +
                     (row.op == kernels::Op::read ? "<Int32" : "<Fp32") + ", StreamShape{" +
                     std::to_string(variant.registers) + ", " + std::to_string(variant.pages);
  if (variant.non_temporal || variant.prefetch) name += variant.non_temporal ? ", true" : ", false";
  if (variant.prefetch) name += ", true";
  return name + "}>";
}

/// What a trip of a stream does to memory.
struct Traffic {
  int loads = 0, stores = 0, non_temporal = 0, prefetches = 0;

  bool operator==(const Traffic&) const = default;
};

Traffic traffic_of(Loop loop, const std::string& registers) {
  Traffic traffic;
  for (const Instruction& one : loop) {
    const bool wide = one.operands.find(registers) != std::string::npos;
    if (one.mnemonic.starts_with("prefetch")) ++traffic.prefetches;
    if (!wide || !one.touches_memory()) continue;
    ++(one.writes_memory() ? traffic.stores : traffic.loads);
    if (one.mnemonic.starts_with("movnt")) ++traffic.non_temporal;
  }
  return traffic;
}

Traffic expected_traffic(const Row& row, const StreamVariant& variant, int register_bytes) {
  using kernels::Op;
  const int count = variant.registers;
  const int tensors = row.op == Op::triad ? 2 : row.op == Op::write ? 0 : 1;
  const int lines = std::max(1, 64 / register_bytes);
  const int stores = row.op == Op::read ? 0 : count;
  return {.loads = tensors * count,
          .stores = stores,
          .non_temporal = variant.non_temporal ? stores : 0,
          .prefetches = variant.prefetch ? tensors * count / lines : 0};
}

TEST_CASE("a trip of a stream loads, stores and prefetches what its shape says, and no more") {
  for (const Object& object : vector_objects()) {
    const int register_bytes = object.registers == "%zmm"   ? 64
                               : object.registers == "%ymm" ? 32
                                                            : 16;
    for (std::size_t i = 0; i < object.isa.count; ++i) {
      const Row& row = object.isa.rows[i];
      for (const StreamVariant& variant : row.streams) {
        const std::string name = stream_name(row, variant);
        CAPTURE(object.file);
        CAPTURE(name);
        const Function& function = function_of(listing_of(object.file), name);
        const Traffic expected = expected_traffic(row, variant, register_bytes);
        const auto loops = innermost_loops(function);
        CHECK(std::ranges::count_if(loops, [&](Loop loop) {
                return traffic_of(loop, object.registers) == expected;
              }) == 1);
      }
    }
  }
}

}  // namespace
}  // namespace codegen
