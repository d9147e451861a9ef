// The loops behind every `rowwise` row. See op_loop.hpp for the rules and for the Simd policies.
// Reductions go over a row, which stays in the L1 for the passes after the first.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/families/pointwise/pointwise_loop.hpp"
#include "kernels/families/rowwise/rowwise.hpp"

namespace kernels::cpu {
namespace {

/// One row: n elements, a multiple of 64. `second` is beside it (dropout, gradients) or the bias.
template <class Simd>
struct MatrixRow {
  using S = typename Simd::Scalar;
  using V = typename Simd::Vector;
  const S* in;
  const S* second;
  S* out;
  std::uint64_t n, first;  ///< index of its first element
  const Kit<Simd>& kit;
};

template <class Simd>
[[gnu::always_inline]] inline typename Simd::Scalar sum_of_lanes(typename Simd::Vector x) {
  typename Simd::Scalar sum = 0;
  for (int i = 0; i < Simd::lanes; ++i) sum += x[i];
  return sum;
}

/// The sum of f(x) over a row, in four sums side by side: 64 elements are whole trips of all.
template <class Simd, class F>
[[gnu::always_inline]] inline typename Simd::Scalar row_sum(const typename Simd::Scalar* in,
                                                            std::uint64_t n, F f) {
  typename Simd::Vector sum[4] = {};
  for (std::uint64_t at = 0; at < n; at += 4 * Simd::lanes) {
    for (int i = 0; i < 4; ++i) sum[i] += f(Simd::load(in + at + i * Simd::lanes));
  }
  return sum_of_lanes<Simd>(sum[0] + sum[1] + sum[2] + sum[3]);
}

/// out = f(x, index in the row), past the caches.
template <class Simd, class F>
[[gnu::always_inline]] inline void map_row(const typename Simd::Scalar* in,
                                           typename Simd::Scalar* out, std::uint64_t n, F f) {
  for (std::uint64_t at = 0; at < n; at += Simd::lanes)
    Simd::stream(out + at, f(Simd::load(in + at), at));
}

/// What dropout multiplies the elements of a register with: 2 where the top bit of a product with
/// the index is set, else 0. By integer operations alone: they are no FLOP.
template <class Simd>
class Kept {
  using S = typename Simd::Scalar;
  using Word = std::conditional_t<sizeof(S) == 8, std::uint64_t, std::uint32_t>;
  typedef Word Words __attribute__((vector_size(sizeof(typename Simd::Vector))));
  typedef std::make_signed_t<Word> Signed
      __attribute__((vector_size(sizeof(typename Simd::Vector))));

 public:
  [[gnu::always_inline]] Kept() {
    for (int i = 0; i < Simd::lanes; ++i) lanes_[i] = static_cast<Word>(i);
  }
  /// `first`: index of the first element of the register.
  [[gnu::always_inline]] typename Simd::Vector operator()(std::uint64_t first) const {
    constexpr Word odd = static_cast<Word>(sizeof(S) == 8 ? 0x9e3779b97f4a7c15U : 0x9e3779b9U);
    constexpr Word two = static_cast<Word>(sizeof(S) == 8 ? 0x4000000000000000U : 0x40000000U);
    const Words hash = (lanes_ + static_cast<Word>(first)) * odd;
    const auto kept = reinterpret_cast<Words>(reinterpret_cast<Signed>(hash) < 0);
    return reinterpret_cast<typename Simd::Vector>(kept & two);
  }

