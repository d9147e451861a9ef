#include "kernels/cpu/loaded/chain_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string_view>

#include "kernels/cpu/simd/operators.hpp"
#include "kernels/device.hpp"
#include "kernels/families/pointwise.hpp"

namespace kernels::cpu {
namespace {

/// The expression of an operator, from the same list as the kernels that are built in.
std::string_view expression_of(Op op) {
#define RIDGEPOINT_TEXT(name, expression) \
  if (op == Op::name) return #expression;
  RIDGEPOINT_OPERATORS(RIDGEPOINT_TEXT)
#undef RIDGEPOINT_TEXT
  throw Unsupported(fmt::format("no kernel is generated for {}", op->name));
}

std::string functions_of(const Case& c) {
  std::string text;
  for (const Op op : std::set<Op>(c.ops.begin(), c.ops.end())) {
    text += fmt::format("inline V {}_of(V x, [[maybe_unused]] const Kit& k) {{ return {}; }}\n",
                        identifier_of(op), expression_of(op));
  }
  return text;
}

std::string steps_of(const Case& c) {
  std::string text;
  for (std::uint64_t step = 0; step < operators_of(c); ++step) {
    text += fmt::format("    for (V& one : x) keep(one = {}_of(one, k));\n",
                        identifier_of(operator_at(c, step)));
  }
  return text;
}

constexpr std::string_view kit =
#include "kernels/cpu/loaded/kit_frame.inc"
    ;
// The same loop as in pointwise_loop.hpp.
constexpr std::string_view frame =
#include "kernels/cpu/loaded/chain_frame.inc"
    ;

}  // namespace

std::vector<std::string> chain_flags(const Isa& isa) {
  std::vector<std::string> flags{"-O3", "-ffp-contract=fast"};
  if (isa.register_bytes == 64)
    flags.insert(flags.end(), {"-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mfma"});
  if (isa.register_bytes == 32) flags.insert(flags.end(), {"-mavx2", "-mfma"});
  return flags;
}

std::string identifier_of(Op op) {
  std::string name(op->name);
  for (char& c : name) {
    if (c == '-' || c == '+') c = '_';
  }
  return name;
}

void replace(std::string& text, std::string_view mark, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += with.size())
    text.replace(at, mark.size(), with);
}

std::string kernel_text(const Case& c, const Isa& isa, std::string_view what,
                        std::string_view rest) {
#ifndef __x86_64__
  throw Unsupported("kernels are generated for x86-64 processors only");
#endif
  if (operators_of(c) > most_generated)
    throw Unsupported(
        fmt::format("at most {} operators are generated into one kernel", most_generated));
  const bool wide = c.dtype == Dtype::fp64, vex = isa.register_bytes > 16;
  const std::string end = wide ? "pd" : "ps";
  std::string text(kit);
  text += rest;
  replace(text, "@title@",
          fmt::format("{}{} operators of {} in {}, {}", what, operators_of(c), text_of(c.ops),
                      name_of(c.dtype), isa.name));
  replace(text, "@flags@", fmt::format("{}", fmt::join(chain_flags(isa), " ")));
  replace(text, "@scalar@", wide ? "double" : "float");
  replace(text, "@bytes@", fmt::format("{}", isa.register_bytes));
  replace(text, "@register@", isa.register_bytes == 64 ? "v" : "x");
  replace(text, "@sqrt@", (vex ? "vsqrt" : "sqrt") + end);
  replace(text, "@stream@", (vex ? "vmovnt" : "movnt") + end);
  replace(text, "@functions@", functions_of(c));
  return text;
}

std::string chain_source(const Case& c, const Isa& isa) {
  std::string text = kernel_text(c, isa, "", frame);
  replace(text, "@steps@", steps_of(c));
  return text;
}

}  // namespace kernels::cpu
