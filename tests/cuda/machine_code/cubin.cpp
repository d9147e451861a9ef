#include "tests/cuda/machine_code/cubin.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
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

// HFMA2 Rd, -RZ, RZ, c, c and HADD2 Rd, -RZ, c, c: ptxas moves constants by them where the pipe of
// halves is free. Operands are zero registers in bits 24 to 31 and 64 to 71.
bool moves_constant(std::uint64_t low, std::uint64_t high) {
  constexpr std::uint64_t zero_register = 0xff;
  constexpr unsigned add_of_halves = 0x30, fma_of_halves = 0x31, fma_on_second_pipe = 0x35;
  constexpr unsigned last_immediate = 0x4, middle_immediate = 0x8;
  const unsigned operation = low & 0xffU, form = low >> 8 & 0xfU;
  if (form != last_immediate && form != middle_immediate) return false;
  if ((low >> 24 & 0xffU) != zero_register) return false;
  if (operation == add_of_halves) return true;
  return (operation == fma_of_halves || operation == fma_on_second_pipe) &&
         (high & 0xffU) == zero_register;
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
    // Bits 73 to 75: unsigned and signed bytes, halves, 4, 8, 16 bytes.
    constexpr unsigned sizes[] = {1, 1, 2, 2, 4, 8, 16, 16};
    instruction.access_bytes = sizes[high >> 9 & 7U];
    // Bits 77 to 80; what nvdisasm shows as LDG.E.128.STRONG.GPU.
    instruction.past_l1 = (high >> 13 & 0xfU) == (architecture < 80 ? 0xaU : 7U);
    instruction.writes = static_cast<unsigned>(low >> 16 & 0xffU);
    instruction.first = static_cast<unsigned>(low >> 24 & 0xffU);
    instruction.constant = moves_constant(low, high);
    instruction.predicated = (low >> 12 & 0xfU) != always;
    instruction.branches = instruction.operation() == branch;
    const std::int64_t distance = branch_distance(low, high, architecture);
    instruction.target =
        static_cast<std::int64_t>(i) + 1 + distance / static_cast<std::int64_t>(instruction_bytes);
    code.push_back(instruction);
  }
  return code;
}

class File {
 public:
  explicit File(const std::string& path) : path_(path) {
    std::ifstream stream(path, std::ios::binary);
    bytes_ = {std::istreambuf_iterator<char>(stream), {}};
    if (!bytes_.starts_with(ELFMAG)) throw std::runtime_error(path + ": no ELF file");
    header_ = at<Elf64_Ehdr>(bytes_, 0);
  }

  const std::string& bytes() const { return bytes_; }
  std::size_t sections() const { return header_.e_shnum; }
  Elf64_Shdr section(std::size_t i) const {
    return at<Elf64_Shdr>(bytes_, header_.e_shoff + i * header_.e_shentsize);
  }
  std::string section_name(const Elf64_Shdr& s) const {
    return text_at(section(header_.e_shstrndx), s.sh_name);
  }
  std::string symbol_name(std::uint32_t index) const {
    for (std::size_t i = 0; i < sections(); ++i) {
      const Elf64_Shdr symbols = section(i);
      if (symbols.sh_type != SHT_SYMTAB) continue;
      const auto symbol =
          at<Elf64_Sym>(bytes_, symbols.sh_offset + std::size_t{index} * sizeof(Elf64_Sym));
      return text_at(section(symbols.sh_link), symbol.st_name);
    }
    throw std::runtime_error(path_ + ": no symbols");
  }

 private:
  std::string text_at(const Elf64_Shdr& table, std::size_t offset) const {
    if (table.sh_offset + offset >= bytes_.size()) {
      throw std::runtime_error(path_ + ": a name lies outside the file");
    }
    return bytes_.c_str() + table.sh_offset + offset;
  }

  std::string path_;
  std::string bytes_;
  Elf64_Ehdr header_{};
};

/// What section .nv.info tells of kernels: records of a format, an attribute and a size; those of
/// format 4 hold values, here a symbol and a number.
using Numbers = std::map<std::string, std::uint32_t>;
struct Info {
  Numbers frame_bytes;  // EIATTR_FRAME_SIZE
  Numbers registers;    // EIATTR_REGCOUNT
};

