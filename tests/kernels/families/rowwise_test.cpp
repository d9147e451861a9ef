// Gradients and other operators on rows: their reference against differences of what they are
// gradients of, and kernels that are slightly wrong.
#include "kernels/families/rowwise/rowwise.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "kernels/cpu/loaded/vector_math.hpp"
#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/trials/device.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/reference.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

namespace {

using Values = std::vector<double>;

Case on_rows(Op op, std::uint64_t rows = 192, std::uint64_t columns = 1024) {
  Case c{.family = Family::rowwise, .ops = op, .dtype = Dtype::fp64};
  c.elements = rows * columns;
  return with(c, "columns", columns);
}

Values result_of(Op op, const Values& x, const Values& second = {}) {
  Values row;
  for (const Expected& one : expected_row(on_rows(op), x, second, 0)) row.push_back(one.value);
  return row;
}

Values random_row(std::uint64_t seed) {
  Values row;
  for (std::uint64_t i = 0; i < 64; ++i) row.push_back(random_element(Dtype::fp64, seed, i));
  return row;
}

/// The largest distance between a gradient and differences of sum g f(x).
double distance_from_differences(const std::function<Values(const Values&)>& f, const Values& x,
                                 const Values& g, const Values& gradient) {
  const auto loss = [&](const Values& at) {
    const Values y = f(at);
    return std::inner_product(y.begin(), y.end(), g.begin(), 0.0);
  };
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    constexpr double step = 1e-5;
    Values above = x, below = x;
    above[i] += step;
    below[i] -= step;
    largest = std::max(largest, std::fabs((loss(above) - loss(below)) / (2 * step) - gradient[i]));
  }
  return largest;
}

constexpr double alike = 1e-8;  // differences of this step in double precision

Abilities abilities() {
  return {.features = processor_features(),
          .amx = false,
          .why_no_amx = "not looked for",
          .why_no_vector_math = why_no_vector_math()};
}

RowwiseFunction kernel_of(Op op) {
  return Selection(abilities())
      .find({.family = Family::rowwise, .ops = op, .dtype = Dtype::fp64})
      ->row.rowwise;
}

/// Whether a kernel passes for that of an operator.
bool passes(Op op, RowwiseFunction function) {
  static Row row;  // a table outlives its device
  const Case c = on_rows(op);
  const Selection all(abilities());
  const Choice& right = *all.find(c);
  row = right.row;
  row.rowwise = function;
  CpuDevice device("/", cores(), abilities(),
                   Selection(abilities(), {{"test", &row, 1, true, right.isa.register_bytes}}));
  return device.prepare(c, {})->verify({}).ok;
}

void leaves_a_row_out(const RowwiseSlice& slice) {
  RowwiseSlice fewer = slice;
  fewer.all_rows -= 1;
  kernel_of(Op::column_sum)(fewer);
}
void leaves_columns_out(const RowwiseSlice& slice) {
  RowwiseSlice fewer = slice;
  fewer.rows -= 64;
  kernel_of(Op::column_sum)(fewer);
}
void drops_others(const RowwiseSlice& slice) {
  RowwiseSlice later = slice;
  later.first += 1;
  if (later.first + later.rows > later.all_rows) later.rows -= 1;
  kernel_of(Op::drop)(later);
}

}  // namespace

TEST_CASE("gradients are what differences of their operators say") {
  const Values x = random_row(1), g = random_row(2);
  const auto through = [](Op op) { return [op](const Values& at) { return result_of(op, at); }; };
  CHECK(distance_from_differences(through(Op::layernorm), x, g,
                                  result_of(Op::layernorm_gradient, x, g)) < alike);
  CHECK(distance_from_differences(through(Op::softmax), x, g,
                                  result_of(Op::softmax_gradient, result_of(Op::softmax, x), g)) <
        alike);
  const auto gelu = [](const Values& at) {
    Values y;
    for (const double one : at) y.push_back(pointwise_op(Op::gelu, Dtype::fp64, one));
    return y;
  };
  CHECK(distance_from_differences(gelu, x, g, result_of(Op::gelu_gradient, x, g)) < alike);
  // Of softmax it reads what was there before dropout.
  Values scaled = x;
  for (double& one : scaled) one *= attention_scale;
  CHECK(distance_from_differences(through(Op::scaled_softmax_dropout), x, g,
                                  result_of(Op::scaled_softmax_dropout_gradient,
                                            result_of(Op::softmax, scaled), g)) < alike);
  CHECK(distance_from_differences(through(Op::drop), x, g, result_of(Op::drop, g)) < alike);
}

TEST_CASE("dropout doubles half of the elements and leaves out the others") {
  Values ones(64 * 64, 1);
  const Values kept = result_of(Op::drop, ones);
  const auto doubled = std::ranges::count(kept, 2.0);
  CHECK(doubled + std::ranges::count(kept, 0.0) == 64 * 64);
  CHECK(doubled > 64 * 28);
  CHECK(doubled < 64 * 36);
}

TEST_CASE("sums of columns and dropout pass only where every element is right") {
  CHECK(passes(Op::column_sum, kernel_of(Op::column_sum)));
  CHECK_FALSE(passes(Op::column_sum, leaves_a_row_out));
  CHECK_FALSE(passes(Op::column_sum, leaves_columns_out));
  CHECK_FALSE(passes(Op::drop, drops_others));
  CHECK_FALSE(passes(Op::residual, kernel_of(Op::dropout)));
}

TEST_CASE("gradients pass only where no part of them is forgotten") {
  CHECK(passes(Op::softmax_gradient, kernel_of(Op::softmax_gradient)));
  CHECK(passes(Op::layernorm_gradient, kernel_of(Op::layernorm_gradient)));
  CHECK_FALSE(passes(Op::softmax_gradient, kernel_of(Op::scaled_softmax_dropout_gradient)));
  CHECK_FALSE(passes(Op::layernorm_gradient, kernel_of(Op::layernorm)));
  if (!why_no_vector_math().empty()) return;
  CHECK(passes(Op::gelu_gradient, kernel_of(Op::gelu_gradient)));
  CHECK_FALSE(passes(Op::gelu_gradient, kernel_of(Op::dropout)));
  CHECK_FALSE(passes(Op::scaled_softmax_dropout, kernel_of(Op::softmax)));
}

TEST_CASE("operators of two tensors read both, and a sum of columns writes one row") {
  Case c = on_rows(Op::gelu_gradient, 64, 128);
  const double elements = 64 * 128;
  CHECK(work_of(c) == Work{197 * elements, 3 * 8 * elements, 1});
  c.ops = Op::column_sum;
  CHECK(work_of(c) == Work{elements, 8 * (elements + 128), 1});
  c.ops = Op::drop;
  CHECK(work_of(c) == Work{elements, 2 * 8 * elements, 1});
}
