// Convolutions: every algorithm at every instruction set that runs here, and broken ones.
#include "kernels/families/conv/conv.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

#include "kernels/cpu/machine/processor.hpp"
#include "kernels/families/family.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/kernels/tiles/tile_tables.hpp"

using namespace kernels;
using namespace kernels::cpu;

namespace {

CpuDevice device_of(const Isa& isa, const Row* row) {
  return CpuDevice("/", cores(), no_amx,
                   Selection(no_amx, {{isa.name, row, 1, isa.fused_multiply_add}}));
}

/// Those of this processor, and what others than x86-64 run.
std::vector<Isa> usable_here() {
  std::vector<Isa> tables =
      usable_tables({.features = processor_features(), .amx = false, .why_no_amx = "none"});
  tables.push_back(isa_portable);
  return tables;
}

const Row* conv_row(const Isa& isa) {
  for (std::size_t i = 0; i < isa.count; ++i)
    if (isa.rows[i].family == Family::conv) return &isa.rows[i];
  return nullptr;
}

/// What a wrong kernel leaves out of a plain loop, or does too much.
struct Wrong {
  std::uint64_t channels = 0, tap = 99, filters = 0;
  bool wraps = false;  ///< the last pixel of a row is the neighbour of the first of the next
};

template <Wrong wrong>
void plain(const ConvSlice& slice) {
  const std::uint64_t size = slice.size, plane = size * size;
  const auto edge = static_cast<std::int64_t>(size);
  const auto pixel = [&](const float* from, std::int64_t y, std::int64_t x) {
    const std::int64_t at = y * edge + x;
    const bool inside =
        wrong.wraps ? at >= 0 && at < edge * edge : y >= 0 && y < edge && x >= 0 && x < edge;
    return inside ? from[at] : 0;
  };
  for (std::uint64_t part = slice.first; part < slice.first + slice.parts; ++part) {
    for (std::uint64_t filter = 0; filter + wrong.filters < slice.filters; ++filter) {
      for (std::uint64_t at = 0; at < plane; ++at) {
        float sum = 0;
        for (std::uint64_t channel = 0; channel + wrong.channels < slice.channels; ++channel) {
          const float* from = slice.in + (part * slice.channels + channel) * plane;
          for (std::uint64_t tap = 0; tap < conv_taps; ++tap) {
            if (tap == wrong.tap) continue;
            const auto y = static_cast<std::int64_t>(at / size + tap / conv_edge) - 1;
            const auto x = static_cast<std::int64_t>(at % size + tap % conv_edge) - 1;
            sum += pixel(from, y, x) *
                   slice.packed[(filter * slice.channels + channel) * conv_taps + tap];
          }
        }
        slice.out[(part * slice.filters + filter) * plane + at] = sum;
      }
    }
  }
}

template <Wrong wrong>
Check check_of_plain(const Case& c) {
  static constexpr ConvVariant variant{
      "im2col",
      [](const ConvWeights& all) {
        for (std::uint64_t i = 0; i < all.filters * all.channels * conv_taps; ++i)
          all.packed[i] = all.weights[i];
      },
      plain<wrong>,
      [](std::uint64_t) { return std::uint64_t{1}; },
      [](std::uint64_t channels, std::uint64_t filters) { return channels * filters * conv_taps; },
      [](std::uint64_t) { return std::uint64_t{16}; }};
  static constexpr ConvKernels only{&variant, 1};
  static constexpr Row row{.family = Family::conv,
                           .op = Op::mma,
                           .dtype = Dtype::fp32,
                           .units = Units::vector,
                           .arithmetic = Dtype::fp32,
                           .own = &only};
  CpuDevice device = device_of(isa_baseline, &row);
  return device.prepare(c, {})->verify({});
}

}  // namespace

TEST_CASE("a convolution's work is 18 FLOP for each pixel, channel and filter") {
  const Case c = conv_case({32, 64, 64, 64}, Data::random);
  CHECK(work_of(c).flops == 2.0 * 32 * 64 * 64 * 9 * 64 * 64);
  CHECK(work_of(c).bytes == 4.0 * (2 * 32 * 64 * 64 * 64 + 9 * 64 * 64));
  CHECK(refusal_of(c) == "");
}

