// What a thread of a rowwise launch does. The threads of a team share a row, which they keep in
// registers where it fits: then DRAM is read once and written once. A longer row is walked in
// parts, which are read again for every pass over it. Between its phases a team reduces: that is up
// to the caller, so that tests run the phases on the host. Plain C++.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/arithmetic.hpp"
#include "kernels/cuda/bodies/pointwise_body.hpp"
#include "kernels/random.hpp"

namespace kernels::cuda {

/// How often a team reduces: sums, but the first of softmax, which is a maximum.
constexpr int reductions_of(Op op) {
  if (op == Op::layernorm || op == Op::softmax) return 2;
  return op == Op::rmsnorm || op == Op::sum ? 1 : 0;
}
constexpr bool reduces_to_maximum(Op op) { return op == Op::softmax; }

template <class S>
inline constexpr Dtype dtype_of = sizeof(S) == 8 ? Dtype::fp64 : Dtype::fp32;

template <class S, Op op, int team>
class RowThread {
  using Lanes = Packed<S>;
  static constexpr int lanes = Lanes::chains;

 public:
  RIDGEPOINT_BOTH RowThread(const RowwiseArguments& args, Place place)
      : args_(args),
        row_((args.first + place.block) * (place.threads / team) + place.thread / team),
        lane_(place.thread % team),
        vectors_(args.columns / lanes),
        parts_((vectors_ + per_part - 1) / per_part) {}

  /// The first value that the team reduces.
  RIDGEPOINT_BOTH S first() {
    S result = reduces_to_maximum(op) ? lowest() : S(0);
    for_parts(true, [&](std::uint64_t) {
      each([&](S& x) {
        if (op == Op::softmax) result = x > result ? x : result;
        if (op == Op::layernorm || op == Op::sum) result += x;
        if (op == Op::rmsnorm) result += x * x;
      });
    });
    return result;
  }

  /// The second, with what became of the first.
  RIDGEPOINT_BOTH S second(S total) {
    S result = 0;
    const S mean = total / static_cast<S>(args_.columns);
    for_parts(parts_ > 1, [&](std::uint64_t) {
      each([&](S& x) {
        if (op == Op::layernorm) result += (x - mean) * (x - mean);
        if (op == Op::softmax) result += x = exponential(x - total);
      });
    });
    return result;
  }

  /// Writes the result.
  RIDGEPOINT_BOTH void finish(S one, S two) {
    if (op == Op::sum) {
      if (lane_ == 0) static_cast<S*>(args_.out)[row_] = one;
      return;
    }
    const S count = static_cast<S>(args_.columns);
    const S mean = one / count;
    const S square = (op == Op::layernorm ? two : one) / count;
    const S over = op == Op::softmax ? S(1) / two : S(1) / kernels::root(square + S(norm_epsilon));
    for_parts(reductions_of(op) == 0 || parts_ > 1, [&](std::uint64_t part) {
      if constexpr (reductions_of(op) == 0) add_second(part);
      each([&](S& x) {
        if (op == Op::layernorm) x = (x - mean) * over;
        if (op == Op::rmsnorm) x = x * over;
        if (op == Op::softmax) x = (parts_ > 1 ? exponential(x - one) : x) * over;
      });
      store(part);
    });
  }

 private:
  static constexpr std::uint64_t per_part = team * row_vectors;

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
      if (load) this->load(part);
      inside_ = 0;
#pragma unroll
      for (int v = 0; v < row_vectors; ++v) inside_ += index(part, v) < vectors_ ? 1 : 0;
      f(part);
    }
  }

  /// Calls f(x) for each element that lies in the row.
  template <class F>
  RIDGEPOINT_BOTH void each(F f) {
#pragma unroll
    for (int v = 0; v < row_vectors; ++v) {
      if (v < inside_) {
#pragma unroll
        for (int i = 0; i < lanes; ++i) f(x_[v * lanes + i]);
      }
    }
  }

  RIDGEPOINT_BOTH void load(std::uint64_t part) {
    Vector data[row_vectors];
#pragma unroll
    for (int v = 0; v < row_vectors; ++v) {
      data[v] = Vector{};
      if (index(part, v) < vectors_) data[v] = args_.in[row_ * vectors_ + index(part, v)];
    }
#pragma unroll
    for (int v = 0; v < row_vectors; ++v) Lanes::unpack(data[v], x_ + v * lanes);
  }

  RIDGEPOINT_BOTH void store(std::uint64_t part) const {
#pragma unroll
    for (int v = 0; v < row_vectors; ++v) {
      if (v < inside_)
        static_cast<Vector*>(args_.out)[row_ * vectors_ + index(part, v)] =
            Lanes::pack(x_ + v * lanes);
    }
  }

  /// bias, bias+gelu and dropout+add: what the second tensor has to do with it.
  RIDGEPOINT_BOTH void add_second(std::uint64_t part) {
    const std::uint64_t begin = op == Op::dropout ? row_ * vectors_ : 0;
    Vector data[row_vectors];
#pragma unroll
    for (int v = 0; v < row_vectors; ++v) {
      data[v] = Vector{};
      if (v < inside_) data[v] = args_.second[begin + index(part, v)];
    }
#pragma unroll
    for (int v = 0; v < row_vectors; ++v) {
      if (v >= inside_) continue;
      S other[lanes];
      Lanes::unpack(data[v], other);
#pragma unroll
      for (int i = 0; i < lanes; ++i) {
        S& x = x_[v * lanes + i];
        const std::uint64_t at = (begin + index(part, v)) * lanes + static_cast<unsigned>(i);
        if (op == Op::dropout) x = keeps(dtype_of<S>, at) ? x + x : S(0);
        x += other[i];
        if (op == Op::bias_gelu) x = pointwise::gelu::of(x, Kit<S>{});
      }
    }
  }

  RowwiseArguments args_;
  std::uint64_t row_;
  std::uint32_t lane_;
  std::uint64_t vectors_, parts_;  // of a row
  int inside_ = 0;                 // vectors of this thread in the part at hand: the first ones
  S x_[row_vectors * lanes];
};

