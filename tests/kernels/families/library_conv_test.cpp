// Convolutions of oneDNN: every implementation that it offers here is verified as ours are, and the
// bound of Winograd's algorithm holds what it does.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/loaded/onednn.hpp"
#include "kernels/cpu/loaded/onednn_conv.hpp"
#include "kernels/families/conv/conv.hpp"
#include "kernels/families/family.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

namespace {

Case by_library(const ConvSize& size, std::string_view algorithm = "", Data data = Data::random) {
  return conv_case(size, data, algorithm, By::library);
}

/// Counted, so that a run without the library shows what it has not tested.
bool is_missing() {
  const std::string why = OneDnnConvolution::why_not();
  if (!why.empty()) MESSAGE("skipped: " << why);
  return !why.empty();
}

std::string why_not(CpuDevice& device, const Case& c) {
  try {
    device.prepare(c, {});
  } catch (const Unsupported& reason) {
    return reason.what();
  }
  return "it runs";
}

template <std::size_t rows, std::size_t columns>
using Matrix = std::array<std::array<double, columns>, rows>;

/// Winograd's F(4, 3) in one dimension: y = sums^T ((weights g) * (pixels d)), each as the
/// algorithm of Toom and Cook makes them at five points and infinity.
struct Winograd {
  Matrix<6, 4> sums{};
  Matrix<6, 3> weights{};
  Matrix<6, 6> pixels{};

  explicit Winograd(const std::array<double, 5>& points = winograd_points) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      double others = 1;
      std::vector<double> product{1};  // of all (x - other point), ascending powers
      for (std::size_t j = 0; j < points.size(); ++j) {
        if (j == i) continue;
        others *= points[i] - points[j];
        product = times_root(product, points[j]);
      }
      for (std::size_t k = 0; k < 4; ++k) sums[i][k] = std::pow(points[i], k);
      for (std::size_t k = 0; k < 3; ++k) weights[i][k] = std::pow(points[i], k) / others;
      for (std::size_t k = 0; k < product.size(); ++k) pixels[i][k] = product[k];
    }
    sums[5][3] = weights[5][2] = 1;
    std::vector<double> product{1};
    for (const double point : points) product = times_root(product, point);
    for (std::size_t k = 0; k < product.size(); ++k) pixels[5][k] = product[k];
  }

  static std::vector<double> times_root(const std::vector<double>& polynomial, double root) {
    std::vector<double> product(polynomial.size() + 1);
    for (std::size_t k = 0; k < polynomial.size(); ++k) {
      product[k + 1] += polynomial[k];
      product[k] -= root * polynomial[k];
    }
    return product;
  }
};

template <class Number, std::size_t rows, std::size_t columns, std::size_t width>
auto product(const Matrix<rows, columns>& left,
             const std::array<std::array<Number, width>, columns>& right) {
  std::array<std::array<Number, width>, rows> result{};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < columns; ++k)
      for (std::size_t j = 0; j < width; ++j)
        result[i][j] += static_cast<Number>(left[i][k]) * right[k][j];
  return result;
}

template <class Number, std::size_t rows, std::size_t columns>
auto transposed(const std::array<std::array<Number, columns>, rows>& matrix) {
  std::array<std::array<Number, rows>, columns> result{};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) result[j][i] = matrix[i][j];
  return result;
}

/// left x left^T
template <class Number, std::size_t rows, std::size_t columns>
auto both_ways(const Matrix<rows, columns>& left,
               const std::array<std::array<Number, columns>, columns>& x) {
  return transposed(product(left, transposed(product(left, x))));
}

/// The largest difference of a tile of 4 x 4, over so many channels, from the plain sum.
template <class Number>
double error_of_tile(std::size_t channels, unsigned seed) {
  static const Winograd w;
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> magnitude(0.5F, 2.0F);
  const auto value = [&] { return random() % 2 == 0 ? magnitude(random) : -magnitude(random); };
  std::array<std::array<Number, 6>, 6> sums{};
  Matrix<4, 4> expected{};
  for (std::size_t channel = 0; channel < channels; ++channel) {
    std::array<std::array<Number, 6>, 6> d{};
    std::array<std::array<Number, 3>, 3> g{};
    for (auto& row : d) std::ranges::generate(row, value);
    for (auto& row : g) std::ranges::generate(row, value);
    for (std::size_t i = 0; i < 16; ++i)
      for (std::size_t tap = 0; tap < 9; ++tap)
        expected[i / 4][i % 4] += static_cast<double>(d[i / 4 + tap / 3][i % 4 + tap % 3]) *
                                  static_cast<double>(g[tap / 3][tap % 3]);
    const auto pixels = both_ways(w.pixels, d), weights = both_ways(w.weights, g);
    for (std::size_t i = 0; i < 36; ++i)
      sums[i / 6][i % 6] += pixels[i / 6][i % 6] * weights[i / 6][i % 6];
  }
  const auto got = both_ways(transposed(w.sums), sums);
  double error = 0;
  for (std::size_t i = 0; i < 16; ++i)
    error =
        std::max(error, std::fabs(static_cast<double>(got[i / 4][i % 4]) - expected[i / 4][i % 4]));
  return error;
}

double sum_of_magnitudes(const auto& row) {
  double sum = 0;
  for (const double one : row) sum += std::fabs(one);
  return sum;
}

/// The largest element of |A^T| (|G| 1 * |B^T| 1).
double growth_of(const Winograd& w) {
  double most = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    double growth = 0;
    for (std::size_t k = 0; k < 6; ++k)
      growth += std::fabs(w.sums[k][i]) * sum_of_magnitudes(w.weights[k]) *
                sum_of_magnitudes(w.pixels[k]);
    most = std::max(most, growth);
  }
  return most;
}

}  // namespace

