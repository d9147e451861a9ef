// Reads machine code out of a cubin: an ELF file whose sections .text.KERNEL hold 16-byte
// instructions.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace cubin {

/// One instruction. The low 8 bits of `opcode` (12 bits) are the operation, the rest is the form of
/// its operands.
struct Instruction {
  unsigned opcode;
  unsigned access_bytes;  ///< of a load, a store or a copy; of others it says nothing
  bool past_l1;           ///< of a load: strong at the scope of the GPU, as ld.global.cg becomes
  unsigned writes;        ///< register that arithmetic writes
  unsigned first;         ///< and its first operand, where that is a register
  bool constant;    ///< of an addition or fma of halves: of zeros and a constant, which it moves
  bool predicated;  ///< runs under a predicate other than "always"
  bool branches;    ///< relative branch, to `target`
  std::int64_t target;  ///< instruction index

  unsigned operation() const { return opcode & 0xffU; }
};

struct Kernel {
  std::string name;  ///< demangled: "void kernels::cuda::chain_kernel<float, kernels::Fma>(...)"
  std::vector<Instruction> code;
  std::uint32_t frame_bytes = 0;   ///< local memory per thread: arrays and spilled registers
  std::uint32_t registers = 0;     ///< per thread
  std::uint64_t shared_bytes = 0;  ///< per block, without what the hardware reserves
};

/// Names of the kernels that a program can launch, demangled: nvcc has the program register each by
/// its symbol, a string among its constants. Throws std::runtime_error with what is wrong with the
/// file.
std::set<std::string> launchable(const std::string& path);

/// Indices of the first and the last instruction of a loop that holds no other loop.
struct Loop {
  std::size_t first, last;
};

/// All kernels of a file for compute capability `architecture` (75, 80, ...). Throws
/// std::runtime_error with what is wrong with the file.
std::vector<Kernel> read(const std::string& path, int architecture);

/// Code for one architecture in a program: machine code, or PTX that a driver translates.
struct Image {
  int architecture;  ///< 75, 80, ...
  bool ptx;

  auto operator<=>(const Image&) const = default;
};
/// All that a program or library holds of a kind, with how many files of kernels have it. Throws
/// std::runtime_error with what is wrong with the file.
std::map<Image, int> images(const std::string& path);

/// Loops that hold no other loop and more than their branch (code ends in a branch to itself).
std::vector<Loop> innermost_loops(const Kernel&);

}  // namespace cubin