// Shared memory of a kernel: the size of its section, which holds no bytes.
std::uint64_t shared_bytes_of(const File& file, const std::string& symbol) {
  for (std::size_t i = 0; i < file.sections(); ++i) {
    const Elf64_Shdr section = file.section(i);
    if (file.section_name(section) == ".nv.shared." + symbol) return section.sh_size;
  }
  return 0;
}

Info read_info(const File& file) {
  constexpr unsigned has_values = 4, frame_size = 0x11, register_count = 0x2f;
  Info info;
  for (std::size_t i = 0; i < file.sections(); ++i) {
    const Elf64_Shdr section = file.section(i);
    if (file.section_name(section) != ".nv.info") continue;
    for (std::size_t offset = 0; offset + 4 <= section.sh_size;) {
      const auto head = at<std::uint32_t>(file.bytes(), section.sh_offset + offset);
      const unsigned format = head & 0xffU, attribute = head >> 8 & 0xffU;
      const std::size_t values = section.sh_offset + offset + 4;
      offset += 4 + (format == has_values ? head >> 16 : 0);
      if (format != has_values || (attribute != frame_size && attribute != register_count))
        continue;
      const std::string name = file.symbol_name(at<std::uint32_t>(file.bytes(), values));
      (attribute == frame_size ? info.frame_bytes : info.registers)[name] =
          at<std::uint32_t>(file.bytes(), values + 4);
    }
  }
  return info;
}

}  // namespace

std::vector<Kernel> read(const std::string& path, int architecture) {
  const File file(path);
  const Info info = read_info(file);
  constexpr std::string_view text = ".text.";
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < file.sections(); ++i) {
    const Elf64_Shdr section = file.section(i);
    const std::string name = file.section_name(section);
    if (!name.starts_with(text)) continue;
    const std::string symbol = name.substr(text.size());
    if (!info.frame_bytes.contains(symbol) || !info.registers.contains(symbol)) {
      throw std::runtime_error(path + ": no frame or registers of " + symbol);
    }
    kernels.push_back({demangled(symbol), decode(file.bytes(), section, architecture),
                       info.frame_bytes.at(symbol), info.registers.at(symbol),
                       shared_bytes_of(file, symbol)});
  }
  return kernels;
}

// nvcc puts a container for each source file into section .nv_fatbin: a head of 16 bytes, then
// entries of a head, in which bytes 0, 4, 8 and 28 tell kind, its size, that of the code, and the
// architecture (as cuobjdump lists them).
std::map<Image, int> images(const std::string& path) {
  constexpr std::uint32_t magic = 0xba55ed50;
  constexpr unsigned ptx = 1;
  const File file(path);
  const std::string& bytes = file.bytes();
  std::map<Image, int> found;
  for (std::size_t i = 0; i < file.sections(); ++i) {
    const Elf64_Shdr section = file.section(i);
    if (file.section_name(section) != ".nv_fatbin") continue;
    const std::size_t end = section.sh_offset + section.sh_size;
    for (std::size_t at_byte = section.sh_offset; at_byte + 16 <= end;) {
      if (at<std::uint32_t>(bytes, at_byte) != magic) {
        at_byte += 8;
        continue;
      }
      std::size_t entry = at_byte + at<std::uint16_t>(bytes, at_byte + 6);
      at_byte = entry + at<std::uint64_t>(bytes, at_byte + 8);
      while (entry < at_byte) {
        ++found[{static_cast<int>(at<std::uint32_t>(bytes, entry + 28)),
                 at<std::uint16_t>(bytes, entry) == ptx}];
        entry += at<std::uint32_t>(bytes, entry + 4) + at<std::uint64_t>(bytes, entry + 8);
      }
    }
  }
  return found;
}

std::set<std::string> launchable(const std::string& path) {
  const File file(path);
  std::set<std::string> names;
  for (std::size_t i = 0; i < file.sections(); ++i) {
    const Elf64_Shdr section = file.section(i);
    if (!file.section_name(section).starts_with(".rodata")) continue;
    const std::string constants = file.bytes().substr(section.sh_offset, section.sh_size);
    constexpr std::string_view prefix = "_ZN7kernels4cuda";
    for (std::size_t begin = constants.find(prefix); begin != std::string::npos;
         begin = constants.find(prefix, begin + prefix.size())) {
      const std::string name = demangled(constants.c_str() + begin);
      if (name.ends_with(')')) names.insert(name);  // variables have no arguments
    }
  }
  return names;
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
