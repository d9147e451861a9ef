// What a thread of a rowwise launch does. The threads of a team share a row, which they keep in
// registers where it fits: then DRAM is read once and written once. A longer row is walked in
// parts, which are read again for every pass over it. Between its phases a team reduces: that is up
// to the caller, so that tests run the phases on the host. Plain C++.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/arithmetic.hpp"
#include "kernels/families/pointwise/pointwise_body.hpp"
#include "kernels/random.hpp"

namespace kernels::cuda {

RIDGEPOINT_BOTH constexpr bool is_softmax(Op op) {
  return op == Op::softmax || op == Op::scaled_softmax_dropout;
}
RIDGEPOINT_BOTH constexpr bool is_softmax_gradient(Op op) {
  return op == Op::softmax_gradient || op == Op::scaled_softmax_dropout_gradient;
}
RIDGEPOINT_BOTH constexpr bool is_layernorm(Op op) {
  return op == Op::layernorm || op == Op::layernorm_gradient;
}
/// One row for all rows, or a tensor beside the first.
constexpr bool reads_one_row(Op op) { return op == Op::bias || op == Op::bias_gelu; }
constexpr bool reads_second(Op op) { return reads_one_row(op) || op_rows[op.row].tensors_read > 1; }

/// How often a team reduces: sums, but the first of softmax, which is a maximum.
RIDGEPOINT_BOTH constexpr int reductions_of(Op op) {
  if (is_layernorm(op) || is_softmax(op)) return 2;
  return op == Op::rmsnorm || op == Op::sum || is_softmax_gradient(op) ? 1 : 0;
}
RIDGEPOINT_BOTH constexpr bool reduces_to_maximum(Op op) { return is_softmax(op); }
/// Whether each of these has a sum over the gradient beside it.
RIDGEPOINT_BOTH constexpr bool reduces_two(Op op) { return op == Op::layernorm_gradient; }

/// Of float, double and WidenedBf16.
template <class Memory>
inline constexpr Dtype dtype_of = sizeof(Memory) == 8 ? Dtype::fp64 : Dtype::fp32;
template <>
inline constexpr Dtype dtype_of<WidenedBf16> = Dtype::bf16;

template <class Memory>
inline constexpr int row_vectors_of = row_vectors_for(StorageOf<Memory>::Lanes::element_bytes);

/// What a team reduces at a time.
template <class S>
struct Reduced {
  S of_x, of_gradient;
};

/// g times the derivative of gelu: P(x) + x p(x), the normal distribution and its density.
template <class S>
RIDGEPOINT_BOTH S gelu_gradient(S x, S g) {
  const S below = S(0.5) * error_function(x * S(0.70710678118654752)) + S(0.5);
  const S density = exponential(x * x * S(-0.5)) * S(0.39894228040143268);
  return g * (x * density + below);
}

template <class Memory, Op op, int team>
class RowThread {
  using Lanes = typename StorageOf<Memory>::Lanes;
  using S = typename Lanes::Chain;
  static constexpr int lanes = Lanes::chains, row_vectors = row_vectors_of<Memory>;
  static constexpr bool has_second = reads_second(op), has_one_row = reads_one_row(op);

 public:
  RIDGEPOINT_BOTH RowThread(const RowwiseArguments& args, Place place)
      : args_(args),
        row_((args.first + place.block) * (place.threads / team) + place.thread / team),
        lane_(place.thread % team),
        vectors_(args.columns / lanes),
        parts_((vectors_ + per_part - 1) / per_part) {}

  /// The first values that the team reduces; of dropout's gradient half of them.
  RIDGEPOINT_BOTH Reduced<S> first() {
    Reduced<S> result{is_softmax(op) ? lowest() : S(0), S(0)};
    for_parts(true, [&](std::uint64_t part) {
      each(part, [&](S& x, S g, std::uint64_t at) {
        if (is_softmax(op)) result.of_x = x > result.of_x ? x : result.of_x;
        if (is_layernorm(op) || op == Op::sum) result.of_x += x;
        if (op == Op::rmsnorm) result.of_x += x * x;
        if (op == Op::softmax_gradient) result.of_x += x * g;
        if (op == Op::scaled_softmax_dropout_gradient) result.of_x += kept(at) ? x * g : S(0);
        if (op == Op::layernorm_gradient) result.of_gradient += g;
      });
    });
    return result;
  }

