// `conv`: a convolution of images with filters of 3 x 3.
#include "kernels/families/conv/conv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul_reference.hpp"
#include "kernels/families/tile/tile_reference.hpp"
#include "kernels/random.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::mma};
/// Four of these multiplied, times the bytes of an element, stay far inside 64 bits.
constexpr std::uint64_t longest = 4096;
constexpr std::array<AxisInfo, 4> axes{{
    {"images", "images", "Images in the batch of a convolution.", 1, longest, 32},
    {"channels", "channels", "Channels of each image of a convolution.", 1, longest, 64},
    {"filters", "filters", "Filters of a convolution.", 1, longest, 64},
    {"image-size", "pixels", "Rows and columns of each image of a convolution.", 1, longest, 64},
}};

/// Input, weights and output, each once.
double bytes_of(const Case& c) {
  const auto [batch, channels, filters, size] = conv_size(c);
  const auto images = static_cast<double>(batch * size * size);
  const auto weights = static_cast<double>(conv_taps * channels * filters);
  return static_cast<double>(size_of(c.dtype)) *
         (images * static_cast<double>(channels + filters) + weights);
}

/// For each pixel and filter 9 multiplications and additions per channel; those by the zeros around
/// an image count, as everybody counts them.
Work work(const Case& c) {
  const auto [batch, channels, filters, size] = conv_size(c);
  const auto outputs = static_cast<double>(batch * filters * size * size);
  return {.flops = 2 * outputs * static_cast<double>(conv_taps * channels),
          .bytes = bytes_of(c),
          .launches = 1};
}

Bounds bounds(const Case& c) { return {{{c.dtype, c.units, Op::fma, 1.0}}}; }

std::string refuse(const Case& c) {
  if (c.dtype != Dtype::fp32) return "convolutions run in fp32: choose fp32";
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (c.more[i] < 1 || c.more[i] > longest)
      return fmt::format("{} {}: a convolution takes 1 to {} {}", axes[i].name, c.more[i], longest,
                         axes[i].unit);
  }
  if (c.repeat != 1) return "a convolution runs once: leave repeat at 1";
  if (c.by == By::generated) return "no convolution is generated: choose our own or a library's";
  for (const ShapeChoice& one : c.shape) {
    const bool any_name = c.by == By::library;  // which there are, the device knows
    const bool known =
        one.axis == algorithm_axis &&
        (any_name || std::ranges::find(conv_algorithms, one.value) != conv_algorithms.end());
    if (!known)
      return fmt::format("{}: a convolution has the algorithms {}", text_of(c.shape),
                         fmt::join(conv_algorithms, ", "));
  }
  return "";
}

std::string tag(const Case& c) { return c.by == By::library ? "library conv" : "conv"; }

/// Samples: spots of every kind, about 20 ms of the reference.
Check check_spots(Checkable& conv, const std::stop_token& stop) {
  const ConvSize size = conv_size(conv.timed());
  const auto element_of = [&](std::size_t which) {
    return [&conv, which](std::uint64_t i) { return conv.input(which, i); };
  };
  const std::uint64_t samples = samples_for(conv_taps * size.channels);
  const double transformed =
      conv.growth() > 0 ? winograd_tolerance(size.channels, conv.growth()) : 0;
  Deviation deviation;
  for (std::uint64_t n = 0; n < samples; ++n) {
    if (stop.stop_requested()) throw Cancelled();
    const ConvSpot spot = sampled_spot(size, conv.seed(), n);
    const ConvReference expected = conv_reference(size, element_of(0), element_of(1), spot);
    const double got = conv.read({index_of(size, spot), 1}).front();
    const double tolerance = std::max(expected.tolerance, transformed);
    deviation.add(expected.value, got);
    if (!(std::fabs(got - expected.value) <= tolerance))
      return {false, fmt::format("image {}, filter {}, row {}, column {} of the convolution: "
                                 "expected {:.9g} within {:.2g}, got {:.9g}",
                                 spot.image, spot.filter, spot.row, spot.column, expected.value,
                                 tolerance, got)};
  }
  return {.ok = true, .error = deviation.share()};
}

