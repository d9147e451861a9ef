// Runs the kernels of matrix products on the host: their layout, copies, loads and stores thread by
// thread, and mma.sync in software.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels/cuda/matmul/matrix_product.hpp"
#include "kernels/cuda/matmul/product_layout.hpp"
#include "kernels/cuda/matmul/vector_product.hpp"
#include "kernels/dtypes.hpp"

namespace kernels::cuda {

/// A thread's part of a slice of A or of B.
template <class Lines>
void copy_on_host(const Lines& share, Vector* lines, int thread, std::uint32_t slice) {
  for (int part = 0; part < Lines::parts; ++part) {
    typename Lines::Moved moved{};
    if (share.is_inside(part, slice)) std::memcpy(&moved, share.from(part, slice), sizeof(moved));
    std::memcpy(Lines::to(lines, thread, part), &moved, sizeof(moved));
  }
}

/// Every block of a launch as slice_queue.cuh has it: all threads copy a slice, then
/// multiply(products of the threads, slice) adds it.
template <class Product, class Share, class Multiply>
void multiply_on_host(const MatmulArguments& args, std::uint64_t blocks, Multiply multiply) {
  const auto slice = std::make_unique<Slice>();
  std::vector<Product> products(product_threads);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const ProductTile tile = product_tile_at(args, args.first + block);
    for (Product& product : products) product.clear();
    for (std::uint32_t s = 0; s < slices_of(args); ++s) {
      for (int thread = 0; thread < product_threads; ++thread) {
        const Share share(args, tile, thread);
        copy_on_host(share.a, slice->a, thread, s);
        copy_on_host(share.b, slice->b, thread, s);
      }
      multiply(products, *slice);
    }
    for (int thread = 0; thread < product_threads; ++thread) {
      Product& product = products[static_cast<std::size_t>(thread)];
      product.finish(args, tile, thread);
      product.store(args, tile, thread);
    }
  }
}

template <Dtype dtype, Layout a = Layout::lines, Layout b = Layout::lines>
void vector_product_on_host(const MatmulArguments& args, std::uint64_t blocks) {
  using Product = VectorProduct<dtype>;
  multiply_on_host<Product, SliceShare<dtype, a, b>>(
      args, blocks, [](std::vector<Product>& products, const Slice& slice) {
        for (int thread = 0; thread < product_threads; ++thread)
          products[static_cast<std::size_t>(thread)].multiply(slice, thread);
      });
}

/// decode(), of short types out of a table.
template <Dtype dtype>
double decoded(std::uint64_t bits) {
  if constexpr (size_of(dtype) > 2) {
    return decode(dtype, bits);
  } else {
    static const std::vector<double> all = [] {
      std::vector<double> values(std::size_t{1} << 8 * size_of(dtype));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = decode(dtype, i);
      return values;
    }();
    return all[bits];
  }
}

/// d += a b of a warp: element (lane / 4 + 8 i, column lane % 4 * 2 + x) of D is sum 2 i + x of a
/// lane; word (row lane / 4, + 8 where i is odd; column lane % 4 + 4 (i / 2)) of A its operand i,
/// of instructions with 8 rows column lane % 4 + 4 i; and word (row lane % 4 + 4 i, column lane /
/// 4) of B its operand i (PTX ISA, "Matrix fragments for mma").
template <Dtype dtype, int architecture>
struct SoftwareMma {
  using Product = MatrixProduct<dtype, architecture>;
  using Word = typename Product::Word;
  using Sum = typename Product::Sum;

  static constexpr std::size_t packed = sizeof(Word) / size_of(dtype);
  static constexpr std::size_t depth = 4 * static_cast<std::size_t>(Product::shape.depth) * packed;
  static constexpr int rows = Product::shape.rows;
  /// By elements along k first: loops along columns have nothing to wait for.
  double a[depth][rows]{}, b[depth][8]{}, d[rows][8]{};

  void give_a(int lane, const Word (&operands)[Product::a_words]) {
    for (int i = 0; i < Product::a_words; ++i) {
      const bool tall = Product::shape.rows == 16;
      put(a, lane / 4 + (tall ? i % 2 * 8 : 0), lane % 4 + 4 * (tall ? i / 2 : i), operands[i]);
    }
  }
  void give_b(int lane, const Word (&operands)[Product::b_words]) {
    for (int i = 0; i < Product::b_words; ++i) put(b, lane / 4, lane % 4 + 4 * i, operands[i]);
  }
  void run() {
    std::memset(d, 0, sizeof(d));
    for (std::size_t k = 0; k < depth; ++k)
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < 8; ++column) d[row][column] += a[k][row] * b[k][column];
  }
  void add_to(int lane, Sum* sums) const {
    for (int i = 0; i < rows / 4; ++i)
      sums[i] += static_cast<Sum>(d[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2]);
  }

 private:
  /// The elements of an operand register.
  template <std::size_t lines>
  static void put(double (&to)[depth][lines], int line, int word, const Word& operand) {
    for (std::size_t e = 0; e < packed; ++e) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, reinterpret_cast<const unsigned char*>(&operand) + e * size_of(dtype),
                  size_of(dtype));
      to[static_cast<std::size_t>(word) * packed + e][line] = decoded<dtype>(bits);
    }
  }
};

/// As MatrixProduct::multiply, all lanes of a warp at a time.
template <Dtype dtype, int architecture>
void multiply_warp(MatrixProduct<dtype, architecture>* products, const Slice& slice, int first) {
  using Product = MatrixProduct<dtype, architecture>;
  SoftwareMma<dtype, architecture> mma;
  for (int step = 0; step < Product::shape.steps(); ++step) {
    for (int band = 0; band < Product::bands; ++band) {
      for (int part = 0; part < Product::shape.parts(); ++part) {
        for (int lane = 0; lane < 32; ++lane) {
          typename Product::Word a[Product::a_words];
          Product::take_a(a, slice, band, step, part, first + lane);
          mma.give_a(lane, a);
        }
        for (int f = 0; f < mma_fragments; ++f) {
          for (int lane = 0; lane < 32; ++lane) {
            typename Product::Word b[Product::b_words];
            Product::take_b(b, slice, f, step, first + lane);
            mma.give_b(lane, b);
          }
          mma.run();
          for (int lane = 0; lane < 32; ++lane)
            mma.add_to(lane, products[first + lane].sum[band][f] + 2 * part);
        }
      }
    }
  }
}

template <Dtype dtype, int architecture, Layout a = Layout::lines, Layout b = Layout::lines>
void matrix_product_on_host(const MatmulArguments& args, std::uint64_t blocks) {
  using Product = MatrixProduct<dtype, architecture>;
  multiply_on_host<Product, SliceShare<dtype, a, b>>(
      args, blocks, [](std::vector<Product>& products, const Slice& slice) {
        for (int first = 0; first < product_threads; first += 32)
          multiply_warp<dtype, architecture>(products.data(), slice, first);
      });
}

}  // namespace kernels::cuda