 private:
  Words lanes_{};
};

template <class Simd>
[[gnu::always_inline]] inline typename Simd::Scalar one_over_root(typename Simd::Scalar x) {
  return 1 / Simd::root(Simd::set(x))[0];
}

inline constexpr double small_variance = 1e-5;  // as torch.nn.LayerNorm adds

struct LayerNorm {
  static constexpr Op op = Op::layernorm;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    using S = typename Simd::Scalar;
    using V = typename Simd::Vector;
    const S n = static_cast<S>(r.n);
    const S mean = row_sum<Simd>(r.in, r.n, [](V x) { return x; }) / n;
    const S variance =
        row_sum<Simd>(r.in, r.n, [mean](V x) { return (x - mean) * (x - mean); }) / n;
    const S over = one_over_root<Simd>(variance + static_cast<S>(small_variance));
    map_row<Simd>(r.in, r.out, r.n, [=](V x, std::uint64_t) { return (x - mean) * over; });
  }
};

struct RmsNorm {
  static constexpr Op op = Op::rmsnorm;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    using S = typename Simd::Scalar;
    using V = typename Simd::Vector;
    const S square = row_sum<Simd>(r.in, r.n, [](V x) { return x * x; }) / static_cast<S>(r.n);
    const S over = one_over_root<Simd>(square + static_cast<S>(small_variance));
    map_row<Simd>(r.in, r.out, r.n, [=](V x, std::uint64_t) { return x * over; });
  }
};

/// exp of a row times `scale` over its sum. The exponentials wait for their sum in the L1; those of
/// very long rows in the output. `finish(value, index in the row)`: what is written.
template <class Simd, class Finish>
[[gnu::always_inline]] inline void softmax_row(const MatrixRow<Simd>& r,
                                               typename Simd::Scalar scale, Finish finish) {
  using S = typename Simd::Scalar;
  using V = typename Simd::Vector;
  constexpr std::uint64_t most_kept = 2048;
  alignas(cache_line) S kept[most_kept];
  S* const exponentials = r.n <= most_kept ? kept : r.out;
  V most = Simd::load(r.in);
  for (std::uint64_t at = 0; at < r.n; at += Simd::lanes) {
    const V x = Simd::load(r.in + at);
    most = x > most ? x : most;
  }
  S highest = most[0];
  for (int i = 1; i < Simd::lanes; ++i) highest = most[i] > highest ? most[i] : highest;
  highest *= scale;
  V sum{};
  for (std::uint64_t at = 0; at < r.n; at += Simd::lanes) {
    const V e = r.kit.exp(Simd::load(r.in + at) * scale - highest);
    sum += e;
    Simd::store(exponentials + at, e);
  }
  const S over = 1 / sum_of_lanes<Simd>(sum);
  map_row<Simd>(exponentials, r.out, r.n,
                [&](V x, std::uint64_t at) { return finish(x * over, at); });
}

struct Softmax {
  static constexpr Op op = Op::softmax;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    softmax_row<Simd>(r, 1, [](typename Simd::Vector x, std::uint64_t) { return x; });
  }
};

struct ScaledSoftmaxDropout {
  static constexpr Op op = Op::scaled_softmax_dropout;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    const Kept<Simd> kept;
    softmax_row<Simd>(
        r, static_cast<typename Simd::Scalar>(attention_scale),
        [&](typename Simd::Vector x, std::uint64_t at) { return x * kept(r.first + at); });
  }
};

struct RowSum {
  static constexpr Op op = Op::sum;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    *r.out = row_sum<Simd>(r.in, r.n, [](typename Simd::Vector x) { return x; });
  }
};

struct Bias {
  static constexpr Op op = Op::bias;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    map_row<Simd>(r.in, r.out, r.n, [&r](typename Simd::Vector x, std::uint64_t at) {
      return x + Simd::load(r.second + at);
    });
  }
};

struct BiasGelu {
  static constexpr Op op = Op::bias_gelu;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    map_row<Simd>(r.in, r.out, r.n, [&r](typename Simd::Vector x, std::uint64_t at) {
      return pointwise::gelu::template of<Simd>(x + Simd::load(r.second + at), r.kit);
    });
  }
};

struct Dropout {
  static constexpr Op op = Op::dropout;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    const Kept<Simd> kept;
    map_row<Simd>(r.in, r.out, r.n, [&](typename Simd::Vector x, std::uint64_t at) {
      return Simd::load(r.second + at) + x * kept(r.first + at);
    });
  }
};

