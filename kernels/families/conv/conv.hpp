// The sizes of a convolution, and the algorithms by which our own kernels compute it.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "kernels/case.hpp"
#include "kernels/cpu/simd/isa.hpp"

namespace kernels {

/// Output (batch x filters x size x size) of an input (batch x channels x size x size) and weights
/// (filters x channels x 3 x 3), all in this order in memory: stride 1, one row of zeros around
/// each image.
struct ConvSize {
  std::uint64_t batch = 0, channels = 0, filters = 0, size = 0;
  bool operator==(const ConvSize&) const = default;
};
/// Of an edge of a filter, and all of it.
inline constexpr std::uint64_t conv_edge = 3, conv_taps = conv_edge * conv_edge;

ConvSize conv_size(const Case&);
/// fp32 on vector units; without an algorithm the device, or the library, chooses one
/// (Device::shape_axes).
Case conv_case(ConvSize, Data, std::string_view algorithm = "", By = By::own);
/// What a case names; empty: nothing.
std::string_view algorithm_of(const Case&);

/// The axis of Case::shape that says how it is computed.
inline constexpr std::string_view algorithm_axis = "algorithm";
/// Its values; a library has its own. "pixels FxV": sums of F filters at V vectors of neighbouring
/// pixels stay in registers. "filters PxV": of V vectors of filters at P neighbouring pixels.
/// "im2col": the pixels below each tap become a row of a matrix, which is multiplied by the
/// weights.
inline constexpr std::array<std::string_view, 10> conv_algorithms{
    "pixels 8x1", "pixels 6x2",  "pixels 8x2",   "pixels 12x2", "pixels 4x4",
    "pixels 6x4", "filters 6x2", "filters 12x2", "filters 6x4", "im2col"};

/// One element of the output, and how far a sum in fp32 may lie from it (matmul_tolerance).
struct ConvReference {
  double value = 0;
  double tolerance = 0;
};
/// Winograd's algorithm F(4x4, 3x3) is known at these points and at infinity (Toom and Cook).
inline constexpr std::array<double, 5> winograd_points{0, 0.625, -0.625, 1.5, -1.5};
/// The largest element of |A^T| (|G| 1 * |B^T| 1) there, and at the usual points 0, 1, -1, 2, -2
/// (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2015).
inline constexpr double winograd_growth = 23.746, usual_winograd_growth = 48;
/// How far its sums in fp32 may lie from the reference, of inputs and weights that random_element()
/// makes: the bound of docs/lab-notes.md, "Convolutions", and at most 1 % of a typical result.
double winograd_tolerance(std::uint64_t channels, double growth = winograd_growth);

struct ConvSpot {
  std::uint64_t image = 0, filter = 0, row = 0, column = 0;
};
/// In double precision, of inputs and weights by their indices.
using ConvElement = std::function<double(std::uint64_t)>;
ConvReference conv_reference(const ConvSize&, const ConvElement& input, const ConvElement& weight,
                             const ConvSpot&);
/// The n-th spot to compare: borders of images and of blocks, and random ones, by turns.
ConvSpot sampled_spot(const ConvSize&, std::uint64_t seed, std::uint64_t n);
std::uint64_t index_of(const ConvSize&, const ConvSpot&);

namespace cpu {

/// Weights to be packed for a convolution: all filters of it.
struct ConvWeights {
  const float* weights;  ///< filters x channels x 3 x 3
  float* packed;
  std::uint64_t channels, filters;
};
/// A thread's share of a convolution: `parts` parts of the output from `first` on, image by image.
struct ConvSlice {
  const float* in;      ///< batch x channels x size x size
  const float* packed;  ///< see ConvVariant::pack
  float* out;           ///< batch x filters x size x size
  float* room;          ///< of this thread, ConvVariant::room floats
  std::uint64_t channels, filters, size;
  std::uint64_t first, parts;
};
/// One way to compute a convolution: weights are packed by one thread, then parts of the output
/// computed.
struct ConvVariant {
  const char* name;  ///< as in conv_algorithms
  void (*pack)(const ConvWeights&);
  void (*run)(const ConvSlice&);
  std::uint64_t (*parts)(std::uint64_t size);                              ///< of an image
  std::uint64_t (*packed)(std::uint64_t channels, std::uint64_t filters);  ///< floats
  std::uint64_t (*room)(std::uint64_t size);                               ///< floats
  bool fits = false;                ///< its sums, operands and a factor are all in registers
  int broadcasts = 0, vectors = 0;  ///< loads of one step, and so the sums of a register block
  int pixels = 0, filters = 0;      ///< of the output in a register block
};

/// What a row has (Row::own).
using ConvKernels = Variants<ConvVariant>;

}  // namespace cpu

}  // namespace kernels
