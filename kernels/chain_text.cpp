#include "kernels/chain_text.hpp"

#include <fmt/format.h>

#include <set>

#include "kernels/device.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "kernels/pointwise_operators.hpp"

namespace kernels {
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
    text += fmt::format("    @for@ keep(@one@ = {}_of(@one@, k));\n",
                        identifier_of(operator_at(c, step)));
  }
  return text;
}

void replace(std::string& text, std::string_view mark, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += with.size())
    text.replace(at, mark.size(), with);
}

}  // namespace

std::string identifier_of(Op op) {
  std::string name(op->name);
  for (char& c : name) {
    if (c == '-' || c == '+') c = '_';
  }
  return name;
}

std::string chain_text(std::string_view frame, const Case& c, std::span<const Mark> marks) {
  if (operators_of(c) > most_generated)
    throw Unsupported(
        fmt::format("at most {} operators are generated into one kernel", most_generated));
  std::string text(frame);
  replace(text, "@functions@", functions_of(c));
  replace(text, "@steps@", steps_of(c));
  for (const Mark& one : marks) replace(text, one.mark, one.text);
  return text;
}

std::string chain_title(const Case& c) {
  return fmt::format("{} operators of {} in {}", operators_of(c), text_of(c.ops), name_of(c.dtype));
}

}  // namespace kernels
