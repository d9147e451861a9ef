// Reads the machine code of compiled kernels: functions, their innermost loops, and whether a loop
// holds exactly the arithmetic that the work formula counts. x86-64 in the listing format of GNU
// objdump.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace codegen {

struct Instruction {
  std::uint64_t address = 0;
  /// Without what differs between encodings: no VEX "v", fmadd for fmadd132, 213 and 231.
  std::string mnemonic;
  std::string operands;                 ///< AT&T order: the destination is last
  std::optional<std::uint64_t> target;  ///< of a jump

  bool touches_memory() const;
  bool writes_memory() const;
};

struct Function {
  std::string
      name;  ///< demangled, without namespaces and return type: "peak_loop<Fp32, (Op)2>(...)"
  std::vector<Instruction> body;
};

using Listing = std::vector<Function>;
using Loop = std::span<const Instruction>;

/// The functions of `objdump -d -C --no-show-raw-insn`.
Listing parse_listing(std::string_view text);

/// Of code, the last one excluded.
struct Addresses {
  std::uint64_t first = 0, last = 0;
};

/// Runs objdump on an object file, or on a part of it. Throws std::runtime_error when it fails.
Listing disassemble(const std::string& objdump, const std::string& object,
                    std::optional<Addresses> part = {});

/// Symbols that the object offers to the linker, mangled.
std::vector<std::string> exported_symbols(const std::string& objdump, const std::string& object);

/// Loops that contain no other loop, in order of address.
std::vector<Loop> innermost_loops(const Function&);

/// How often each mnemonic occurs.
std::map<std::string, int> count_mnemonics(Loop);

/// What a loop must be.
struct Demand {
  std::map<std::string, int> arithmetic;  ///< exactly these
  std::vector<std::string> helpers = {};  ///< may occur besides moves, broadcasts and loop control
  std::string registers = {};             ///< "%zmm": the registers of all arithmetic
  int loads = 0;                          ///< exactly this many; stores: none
};

/// One sentence for everything in which the loop differs from the demand.
std::vector<std::string> problems_in(Loop, const Demand&);

/// The innermost loop with most of the arithmetic of `demand`; empty when no loop has any.
Loop hot_loop(const Function&, const Demand&);

/// Function whose name starts so, or nullptr.
const Function* find_function(const Listing&, std::string_view name_start);

}  // namespace codegen
