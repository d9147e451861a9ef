// `rowwise`: operators of neural networks that look at whole rows of a matrix.
#include "kernels/families/rowwise/rowwise.hpp"

#include <fmt/format.h>

#include <array>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"
#include "kernels/operator_flops.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::layernorm,
                         Op::rmsnorm,
                         Op::softmax,
                         Op::sum,
                         Op::transpose,
                         Op::bias,
                         Op::bias_gelu,
                         Op::dropout,
                         Op::drop,
                         Op::residual,
                         Op::gelu_gradient,
                         Op::softmax_gradient,
                         Op::layernorm_gradient,
                         Op::column_sum,
                         Op::scaled_softmax_dropout,
                         Op::scaled_softmax_dropout_gradient};
constexpr std::array axes{
    AxisInfo{"columns", "elements", "Elements of a row.", row_block, 65536, usual_columns}};

/// Every tensor once: what must move at least.
double tensors_bytes(const Case& c) {
  return static_cast<double>(c.elements + second_elements(c) + result_elements(c)) *
         static_cast<double>(size_of(c.dtype));
}

Work work(const Case& c) { return {.bytes = tensors_bytes(c), .launches = 1}; }

double flops(const Case& c, const OperatorFlops& executed) { return executed.rowwise(c); }

Bounds bounds(const Case& c) {
  const auto read = static_cast<double>(c.elements + second_elements(c));
  return {{{arithmetic_of_operators(c.dtype), c.units, Op::fma, 1.0}},
          memory_roof(read, static_cast<double>(result_elements(c)))};
}

std::string refuse(const Case& c) {
  if (!has_operators(c.dtype))
    return "operators on rows run in fp32, fp64 and bf16: choose one of these";
  const std::uint64_t columns = columns_of(c);
  if (columns % row_block != 0 || c.elements % (columns * row_block) != 0)
    return fmt::format("rows and columns come in multiples of {}", row_block);
  return "";
}

// A row of the result is a column of the input.
Check check_transposed(Checkable& rows, const std::stop_token& stop) {
  const Case& c = rows.timed();
  const auto judge = [&](std::uint64_t i, double got) -> Check {
    const double expected = rows.input(0, i % rows_of(c) * columns_of(c) + i / rows_of(c));
    if (got != expected) return {false, mismatch(i, c.elements, expected, got)};
    return {.ok = true};
  };
  return compare(rows, {}, {0, c.elements}, samples_for(1), stop, judge);
}

/// The first and the last rows, or columns of an operator on these, and some between them.
Check check_rows(Checkable& rows, const std::stop_token& stop) {
  constexpr std::uint64_t compared = 18;
  const Case& c = rows.timed();
  const std::uint64_t all = is_on_columns(c.op()) ? columns_of(c) : rows_of(c);
  const std::uint64_t each = result_elements(c) / all;
  Deviation deviation;
  for (const Window& some : sampled_windows(rows, all, compared)) {
    for (std::uint64_t row = some.first; row < some.first + some.count; ++row) {
      if (stop.stop_requested()) throw Cancelled();
      const std::vector<double> got = rows.read({row * each, each});
      const RowTensors tensors{.input = [&](std::uint64_t i) { return rows.input(0, i); },
                               .second = [&](std::uint64_t i) { return rows.input(1, i); },
                               .result = [&](std::uint64_t i) { return got[i - row * each]; }};
      const Check check = check_row(c, row, tensors, rows.function_error(), deviation);
      if (!check.ok) return check;
    }
  }
  return {.ok = true, .error = deviation.share()};
}

Check check(Checkable& rows, const std::stop_token& stop) {
  const Case& c = rows.timed();
  const Covered covered = rows.run_poisoned(c, {}, stop);
  Check check = covered.check;
  if (check.ok && !covered.doubtful.empty())
    check = {false, fmt::format("element {} of {} was not written", covered.doubtful.front(),
                                result_elements(c))};
  if (!check.ok) return check;
  return c.op() == Op::transpose ? check_transposed(rows, stop) : check_rows(rows, stop);
}

}  // namespace

std::uint64_t columns_of(const Case& c) { return c.more[0] > 0 ? c.more[0] : usual_columns; }
std::uint64_t rows_of(const Case& c) { return c.elements / columns_of(c); }

bool is_on_columns(Op op) { return op == Op::column_sum; }

bool has_tensor_beside(Op op) { return op->tensors_read > 1; }

std::uint64_t second_elements(const Case& c) {
  if (has_tensor_beside(c.op())) return c.elements;
  return c.op() == Op::bias || c.op() == Op::bias_gelu ? columns_of(c) : 0;
}

std::uint64_t result_elements(const Case& c) {
  if (is_on_columns(c.op())) return columns_of(c);
  return c.op() == Op::sum ? rows_of(c) : c.elements;
}

extern const FamilyInfo rowwise_family{
    .name = "rowwise",
    .help = "operators of neural networks on the rows of a matrix",
    .ops = ops,
    .chooses_op = true,
    .for_labs = true,
    .axes = axes,
    .work = work,
    .flops = flops,
    .footprint = tensors_bytes,
    .bounds = bounds,
    .refuse = refuse,
    .tag = [](const Case& c) { return text_of(c.ops); },
    .check = on_random<check>,
};

}  // namespace kernels