struct Drop {
  static constexpr Op op = Op::drop;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    const Kept<Simd> kept;
    map_row<Simd>(r.in, r.out, r.n, [&](typename Simd::Vector x, std::uint64_t at) {
      return x * kept(r.first + at);
    });
  }
};

struct Residual {
  static constexpr Op op = Op::residual;
  template <class Simd>
  static void row(const MatrixRow<Simd>& r) {
    map_row<Simd>(r.in, r.out, r.n, [&r](typename Simd::Vector x, std::uint64_t at) {
      return x + Simd::load(r.second + at);
    });
  }
};

/// Whole rows of the operator, one after the other.
template <class Simd, class Operator>
void each_row(const RowwiseSlice& slice) {
  using S = typename Simd::Scalar;
  const PointwiseSlice constants{nullptr, nullptr, 0, 0, 0, false, slice.functions};
  const Kit<Simd> kit = kit_of<Simd>(constants);
  for (std::uint64_t row = slice.first; row < slice.first + slice.rows; ++row) {
    const std::uint64_t at = row * slice.columns;
    const auto* second = static_cast<const S*>(slice.second);
    const bool one_row = Operator::op == Op::bias || Operator::op == Op::bias_gelu;
    auto* out = static_cast<S*>(slice.out) + (Operator::op == Op::sum ? row : at);
    Operator::template row<Simd>({static_cast<const S*>(slice.in) + at,
                                  one_row || second == nullptr ? second : second + at, out,
                                  slice.columns, at, kit});
  }
}

struct Transpose {
  static constexpr Op op = Op::transpose;
};

/// Blocks of as many rows as fill a cache line of the result, over all columns.
template <class Simd>
void transpose_rows(const RowwiseSlice& slice) {
  using S = typename Simd::Scalar;
  constexpr std::uint64_t line = cache_line / sizeof(S);
  const auto* in = static_cast<const S*>(slice.in);
  auto* out = static_cast<S*>(slice.out);
  for (std::uint64_t row = slice.first; row < slice.first + slice.rows; row += line) {
    for (std::uint64_t column = 0; column < slice.columns; ++column) {
      alignas(cache_line) S part[line];
      for (std::uint64_t i = 0; i < line; ++i) part[i] = in[(row + i) * slice.columns + column];
      for (std::uint64_t i = 0; i < line; i += Simd::lanes)
        Simd::stream(out + column * slice.all_rows + row + i, Simd::load(part + i));
    }
  }
}

struct ColumnSum {
  static constexpr Op op = Op::column_sum;
};

/// Sums of so many columns stay in the L1 while all rows go by.
template <class Simd>
void column_sums(const RowwiseSlice& slice) {
  using S = typename Simd::Scalar;
  constexpr std::uint64_t most = 1024;
  const auto* in = static_cast<const S*>(slice.in);
  auto* out = static_cast<S*>(slice.out);
  for (std::uint64_t done = 0; done < slice.rows; done += most) {
    const std::uint64_t first = slice.first + done;
    const std::uint64_t count = slice.rows - done < most ? slice.rows - done : most;
    alignas(cache_line) S sums[most] = {};
    for (std::uint64_t row = 0; row < slice.all_rows; ++row) {
      const S* from = in + row * slice.columns + first;
      for (std::uint64_t at = 0; at < count; at += Simd::lanes)
        Simd::store(sums + at, Simd::load(sums + at) + Simd::load(from + at));
    }
    for (std::uint64_t at = 0; at < count; at += Simd::lanes)
      Simd::stream(out + first + at, Simd::load(sums + at));
  }
}

/// A RowwiseFunction.
template <class Simd, class Operator>
void rowwise_slice(const RowwiseSlice& slice) {
  if constexpr (Operator::op == Op::transpose) {
    transpose_rows<Simd>(slice);
  } else if constexpr (Operator::op == Op::column_sum) {
    column_sums<Simd>(slice);
  } else {
    each_row<Simd, Operator>(slice);
  }
  Simd::fence();
}

}  // namespace
}  // namespace kernels::cpu
