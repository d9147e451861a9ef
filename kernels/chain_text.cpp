#include "kernels/chain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// The gradient g times the derivative at x; see pointwise_operators.hpp for the words. A block of
/// statements in brackets of a lambda is one expression.
struct Gradient {
  Op op;
  std::string_view expression;
};
#define RIDGEPOINT_GRADIENT(name, ...) \
  Gradient { Op::name, #__VA_ARGS__ }
constexpr std::array gradients{
    RIDGEPOINT_GRADIENT(mul, g* k.a),
    RIDGEPOINT_GRADIENT(add, g),
    RIDGEPOINT_GRADIENT(sqrt, (x > V{} ? g : -g) * (S(0.5) / k.root(x))),
    RIDGEPOINT_GRADIENT(relu, x > V{} ? g : V{}),
    RIDGEPOINT_GRADIENT(reciprocal, -g / (x * x)),
    RIDGEPOINT_GRADIENT(exp, g* k.exp(x)),
    RIDGEPOINT_GRADIENT(cos, g* k.cos(x + S(1.5707963267948966))),  // -sin x = cos(x + pi/2)
    RIDGEPOINT_GRADIENT(tanh,
                        [&] {
                          V t = k.tanh(x);
                          return g * (S(1) - t * t);
                        }()),
    RIDGEPOINT_GRADIENT(silu,
                        [&] {
                          V s = S(1) / (S(1) + k.exp(-x));
                          return g * (s * (x * (S(1) - s) + S(1)));
                        }()),
    RIDGEPOINT_GRADIENT(gelu, g*(x*(k.exp(x* x* S(-0.5)) * S(0.39894228040143268)) +
                                 (S(0.5) * k.erf(x * S(0.70710678118654752)) + S(0.5)))),
    RIDGEPOINT_GRADIENT(gelu_tanh, [&] {
      V q = x * x, inner = q * S(0.035677408136300125) + S(0.79788456080286536);
      V t = k.tanh(x * inner), slope = q * S(0.10703222440890037) + S(0.79788456080286536);
      return g * (S(0.5) * x * ((S(1) - t * t) * slope) + (S(0.5) * t + S(0.5)));
    }())};
#undef RIDGEPOINT_GRADIENT

std::string derivatives_of(const Case& c) {
  std::string text;
  for (const Op op : std::set<Op>(c.ops.begin(), c.ops.end())) {
    const auto* row = std::ranges::find(gradients, op, &Gradient::op);
    if (row == gradients.end())
      throw Unsupported(fmt::format("no gradient is generated for {}", op->name));
    text += fmt::format(
        "inline V {}_gradient([[maybe_unused]] V x, V g, [[maybe_unused]] const Kit& k) {{\n"
        "  return {};\n}}\n",
        identifier_of(op), row->expression);
  }
  return text;
}

std::string forward_of(const Case& c) {
  std::string text;
  for (std::uint64_t i = 0; i < operators_of(c); ++i)
    text += fmt::format("@each@ if (results > {0}) keep(x[{1}][j] = {2}_of(x[{0}][j], k));\n", i,
                        i + 1, identifier_of(operator_at(c, i)));
  return text;
}

std::string backward_of(const Case& c) {
  std::string text;
  for (std::uint64_t i = operators_of(c); i-- > 0;)
    text += fmt::format("@each@ keep(g[j] = {}_gradient(x[{}][j], g[j], k));\n",
                        identifier_of(operator_at(c, i)), i);
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

std::vector<Mark> gradient_marks(const Case& c) {
  return {{"@operators@", fmt::format("{}", operators_of(c))},
          {"@derivatives@", derivatives_of(c)},
          {"@forward@", forward_of(c)},
          {"@backward@", backward_of(c)}};
}

}  // namespace kernels