  /// The second ones, with what became of the first.
  RIDGEPOINT_BOTH Reduced<S> second(Reduced<S> total) {
    Reduced<S> result{};
    const S mean = total.of_x / static_cast<S>(args_.columns);
    for_parts(parts_ > 1, [&](std::uint64_t part) {
      each(part, [&](S& x, S g, std::uint64_t) {
        if (is_layernorm(op)) result.of_x += (x - mean) * (x - mean);
        if (op == Op::layernorm_gradient) result.of_gradient += g * (x - mean);
        if (is_softmax(op)) result.of_x += x = power(x, total.of_x);
      });
    });
    return result;
  }

  /// Writes the result.
  RIDGEPOINT_BOTH void finish(Reduced<S> one, Reduced<S> two) {
    if (op == Op::sum) {
      if (lane_ == 0) store_sum(one.of_x);
      return;
    }
    const Row row = row_of(one, two);
    for_parts(reductions_of(op) == 0 || parts_ > 1, [&](std::uint64_t part) {
      each(part, [&](S& x, S g, std::uint64_t at) { x = result_of(row, x, g, at); });
      store(part);
    });
  }

 private:
  static constexpr std::uint64_t per_part = team * row_vectors;

  /// What all results of a row share.
  struct Row {
    S total;  ///< what was reduced first, and all of its factors
    S mean, over;
    S gradient_mean, slope;
  };
  RIDGEPOINT_BOTH Row row_of(Reduced<S> one, Reduced<S> two) const {
    const S count = static_cast<S>(args_.columns);
    const S square = (is_layernorm(op) ? two.of_x : one.of_x) / count;
    const S over = is_softmax(op) ? S(1) / two.of_x : S(1) / root(square + S(norm_epsilon));
    const bool half = op == Op::scaled_softmax_dropout_gradient;
    return {half ? one.of_x + one.of_x : one.of_x, one.of_x / count, over, one.of_gradient / count,
            two.of_gradient / count * over * over};
  }

  RIDGEPOINT_BOTH S result_of(const Row& row, S x, S g, std::uint64_t at) const {
    if (op == Op::layernorm) return (x - row.mean) * row.over;
    if (op == Op::rmsnorm) return x * row.over;
    if (op == Op::softmax) return (parts_ > 1 ? power(x, row.total) : x) * row.over;
    if (op == Op::scaled_softmax_dropout)
      return dropped((parts_ > 1 ? power(x, row.total) : x) * row.over, at);
    if (op == Op::softmax_gradient) return x * (g - row.total);
    if (op == Op::scaled_softmax_dropout_gradient)
      return x * S(attention_scale) * (dropped(g, at) - row.total);
    if (op == Op::layernorm_gradient)
      return row.over * (g - row.gradient_mean - (x - row.mean) * row.slope);
    if (op == Op::gelu_gradient) return gelu_gradient(x, g);
    if (op == Op::bias_gelu) return pointwise::gelu::of(x + g, Kit<S>{});
    if (op == Op::drop) return dropped(x, at);
    if (op == Op::dropout) return dropped(x, at) + g;
    return x + g;  // bias, residual
  }

  /// exp of an element less the largest of the row.
  RIDGEPOINT_BOTH static S power(S x, S largest) {
    constexpr S scale = op == Op::scaled_softmax_dropout ? S(attention_scale) : S(1);
    return exponential(x * scale - largest * scale);
  }

  RIDGEPOINT_BOTH static bool kept(std::uint64_t at) { return keeps(dtype_of<Memory>, at); }
  RIDGEPOINT_BOTH static S dropped(S x, std::uint64_t at) { return kept(at) ? x + x : S(0); }

  /// Minus infinity, by its bits: not every compiler of kernels has a name for it.
  RIDGEPOINT_BOTH static S lowest() {
    return operand<S>(sizeof(S) == 8 ? 0xfff0000000000000U : 0xff800000U);
  }

  RIDGEPOINT_BOTH std::uint64_t index(std::uint64_t part, int v) const {
    return part * per_part + static_cast<std::uint64_t>(v) * team + lane_;
  }

