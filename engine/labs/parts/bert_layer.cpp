#include "engine/labs/parts/bert_layer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/charts/chart.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/session/session_file.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "kernels/units.hpp"

namespace engine::bert {
namespace {

using kernels::By;
using kernels::Case;
using kernels::Family;
using kernels::MatmulSize;
using kernels::Op;
using kernels::Transposed;

constexpr std::uint64_t head = 64;  // columns

/// Collects the operators of a layer.
struct Builder {
  const Layer& layer;
  std::vector<Operator> list{};

  void product(std::string_view name, int times, MatmulSize size) {
    list.push_back({name, times, kernels::matmul_case(layer.dtype, layer.units, size, layer.data)});
  }
  void rows(std::string_view name, int times, Op op, std::uint64_t rows, std::uint64_t columns) {
    list.push_back(
        {name, times, with(on(Family::rowwise, op, rows * columns), "columns", columns)});
  }
  void pointwise(std::string_view name, int times, Op op, std::uint64_t elements) {
    list.push_back({name, times, on(Family::pointwise, op, elements)});
  }
  Case on(Family family, Op op, std::uint64_t elements) const {
    return {.family = family,
            .ops = op,
            .dtype = layer.dtype,
            .elements = elements,
            .data = layer.data};
  }
};

/// Y = X W, then dX = dY W^T and dW = X^T dY. Q, K, V and the output of the attention have
/// projections of one size.
void add_contractions(Builder& add) {
  const Layer& l = add.layer;
  const std::uint64_t t = l.tokens(), d = l.width, s = l.sequence, n = l.batch * l.heads();
  const int twice = l.backward ? 2 : 1;
  add.product("projection", 4, {t, d, d});
  add.product("attention scores", twice, {s, s, head, n, Transposed::b});  // backward: dP = dC V^T
  add.product("attention context", twice, {s, head, s, n});                // backward: dQ = dS K
  add.product("feed-forward 1", 1, {t, 4 * d, d});
  add.product("feed-forward 2", 1, {t, d, 4 * d});
  if (!l.backward) return;
  add.product("attention, transposed", 2, {s, head, s, n, Transposed::a});  // dV, dK
  add.product("projection, dX", 4, {t, d, d, 1, Transposed::b});
  add.product("projection, dW", 4, {d, d, t, 1, Transposed::a});
  add.product("feed-forward 1, dX", 1, {t, d, 4 * d, 1, Transposed::b});
  add.product("feed-forward 1, dW", 1, {d, 4 * d, t, 1, Transposed::a});
  add.product("feed-forward 2, dX", 1, {t, 4 * d, d, 1, Transposed::b});
  add.product("feed-forward 2, dW", 1, {4 * d, d, t, 1, Transposed::a});
}

/// Scaling, softmax and dropout of the scores.
void add_attention(Builder& add) {
  const Layer& l = add.layer;
  const std::uint64_t s = l.sequence, rows = l.batch * l.heads() * s;
  const int twice = l.backward ? 2 : 1;
  if (l.fused) {
    add.rows("scale+softmax+dropout", 1, Op::scaled_softmax_dropout, rows, s);
    if (l.backward)
      add.rows("scale+softmax+dropout gradient", 1, Op::scaled_softmax_dropout_gradient, rows, s);
    return;
  }
  add.rows("softmax", 1, Op::softmax, rows, s);
  add.pointwise("scaling", twice, Op::mul, rows * s);
  add.rows("dropout of scores", twice, Op::drop, rows, s);
  if (l.backward) add.rows("softmax gradient", 1, Op::softmax_gradient, rows, s);
}

/// Biases, gelu, dropout, residual connections and layernorm.
void add_others(Builder& add) {
  const Layer& l = add.layer;
  const std::uint64_t t = l.tokens(), d = l.width;
  add.rows("bias", 5, Op::bias, t, d);
  if (l.fused) {
    add.rows("bias+gelu", 1, Op::bias_gelu, t, 4 * d);
    add.rows("dropout+residual add", 2, Op::dropout, t, d);
  } else {
    add.rows("bias of feed-forward 1", 1, Op::bias, t, 4 * d);
    add.pointwise("gelu", 1, Op::gelu, t * 4 * d);
  }
  // Backward: the gradient of each dropout.
  if (!l.fused || l.backward) add.rows("dropout", l.fused ? 2 : l.backward ? 4 : 2, Op::drop, t, d);
  // Backward: gradients meet at the input of both halves, and behind Q, K and V.
  const int residuals = (l.fused ? 0 : 2) + (l.backward ? 4 : 0);
  if (residuals > 0) add.rows("residual add", residuals, Op::residual, t, d);
  add.rows("layernorm", 2, Op::layernorm, t, d);
  if (!l.backward) return;
  add.rows("gelu gradient", 1, Op::gelu_gradient, t, 4 * d);
  add.rows("layernorm gradient", 2, Op::layernorm_gradient, t, d);
  add.rows("bias gradient", 5, Op::column_sum, t, d);
  add.rows("bias gradient of feed-forward 1", 1, Op::column_sum, t, 4 * d);
}

const Point* measured(std::span<const Point* const> points, const Case& what, By by) {
  return first_measured(points, [&](const Case& measured) {
    Case other = measured;
    other.by = By::own;
    return measured.by == by && other == what;
  });
}

}  // namespace

std::string_view name_of(Class one) {
  constexpr std::array<std::string_view, 3> names{"tensor contraction", "normalization",
                                                  "element-wise"};
  return names[static_cast<std::size_t>(one)];
}

std::string label_of(const Operator& one) {
  return one.times == 1 ? std::string(one.name) : fmt::format("{} ({} times)", one.name, one.times);
}

std::vector<Operator> operators_of(const Layer& layer) {
  Builder add{layer};
  add_contractions(add);
  add_attention(add);
  add_others(add);
  return add.list;
}

Class class_of(const Case& what) {
  constexpr std::array normalizing{Op::softmax,
                                   Op::layernorm,
                                   Op::softmax_gradient,
                                   Op::layernorm_gradient,
                                   Op::scaled_softmax_dropout,
                                   Op::scaled_softmax_dropout_gradient};
  if (what.family == Family::matmul) return Class::contraction;
  const bool normalizes = std::ranges::find(normalizing, what.op()) != normalizing.end();
  return normalizes ? Class::normalization : Class::element_wise;
}

double plain_flops(const Case& what) {
  if (what.family == Family::matmul) return work_of(what).flops;
  return static_cast<double>(what.elements) * what.op()->flops;
}

Sum Account::all() const {
  Sum all;
  for (const Sum& one : of) {
    all.flops += one.flops;
    all.seconds = engine::sum(all.seconds, one.seconds);
  }
  return all;
}

Account account_of(const Session& session, std::span<const Point* const> points, const Layer& layer,
                   By contractions) {
  Account account;
  account.contractions = contractions;
  for (const Operator& one : operators_of(layer)) {
    const Class its = class_of(one.what);
    const Point* point =
        measured(points, one.what, its == Class::contraction ? contractions : By::own);
    if (point == nullptr) {
      ++account.missing;
      continue;
    }
    account.points.push_back(point);
    const Interval took = metrics::runtime.at(*point, session);
    Sum& of_class = account.of[static_cast<std::size_t>(its)];
    of_class.flops += one.times * plain_flops(one.what);
    of_class.seconds =
        sum(of_class.seconds, mapped(took, [&](double seconds) { return one.times * seconds; }));
  }
  return account;
}

Account counted_account(const Session& session, std::span<const Point* const> points,
                        const Layer& layer) {
  if (session.device.kind == "cuda") {
    Account library = account_of(session, points, layer, By::library);
    if (library.missing == 0) return library;
  }
  return account_of(session, points, layer);
}

void refuse_too_large(const Place& place, const Operator& one) {
  const std::string why = refusal_of(one.what);
  const double bytes = footprint_of(one.what);
  const bool fits = !(place.free_bytes > 0) || bytes <= place.free_bytes;
  if (one.what.family == kernels::Family::matmul && !why.empty())
    throw BadInput(fmt::format("{}: {}; choose a smaller --batch or --sequence", one.name, why));
  if (!fits)
    throw BadInput(
        fmt::format("{} needs {}, and {} are free; choose a smaller --batch or --sequence",
                    one.name, units::bytes(bytes), units::bytes(place.free_bytes)));
}

void refuse_lacking(const Place& place, const Layer& layer) {
  std::vector<std::string_view> names;
  for (const Operator& one : operators_of(layer)) {
    kernels::Case usual = one.what;
    usual.dtype = kernels::Dtype::fp32;
    usual.units = kernels::Units::vector;
    if (!place.runs(one.what) && place.runs(usual)) names.push_back(one.name);
  }
  if (names.empty()) return;
  throw BadInput(
      fmt::format("--dtype {} --units {}: there are no kernels for {}; choose --dtype fp32 and "
                  "--units vector",
                  name_of(layer.dtype), name_of(layer.units), fmt::join(names, ", ")));
}

}  // namespace engine::bert