TEST_CASE("convolutions refuse sizes, types and algorithms that there are not") {
  for (const ConvSize size : {ConvSize{0, 1, 1, 1}, ConvSize{1, 4097, 1, 1}, ConvSize{1, 1, 0, 1},
                              ConvSize{1, 1, 1, ~std::uint64_t{0}}})
    CHECK(refusal_of(conv_case(size, Data::random)).find("a convolution takes 1 to 4096") !=
          std::string::npos);
  CHECK(refusal_of(conv_case({4096, 4096, 4096, 4096}, Data::random)) == "");
  CHECK(work_of(conv_case({4096, 4096, 4096, 4096}, Data::random)).bytes > 0x1p50);
  CHECK(refusal_of(conv_case({1, 1, 1, 1}, Data::random, "winograd")).find("pixels 8x1") !=
        std::string::npos);
  Case c = conv_case({1, 1, 1, 1}, Data::random);
  c.dtype = Dtype::fp64;
  CHECK(refusal_of(c) == "convolutions run in fp32: choose fp32");
  c = conv_case({1, 1, 1, 1}, Data::random);
  c.repeat = 2;
  CHECK(refusal_of(c) == "a convolution runs once: leave repeat at 1");
  CpuDevice device("/");
  CHECK_THROWS_AS(device.prepare(conv_case({4096, 4096, 4096, 4096}, Data::random), {}),
                  Unsupported);
}

TEST_CASE("every algorithm is right at every instruction set, on sizes at edges of its blocks") {
  constexpr std::array sizes{ConvSize{1, 1, 1, 1},    ConvSize{2, 3, 5, 7},
                             ConvSize{3, 33, 13, 17}, ConvSize{1, 40, 70, 33},
                             ConvSize{1, 2, 600, 8},  ConvSize{2, 8, 64, 64}};
  int tables = 0;
  for (const Isa& isa : usable_here()) {
    const Row* row = conv_row(isa);
    if (row == nullptr) continue;
    ++tables;
    CpuDevice device = device_of(isa, row);
    for (const std::string_view algorithm : conv_algorithms) {
      for (const ConvSize& size : sizes) {
        const Case c = conv_case(size, Data::random, algorithm);
        CAPTURE(std::string(isa.name) + " " + describe(c));
        const std::unique_ptr<Trial> trial = device.prepare(c, {});
        const Check check = trial->verify({});
        CHECK_MESSAGE(check.ok, check.why);
        CHECK(trial->run({}).note == std::string(isa.name) + ", " + std::string(algorithm));
      }
    }
  }
  CHECK(tables >= 2);
}

TEST_CASE("the first choice is the tiling that fits the registers and loads least") {
  for (const Isa& isa : usable_here()) {
    const Row* row = conv_row(isa);
    if (row == nullptr) continue;
    CAPTURE(std::string(isa.name));
    CpuDevice device = device_of(isa, row);
    const auto first = [&](const ConvSize& size) {
      const Case c = conv_case(size, Data::random);
      const std::vector<ShapeAxis> axes = device.shape_axes(c);
      REQUIRE(axes.size() == 1);
      CHECK(axes.front().values.size() == conv_algorithms.size());
      const std::string name = axes.front().values.front();
      CHECK(device.prepare(c, {})->run({}).note == std::string(isa.name) + ", " + name);
      return name;
    };
    const std::string of_32_registers = "AVX-512 NEON";
    const bool wide = of_32_registers.find(isa.name) != std::string::npos;
    CHECK(first({1, 8, 64, 64}) == (wide ? "pixels 6x4" : "pixels 6x2"));
    // One pixel in a vector of pixels is little use.
    CHECK(first({1, 8, 64, 1}).starts_with("filters"));
  }
}

TEST_CASE("a convolution that is wrong somewhere is found") {
  const Case c = conv_case({3, 6, 5, 20}, Data::random, "im2col");
  const Check right = check_of_plain<Wrong{}>(c);
  CHECK_MESSAGE(right.ok, right.why);
  CHECK_FALSE(check_of_plain<Wrong{.channels = 1}>(c).ok);
  CHECK_FALSE(check_of_plain<Wrong{.tap = 0}>(c).ok);
  CHECK_FALSE(check_of_plain<Wrong{.tap = 8}>(c).ok);
  CHECK_FALSE(check_of_plain<Wrong{.wraps = true}>(c).ok);
  const Check short_of_one = check_of_plain<Wrong{.filters = 1}>(c);
  CHECK_FALSE(short_of_one.ok);
  CHECK(short_of_one.why.find("was not written") != std::string::npos);
}

TEST_CASE("transforms may be off by far less than a result without one of its taps, at any size") {
  for (std::uint64_t channels = 1; channels <= 4096; channels *= 2) {
    CAPTURE(channels);
    const double one_tap = 35.0 / 24 * std::sqrt(static_cast<double>(channels));
    CHECK(winograd_tolerance(channels, usual_winograd_growth) < one_tap / 30);
    CHECK(winograd_tolerance(channels) <= winograd_tolerance(channels, usual_winograd_growth));
  }
}