  /// Calls f(part) with each part of the row in registers; without `load`, with what they hold.
  template <class F>
  RIDGEPOINT_BOTH void for_parts(bool load, F f) {
#pragma unroll 1
    for (std::uint64_t part = 0; part < parts_; ++part) {
      if (load) {
        this->load(args_.in + row_ * vectors_, part, x_);
        if constexpr (has_second)
          this->load(args_.second + (has_one_row ? 0 : row_ * vectors_), part, second_);
      }
      inside_ = 0;
#pragma unroll
      for (int v = 0; v < row_vectors; ++v) inside_ += index(part, v) < vectors_ ? 1 : 0;
      f(part);
    }
  }

  /// Calls f(x, of the second tensor, index in the matrix) for each element that lies in the row.
  template <class F>
  RIDGEPOINT_BOTH void each(std::uint64_t part, F f) {
#pragma unroll
    for (int v = 0; v < row_vectors; ++v) {
      if (v < inside_) {
        const std::uint64_t at = (row_ * vectors_ + index(part, v)) * lanes;
#pragma unroll
        for (int i = 0; i < lanes; ++i) {
          const int element = v * lanes + i;
          f(x_[element], has_second ? second_[element] : S(0), at + static_cast<unsigned>(i));
        }
      }
    }
  }

  template <int count>
  RIDGEPOINT_BOTH void load(const Vector* row, std::uint64_t part, S (&to)[count]) const {
    Vector data[row_vectors];
#pragma unroll
    for (int v = 0; v < row_vectors; ++v) {
      data[v] = Vector{};
      if (index(part, v) < vectors_) data[v] = row[index(part, v)];
    }
#pragma unroll
    for (int v = 0; v < row_vectors; ++v) Lanes::unpack(data[v], to + v * lanes);
  }

  RIDGEPOINT_BOTH void store_sum(S sum) const {
    if constexpr (dtype_of<Memory> == Dtype::bf16) {
      static_cast<std::uint16_t*>(args_.out)[row_] =
          static_cast<std::uint16_t>(Lanes::rounded(sum));
    } else {
      static_cast<S*>(args_.out)[row_] = sum;
    }
  }

  RIDGEPOINT_BOTH void store(std::uint64_t part) const {
#pragma unroll
    for (int v = 0; v < row_vectors; ++v) {
      if (v < inside_)
        static_cast<Vector*>(args_.out)[row_ * vectors_ + index(part, v)] =
            Lanes::pack(x_ + v * lanes);
    }
  }

  RowwiseArguments args_;
  std::uint64_t row_;
  std::uint32_t lane_;
  std::uint64_t vectors_, parts_;  // of a row
  int inside_ = 0;                 // vectors of this thread in the part at hand: the first ones
  S x_[row_vectors * lanes];
  S second_[has_second ? row_vectors * lanes : 1];
};

/// Which operators on rows have teams: all but those of rowwise_tiles_body.hpp. Calls visit<Memory,
/// op, team>().
template <class Visit>
void visit_rowwise(Visit visit) {
  const auto teams = [&]<class Memory, Op op>() {
    visit.template operator()<Memory, op, row_teams[0]>();
    visit.template operator()<Memory, op, row_teams[1]>();
  };
  const auto ops = [&]<class Memory>() {
    teams.template operator()<Memory, Op::layernorm>();
    teams.template operator()<Memory, Op::rmsnorm>();
    teams.template operator()<Memory, Op::softmax>();
    teams.template operator()<Memory, Op::sum>();
    teams.template operator()<Memory, Op::bias>();
    teams.template operator()<Memory, Op::bias_gelu>();
    teams.template operator()<Memory, Op::dropout>();
    teams.template operator()<Memory, Op::drop>();
    teams.template operator()<Memory, Op::residual>();
    teams.template operator()<Memory, Op::gelu_gradient>();
    teams.template operator()<Memory, Op::softmax_gradient>();
    teams.template operator()<Memory, Op::layernorm_gradient>();
    teams.template operator()<Memory, Op::scaled_softmax_dropout>();
    teams.template operator()<Memory, Op::scaled_softmax_dropout_gradient>();
  };
  ops.template operator()<float>();
  ops.template operator()<double>();
  ops.template operator()<WidenedBf16>();
}

}  // namespace kernels::cuda