/// A square tile of a transpose, whose rows in shared memory begin in different banks.
template <class S>
class TransposeTile {
  static constexpr int lanes = sizeof(Vector) / sizeof(S);
  static constexpr int per_line = transpose_side / lanes;
  static constexpr int stride = transpose_side + 1;
  static constexpr int each = transpose_side * per_line / row_block_threads;

 public:
  static constexpr int shared_elements = transpose_side * stride;

  RIDGEPOINT_BOTH TransposeTile(const RowwiseArguments& args, Place place)
      : args_(args), thread_(place.thread) {
    const std::uint64_t tile = args.first + place.block;
    const std::uint64_t across = args.columns / transpose_side;
    row_ = tile / across * transpose_side;
    column_ = tile % across * transpose_side;
  }

  RIDGEPOINT_BOTH void stage(S* shared) const {
    Vector data[each];
#pragma unroll
    for (int v = 0; v < each; ++v)
      data[v] = args_.in[((row_ + line(v)) * args_.columns + column_) / lanes + at(v)];
#pragma unroll
    for (int v = 0; v < each; ++v) {
      S x[lanes];
      Packed<S>::unpack(data[v], x);
#pragma unroll
      for (int i = 0; i < lanes; ++i)
        shared[line(v) * stride + at(v) * lanes + static_cast<unsigned>(i)] = x[i];
    }
  }

  RIDGEPOINT_BOTH void store(const S* shared) const {
#pragma unroll
    for (int v = 0; v < each; ++v) {
      S x[lanes];
#pragma unroll
      for (int i = 0; i < lanes; ++i)
        x[i] = shared[(at(v) * lanes + static_cast<unsigned>(i)) * stride + line(v)];
      static_cast<Vector*>(args_.out)[((column_ + line(v)) * args_.rows + row_) / lanes + at(v)] =
          Packed<S>::pack(x);
    }
  }

 private:
  /// Of the thread's vector v: its line of the tile, and its place there.
  RIDGEPOINT_BOTH std::uint32_t line(int v) const { return number(v) / per_line; }
  RIDGEPOINT_BOTH std::uint32_t at(int v) const { return number(v) % per_line; }
  RIDGEPOINT_BOTH std::uint32_t number(int v) const {
    return static_cast<std::uint32_t>(v * row_block_threads) + thread_;
  }

  RowwiseArguments args_;
  std::uint32_t thread_;
  std::uint64_t row_, column_;
};

/// Which rowwise kernels there are beside transposes. Calls visit<S, op, team>().
template <class Visit>
void visit_rowwise(Visit visit) {
  const auto teams = [&]<class S, Op op>() {
    visit.template operator()<S, op, row_teams[0]>();
    visit.template operator()<S, op, row_teams[1]>();
  };
  const auto ops = [&]<class S>() {
    teams.template operator()<S, Op::layernorm>();
    teams.template operator()<S, Op::rmsnorm>();
    teams.template operator()<S, Op::softmax>();
    teams.template operator()<S, Op::sum>();
    teams.template operator()<S, Op::bias>();
    teams.template operator()<S, Op::bias_gelu>();
    teams.template operator()<S, Op::dropout>();
  };
  ops.template operator()<float>();
  ops.template operator()<double>();
}

}  // namespace kernels::cuda
