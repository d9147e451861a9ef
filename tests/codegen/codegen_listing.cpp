#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "codegen.hpp"

namespace codegen {
namespace {

void erase_all(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.erase(at, what.size());
  }
}

std::string short_name(std::string_view demangled) {
  std::string name(demangled);
  for (const char* scope : {"(anonymous namespace)::", "kernels::cpu::", "kernels::"}) {
    erase_all(name, scope);
  }
  for (const std::string_view type : {"void ", "double ", "float "}) {
    if (name.starts_with(type)) name.erase(0, type.size());
  }
  return name;
}

std::string canonical(std::string_view mnemonic) {
  std::string name(mnemonic);
  if (name.starts_with('v')) name.erase(0, 1);
  if (name.starts_with("fmadd")) {
    for (const char* form : {"132", "213", "231"}) erase_all(name, form);
  }
  return name;
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// "  40a:\tvaddps %zmm1,%zmm2,%zmm3"
std::optional<Instruction> parse_instruction(std::string_view line) {
  const auto colon = line.find(":\t");
  if (colon == std::string_view::npos) return std::nullopt;
  const auto address = hexadecimal(trimmed(line.substr(0, colon)));
  if (!address) return std::nullopt;
  std::string_view text = trimmed(line.substr(colon + 2));
  if (text.starts_with("{vex} ")) text.remove_prefix(6);  // the encoding of AVX-VNNI
  const auto space = text.find(' ');
  Instruction instruction;
  instruction.address = *address;
  instruction.mnemonic = canonical(text.substr(0, space));
  if (space != std::string_view::npos) {
    std::string_view operands = trimmed(text.substr(space));
    for (const std::string_view remark : {" <", " #"}) {  // names of addresses
      operands = trimmed(operands.substr(0, operands.find(remark)));
    }
    instruction.operands = operands;
  }
  if (text.starts_with('j')) instruction.target = hexadecimal(instruction.operands);
  return instruction;
}

// "0000000000000040 <name>:"
std::optional<Function> parse_heading(std::string_view line) {
  const auto open = line.find(" <");
  if (open == std::string_view::npos || !line.ends_with(">:") || !hexadecimal(line))
    return std::nullopt;
  return Function{short_name(line.substr(open + 2, line.size() - open - 4)), {}};
}

struct PipeCloser {
  void operator()(std::FILE* pipe) const { pclose(pipe); }
};

std::string output_of(const std::string& command) {
  std::unique_ptr<std::FILE, PipeCloser> pipe(popen(command.c_str(), "r"));
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string output;
  std::array<char, 65536> part{};
  for (std::size_t got = 1; got != 0;) {
    got = std::fread(part.data(), 1, part.size(), pipe.get());
    output.append(part.data(), got);
  }
  if (pclose(pipe.release()) != 0) throw std::runtime_error("failed: " + command);
  return output;
}

template <class Body>
void for_each_line(std::string_view text, Body body) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    body(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace

Listing parse_listing(std::string_view text) {
  Listing listing;
  for_each_line(text, [&](std::string_view line) {
    if (auto function = parse_heading(line)) {
      listing.push_back(*std::move(function));
    } else if (auto instruction = parse_instruction(line); instruction && !listing.empty()) {
      listing.back().body.push_back(*std::move(instruction));
    }
  });
  return listing;
}

Listing disassemble(const std::string& objdump, const std::string& object,
                    std::optional<Addresses> part) {
  const std::string addresses =
      part ? fmt::format("--start-address={} --stop-address={}", part->first, part->last) : "";
  return parse_listing(
      output_of(fmt::format("'{}' -d -C --no-show-raw-insn {} '{}'", objdump, addresses, object)));
}

std::vector<std::string> exported_symbols(const std::string& objdump, const std::string& object) {
  std::vector<std::string> symbols;
  // "0000000000000000 g     F .text  0000000000000010 name": binding, then weakness, at 17 and 18.
  for_each_line(
      output_of(fmt::format("'{}' -t '{}'", objdump, object)), [&](std::string_view line) {
        constexpr std::size_t flags = 17;
        if (line.size() <= flags + 7 || !hexadecimal(line.substr(0, 16))) return;
        const bool visible = line[flags] == 'g' || line[flags] == 'u' || line[flags + 1] == 'w';
        if (!visible || line.find("*UND*") != std::string_view::npos) return;
        symbols.emplace_back(line.substr(line.find_last_of(" \t") + 1));
      });
  return symbols;
}

}  // namespace codegen
