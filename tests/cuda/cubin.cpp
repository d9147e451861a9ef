#include "cubin.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace cubin {
namespace {

constexpr std::size_t instruction_bytes = 16;
constexpr unsigned branch = 0x47;    // BRA, in both its forms
constexpr std::uint64_t always = 7;  // predicate PT

std::string demangled(const std::string& symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? text : symbol;
  std::free(text);
  return name;
}

template <class T>
T at(const std::string& file, std::size_t offset) {
  if (offset + sizeof(T) > file.size()) throw std::runtime_error("cubin: ends too early");
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

std::int64_t sign_extended(std::uint64_t value, int bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>((value ^ sign) - sign);
}

// Byte distance from the end of a branch to its target, as nvdisasm shows it. Up to compute
// capability 8.9 bits 32..81; from 9.0 on in units of 4 bytes, low part in bits 16..23, the rest
// from bit 34 on.
std::int64_t branch_distance(std::uint64_t low, std::uint64_t high, int architecture) {
  if (architecture < 90) return sign_extended(low >> 32 | (high & 0x3ffffU) << 32, 50);
  const std::uint64_t upper = low >> 34 | (high & 0x3ffffU) << 30;
  return sign_extended(upper << 8 | (low >> 16 & 0xffU), 56) * 4;
}

std::vector<Instruction> decode(const std::string& file, const Elf64_Shdr& section,
                                int architecture) {
  std::vector<Instruction> code;
  for (std::size_t i = 0; i < section.sh_size / instruction_bytes; ++i) {
    const std::size_t offset = section.sh_offset + i * instruction_bytes;
    const auto low = at<std::uint64_t>(file, offset);
    const auto high = at<std::uint64_t>(file, offset + 8);
    Instruction instruction{};
    instruction.opcode = static_cast<unsigned>(low & 0xfffU);
    instruction.predicated = (low >> 12 & 0xfU) != always;
    instruction.branches = instruction.operation() == branch;
    const std::int64_t distance = branch_distance(low, high, architecture);
    instruction.target =
        static_cast<std::int64_t>(i) + 1 + distance / static_cast<std::int64_t>(instruction_bytes);
    code.push_back(instruction);
  }
  return code;
}

}  // namespace

std::vector<Kernel> read(const std::string& path, int architecture) {
  std::ifstream stream(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  if (!file.starts_with(ELFMAG)) throw std::runtime_error(path + ": no ELF file");
  const auto header = at<Elf64_Ehdr>(file, 0);
  const auto section = [&](std::size_t i) {
    return at<Elf64_Shdr>(file, header.e_shoff + i * header.e_shentsize);
  };
  const Elf64_Shdr names = section(header.e_shstrndx);
  constexpr std::string_view text = ".text.";
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr candidate = section(i);
    const std::size_t name_at = names.sh_offset + candidate.sh_name;
    if (name_at >= file.size()) throw std::runtime_error(path + ": a section has no name");
    const std::string name = file.c_str() + name_at;
    if (!name.starts_with(text)) continue;
    kernels.push_back({demangled(name.substr(text.size())), decode(file, candidate, architecture)});
  }
  return kernels;
}

std::vector<Loop> innermost_loops(const Kernel& kernel) {
  std::vector<Loop> loops;
  for (std::size_t i = 0; i < kernel.code.size(); ++i) {
    const Instruction& instruction = kernel.code[i];
    if (!instruction.branches || instruction.target < 0) continue;
    const auto target = static_cast<std::size_t>(instruction.target);
    if (target < i) loops.push_back({target, i});
  }
  const auto holds_another = [&](const Loop& outer) {
    return std::ranges::any_of(loops, [&](const Loop& inner) {
      const bool same = inner.first == outer.first && inner.last == outer.last;
      return !same && outer.first <= inner.first && inner.last <= outer.last;
    });
  };
  std::vector<Loop> innermost;
  std::ranges::copy_if(loops, std::back_inserter(innermost),
                       [&](const Loop& loop) { return !holds_another(loop); });
  return innermost;
}

}  // namespace cubin