/// No element is left out, and what is sampled is right.
Check check(Checkable& conv, const std::stop_token& stop) {
  const Covered covered = conv.run_poisoned(conv.timed(), {}, stop);
  Check check = covered.check;
  if (check.ok && !covered.doubtful.empty()) {
    const auto [batch, channels, filters, size] = conv_size(conv.timed());
    check = {false, fmt::format("element {} of {} of the convolution was not written",
                                covered.doubtful.front(), batch * filters * size * size)};
  }
  return check.ok ? check_spots(conv, stop) : check;
}

}  // namespace

extern const FamilyInfo conv_family{
    .name = "conv",
    .help = "a convolution of images with filters of 3 x 3",
    .ops = ops,
    .for_labs = true,
    .sized = false,
    .axes = axes,
    .work = work,
    .footprint = bytes_of,
    .bounds = bounds,
    .refuse = refuse,
    .tag = tag,
    .check = on_random<check>,
};

ConvSize conv_size(const Case& c) { return {c.more[0], c.more[1], c.more[2], c.more[3]}; }

Case conv_case(ConvSize size, Data data, std::string_view algorithm, By by) {
  Case c{.family = Family::conv,
         .ops = Op::mma,
         .data = data,
         .by = by,
         .more = {size.batch, size.channels, size.filters, size.size}};
  if (!algorithm.empty()) c.shape = {{std::string(algorithm_axis), std::string(algorithm)}};
  return c;
}

std::string_view algorithm_of(const Case& c) { return chosen_on(algorithm_axis, c); }

double winograd_tolerance(std::uint64_t channels, double growth) {
  /// Of the transforms of a tile, of the weights and of the sums; docs/lab-notes.md counts them.
  constexpr double more_roundings = 32;
  constexpr double largest = 2;  // random_element()
  /// A result without one of its nine taps differs by a third of a typical one.
  constexpr double least_wrong = 0.01;
  constexpr double mean_square = 35.0 / 24;  // of random_element(): halves in [0.5, 1) and [1, 2)
  const auto count = static_cast<double>(channels);
  const double typical = std::sqrt(conv_taps * count) * mean_square;
  const double roundings = (count + more_roundings) * unit_roundoff(Dtype::fp32, Units::vector);
  const double bound = roundings / (1 - roundings) * growth * growth * count * largest * largest;
  return std::min(bound, least_wrong * typical);
}

ConvReference conv_reference(const ConvSize& all, const ConvElement& input,
                             const ConvElement& weight, const ConvSpot& spot) {
  std::vector<double> pixels, weights;
  for (std::uint64_t channel = 0; channel < all.channels; ++channel) {
    for (std::uint64_t tap = 0; tap < conv_taps; ++tap) {
      // One more, so that the row above the first is 0.
      const std::uint64_t row = spot.row + tap / conv_edge, column = spot.column + tap % conv_edge;
      if (row < 1 || row > all.size || column < 1 || column > all.size) continue;
      const std::uint64_t plane = spot.image * all.channels + channel;
      pixels.push_back(input((plane * all.size + row - 1) * all.size + column - 1));
      weights.push_back(weight((spot.filter * all.channels + channel) * conv_taps + tap));
    }
  }
  const Expected sum =
      matmul_reference(Dtype::fp32, pixels, [&](std::uint64_t l) { return weights[l]; });
  return {sum.value, sum.error};
}

ConvSpot sampled_spot(const ConvSize& size, std::uint64_t seed, std::uint64_t n) {
  const auto pick = [&](std::uint64_t count, std::uint64_t which) {
    const std::uint64_t random = random_bits(Dtype::int32, seed, 4 * n + which);
    if (n % 2 == 0) return random % count;
    const std::vector<std::uint64_t> lines = sampled_lines(count, seed);
    return lines[random % lines.size()];
  };
  return {pick(size.batch, 0), pick(size.filters, 1), pick(size.size, 2), pick(size.size, 3)};
}

std::uint64_t index_of(const ConvSize& size, const ConvSpot& spot) {
  const std::uint64_t plane = spot.image * size.filters + spot.filter;
  return (plane * size.size + spot.row) * size.size + spot.column;
}

}  // namespace kernels
