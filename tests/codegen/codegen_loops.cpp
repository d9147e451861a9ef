#include <fmt/format.h>

#include <algorithm>

#include "codegen.hpp"

namespace codegen {
namespace {

bool is_one_of(std::string_view mnemonic, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts, [&](auto start) { return mnemonic.starts_with(start); });
}

bool is_padding(const Instruction& instruction) {
  return is_one_of(instruction.mnemonic, {"nop", "data16", "cs", "xchg"});
}

bool uses_vector_registers(const Instruction& instruction) {
  return std::ranges::any_of(
      std::initializer_list<const char*>{"%xmm", "%ymm", "%zmm", "%tmm"},
      [&](const char* name) { return instruction.operands.find(name) != std::string::npos; });
}

bool is_loop_control(const Instruction& instruction) {
  return instruction.target.has_value() ||
         (!uses_vector_registers(instruction) &&
          is_one_of(instruction.mnemonic,
                    {"add", "sub", "inc", "dec", "cmp", "test", "lea", "mov"}));
}

bool is_move(const Instruction& instruction) {
  return is_one_of(instruction.mnemonic, {"mov", "broadcast", "pbroadcast"});
}

/// Index of the first and one past the last instruction of each backward jump's range.
struct Range {
  std::size_t first;
  std::size_t end;
  bool holds(const Range& other) const {
    return first <= other.first && other.end <= end && (first != other.first || end != other.end);
  }
};

std::vector<Range> backward_jumps(const Function& function) {
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    const auto target = function.body[i].target;
    if (!target || *target > function.body[i].address) continue;
    const auto first = std::ranges::find(function.body, *target, &Instruction::address);
    if (first == function.body.end()) continue;  // a tail call
    ranges.push_back({static_cast<std::size_t>(first - function.body.begin()), i + 1});
  }
  return ranges;
}

int arithmetic_in(Loop loop, const Demand& demand) {
  return static_cast<int>(std::ranges::count_if(loop, [&](const Instruction& instruction) {
    return demand.arithmetic.contains(instruction.mnemonic);
  }));
}

}  // namespace

// A memory operand ends in ")" of its base and index registers, and may be followed by other
// operands.
bool Instruction::touches_memory() const {
  return operands.find('(') != std::string::npos && mnemonic != "lea";
}

bool Instruction::writes_memory() const {
  const bool memory_is_last = operands.ends_with(')');
  const bool only_reads = is_one_of(mnemonic, {"cmp", "test", "prefetch"});
  return touches_memory() && memory_is_last && !only_reads;
}

std::vector<Loop> innermost_loops(const Function& function) {
  std::vector<Loop> loops;
  const std::vector<Range> ranges = backward_jumps(function);
  for (const Range& range : ranges) {
    const auto holds_another = [&](const Range& other) { return range.holds(other); };
    if (std::ranges::any_of(ranges, holds_another)) continue;
    loops.push_back(Loop(function.body).subspan(range.first, range.end - range.first));
  }
  return loops;
}

std::map<std::string, int> count_mnemonics(Loop loop) {
  std::map<std::string, int> counts;
  for (const Instruction& instruction : loop) ++counts[instruction.mnemonic];
  return counts;
}

std::vector<std::string> problems_in(Loop loop, const Demand& demand) {
  std::vector<std::string> problems;
  int loads = 0;
  for (const Instruction& i : loop) {
    if (is_padding(i)) continue;
    const std::string text = fmt::format("{:x}: {} {}", i.address, i.mnemonic, i.operands);
    const bool arithmetic = demand.arithmetic.contains(i.mnemonic);
    const bool helper = is_move(i) || std::ranges::count(demand.helpers, i.mnemonic) != 0;
    if (!arithmetic && !helper && !is_loop_control(i)) problems.push_back("unexpected " + text);
    if (arithmetic && i.operands.find(demand.registers) == std::string::npos) {
      problems.push_back(fmt::format("not in {} registers: {}", demand.registers, text));
    }
    if (i.writes_memory()) problems.push_back("a store: " + text);
    if (i.touches_memory() && !i.writes_memory()) ++loads;
  }
  if (loads != demand.loads) {
    problems.push_back(fmt::format("{} loads instead of {}", loads, demand.loads));
  }
  const auto counts = count_mnemonics(loop);
  for (const auto& [mnemonic, wanted] : demand.arithmetic) {
    const auto found = counts.find(mnemonic);
    const int got = found == counts.end() ? 0 : found->second;
    if (got != wanted)
      problems.push_back(fmt::format("{} x {} instead of {}", got, mnemonic, wanted));
  }
  return problems;
}

Loop hot_loop(const Function& function, const Demand& demand) {
  Loop hottest;
  for (const Loop loop : innermost_loops(function)) {
    if (arithmetic_in(loop, demand) > arithmetic_in(hottest, demand)) hottest = loop;
  }
  return hottest;
}

const Function* find_function(const Listing& listing, std::string_view name_start) {
  const auto found = std::ranges::find_if(
      listing, [&](const Function& function) { return function.name.starts_with(name_start); });
  return found == listing.end() ? nullptr : &*found;
}

}  // namespace codegen