TEST_CASE("the growth in the bound of Winograd's algorithm is that of its matrices") {
  const double most = growth_of(Winograd());
  CHECK(growth_of(Winograd({0, 1, -1, 2, -2})) == doctest::Approx(usual_winograd_growth));
  // Without roundings of the transforms the bound is (channels u) x growth^2 x 4 channels.
  const double u = std::exp2(-24);
  constexpr std::uint64_t channels = 16;
  const double roundings = (channels + 32) * u;
  CHECK(winograd_tolerance(channels) ==
        doctest::Approx(roundings / (1 - roundings) * most * most * 4 * channels).epsilon(1e-4));
}

TEST_CASE("Winograd's algorithm is exact but for roundings, and these stay within the bound") {
  for (const std::size_t channels : {1U, 3U, 64U, 300U}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      CHECK(error_of_tile<double>(channels, seed) < 1e-10);
      const double error = error_of_tile<float>(channels, seed);
      CHECK(error > 0);
      CHECK(error < winograd_tolerance(channels));
    }
  }
}

TEST_CASE("the library's convolutions are listed with a reason, or with what it offers") {
  const auto rows = Selection(no_amx).kernels();
  const Kernel* row = find_kernel(rows, by_library({32, 64, 64, 64}));
  REQUIRE(row != nullptr);
  CHECK(row->runs == OneDnnConvolution::why_not().empty());
  CHECK(row->why_not == OneDnnConvolution::why_not());
  Case c = by_library({32, 64, 64, 64});
  c.dtype = Dtype::fp64;
  CHECK(find_kernel(rows, c)->why_not == "convolutions run in fp32: choose fp32");
  if (is_missing()) {
    CpuDevice device("/");
    CHECK(why_not(device, by_library({1, 1, 1, 1})) == row->why_not);
    return;
  }
  CHECK(row->note == OneDnn::instance().name());
  CHECK_FALSE(row->algorithms.empty());
  for (const std::string& name : row->algorithms) {
    CHECK_FALSE(name.starts_with("ref"));
    CHECK(std::ranges::count(row->algorithms, name) == 1);
  }
}

#ifndef RIDGEPOINT_TSAN  // which does not see how OpenMP's threads wait for each other

TEST_CASE("every implementation that the library offers is right, at edges of its blocks, too") {
  if (is_missing()) return;
  CpuDevice device("/");
  constexpr std::array sizes{ConvSize{1, 1, 1, 1},    ConvSize{2, 3, 5, 7},
                             ConvSize{3, 33, 13, 17}, ConvSize{1, 40, 70, 33},
                             ConvSize{4, 32, 48, 30}, ConvSize{2, 64, 64, 64}};
  bool blocked = false, winograd = false;
  for (const ConvSize& size : sizes) {
    const std::vector<std::string> algorithms = OneDnnConvolution::algorithms(size);
    for (const std::string& algorithm : algorithms) {
      for (const Data data : {Data::random, Data::zeros}) {
        const Case c = by_library(size, algorithm, data);
        CAPTURE(describe(c));
        const std::unique_ptr<Trial> trial = device.prepare(c, {});
        for (int again = 0; again < 2; ++again) {
          const Check check = trial->verify({});
          CHECK_MESSAGE(check.ok, check.why);
          CHECK(check.error < 1e-4);
        }
        CHECK(trial->run({}).seconds > 0);
        CHECK(trial->work() == work_of(c));
        CHECK(trial->run({}).note == OneDnn::instance().name() + ", " + algorithm);
      }
      winograd = winograd || contains(algorithm, "wino");
      blocked = blocked || contains(algorithm, "jit:");
    }
  }
  CHECK(blocked);
  if (!winograd) MESSAGE("skipped: no Winograd on this processor");
}

TEST_CASE("the library's first choice is the first of what it offers for that size") {
  if (is_missing()) return;
  CpuDevice device("/");
  for (const ConvSize& size : {ConvSize{2, 3, 5, 7}, ConvSize{2, 32, 32, 20}}) {
    const Case c = by_library(size);
    const std::vector<ShapeAxis> axes = device.shape_axes(c);
    REQUIRE(axes.size() == 1);
    CHECK(axes.front().name == algorithm_axis);
    CHECK(axes.front().values == OneDnnConvolution::algorithms(size));
    CHECK(device.prepare(c, {})->run({}).note ==
          OneDnn::instance().name() + ", " + axes.front().values.front());
  }
}

TEST_CASE("trials of ours and of the library's take turns, and both stay right") {
  if (is_missing()) return;
  CpuDevice device("/");
  const ConvSize size{2, 20, 24, 19};
  const auto theirs = device.prepare(by_library(size), {});
  CHECK(theirs->verify({}).ok);
  // Larger, so that it moves the buffers.
  const auto ours = device.prepare(conv_case({4, 64, 96, 60}, Data::random), {});
  CHECK(ours->verify({}).ok);
  CHECK(device.prepare(by_library(size), {})->verify({}).ok);
}

#endif

TEST_CASE("an implementation that the library does not offer is refused with its name") {
  if (is_missing()) return;
  CpuDevice device("/");
  CHECK(contains(why_not(device, by_library({2, 3, 5, 7}, "jit:abacus")),
                 "has no jit:abacus for a convolution of this size"));
  CHECK(contains(why_not(device, by_library({0, 3, 5, 7})), "a convolution takes 1 to 4096"));
  CHECK(contains(why_not(device, by_library({4096, 4096, 4096, 4096})), "of memory are free"));
  Case generated = conv_case({2, 3, 5, 7}, Data::random);
  generated.by = By::generated;
  CHECK(contains(why_not(device, generated), "no convolution is generated"));
}
