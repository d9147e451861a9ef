// What a thread of the operators does whose blocks share a part of a matrix: sums of columns and
// transposes. Between its two phases the block waits for all of its threads: that is up to the
// caller, so that tests run the phases on the host. Plain C++.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/arithmetic.hpp"
#include "kernels/families/rowwise/rowwise_body.hpp"

namespace kernels::cuda {

/// The sums of a group of columns over a part of the rows, written as Result: the type of the
/// elements, or fp32 where the sums are parts of others. Threads side by side read a line of the
/// group; each sums every so many lines, and then the first line of threads what all have.
template <class Memory, class Result = Memory>
class ColumnThread {
  using Lanes = typename StorageOf<Memory>::Lanes;
  using S = typename Lanes::Chain;
  using Out = typename StorageOf<Result>::Lanes;
  static constexpr int lanes = Lanes::chains, row_vectors = row_vectors_of<Memory>;
  static constexpr int across = column_group / lanes, down = row_block_threads / across;

 public:
  static constexpr int shared_sums = row_block_threads * lanes;
  using Sum = S;

  RIDGEPOINT_BOTH ColumnThread(const RowwiseArguments& args, Place place)
      : args_(args),
        thread_(place.thread),
        part_(place.block % args.parts),
        vectors_(args.columns / lanes),
        column_((args.first + place.block / args.parts) * across + thread_ % across) {}

  RIDGEPOINT_BOTH void stage(S* shared) const {
    const std::uint64_t end = args_.rows * (part_ + 1) / args_.parts;
    S sum[lanes] = {};
#pragma unroll 1
    for (std::uint64_t row = args_.rows * part_ / args_.parts + thread_ / across; row < end;
         row += row_vectors * down) {
      Vector data[row_vectors];
#pragma unroll
      for (int v = 0; v < row_vectors; ++v) {
        const std::uint64_t at = row + static_cast<unsigned>(v * down);
        data[v] = Vector{};
        if (at < end) data[v] = args_.in[at * vectors_ + column_];
      }
#pragma unroll
      for (int v = 0; v < row_vectors; ++v) {
        S x[lanes];
        Lanes::unpack(data[v], x);
#pragma unroll
        for (int i = 0; i < lanes; ++i) sum[i] += x[i];
      }
    }
    std::memcpy(
        __builtin_assume_aligned(static_cast<void*>(shared + thread_ * lanes), sizeof(Vector)), sum,
        sizeof(sum));
  }

  RIDGEPOINT_BOTH void finish(const S* shared) const {
    if (thread_ >= across) return;
    S sum[lanes] = {};
#pragma unroll
    for (int line = 0; line < down; ++line) {
      S x[lanes];
      std::memcpy(x,
                  __builtin_assume_aligned(
                      static_cast<const void*>(
                          shared + (thread_ + static_cast<unsigned>(line * across)) * lanes),
                      sizeof(Vector)),
                  sizeof(x));
#pragma unroll
      for (int i = 0; i < lanes; ++i) sum[i] += x[i];
    }
    store(sum);
  }

 private:
  /// As one vector, two, or half of one.
  RIDGEPOINT_BOTH void store(const S (&sum)[lanes]) const {
    constexpr int bytes = lanes * Out::element_bytes;
    auto* const to = static_cast<unsigned char*>(args_.out) + (part_ * vectors_ + column_) * bytes;
    S filled[lanes < Out::chains ? Out::chains : lanes] = {};
#pragma unroll
    for (int i = 0; i < lanes; ++i) filled[i] = sum[i];
#pragma unroll
    for (int at = 0; at < lanes; at += Out::chains) {
      const Vector vector = Out::pack(filled + at);
      constexpr int piece = bytes < static_cast<int>(sizeof(Vector)) ? bytes : sizeof(Vector);
      std::memcpy(__builtin_assume_aligned(static_cast<void*>(to + at * Out::element_bytes), piece),
                  &vector, piece);
    }
  }

  RowwiseArguments args_;
  std::uint32_t thread_;
  std::uint64_t part_;
  std::uint64_t vectors_;  // of a row
  std::uint64_t column_;   // in vectors
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

}  // namespace kernels::cuda
