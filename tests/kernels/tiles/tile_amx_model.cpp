#include "tests/kernels/tiles/tile_amx_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace kernels::cpu {
namespace {

/// Tile instructions read denormals as zero and flush denormal results, whatever MXCSR says.
float flushed(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0F, x) : x;
}

float from_bf16(std::uint16_t bits) {
  return flushed(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

float multiply_add(float x, float y, float sum) { return flushed(std::fmaf(x, y, flushed(sum))); }

template <class Number>
consteval Row peak_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::peak,
          .op = Op::fma,
          .dtype = dtype,
          .units = Units::matrix,
          .arithmetic = arithmetic,
          .peak = amx_peak_function<ModelUnit, Number>()};
}

template <class Number>
consteval Row tile_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::tile,
          .op = Op::mma,
          .dtype = dtype,
          .units = Units::matrix,
          .arithmetic = arithmetic,
          .tile = amx_slice<ModelUnit, Number>};
}

constexpr Row rows[] = {
    peak_row<AmxBf16>(Dtype::bf16, Dtype::fp32),
    peak_row<AmxInt8>(Dtype::int8, Dtype::int32),
    tile_row<AmxBf16>(Dtype::bf16, Dtype::fp32),
    tile_row<AmxInt8>(Dtype::int8, Dtype::int32),
};

}  // namespace

void AmxModel::configure(const AmxConfig& config) {
  if (config.palette != 1)
    throw AmxFault("#GP: palette is neither 0 nor 1, or 0 where tiles are used");
  if (std::ranges::any_of(config.reserved, [](std::uint8_t byte) { return byte != 0; })) {
    throw AmxFault("#GP: a reserved byte is not zero");
  }
  for (std::size_t tile = 0; tile < 16; ++tile) {
    const unsigned row_bytes = config.row_bytes[tile];
    const unsigned rows_here = config.rows[tile];
    if (tile >= tiles_.size() && (row_bytes != 0 || rows_here != 0)) {
      throw AmxFault("#GP: palette 1 has 8 tiles");
    }
    if (row_bytes > 64 || rows_here > 16)
      throw AmxFault("#GP: a tile has at most 16 rows of 64 bytes");
    if ((row_bytes == 0) != (rows_here == 0))
      throw AmxFault("#GP: rows without columns, or the reverse");
  }
  config_ = config;
  configured_ = true;
  multiplications_ = 0;
  tiles_ = {};
}

void AmxModel::release() {
  configured_ = false;
  config_ = {};
  tiles_ = {};
}

void AmxModel::require_tile(int tile) const {
  if (!configured_) throw AmxFault("#UD: tiles are not configured");
  if (tile < 0 || tile >= 8 || config_.rows[tile] == 0)
    throw AmxFault("#UD: the tile is not configured");
}

void AmxModel::zero(int tile) {
  require_tile(tile);
  tiles_.at(tile) = {};
}

void AmxModel::load(int tile, const void* from, std::size_t stride) {
  require_tile(tile);
  Tile loaded{};
  for (std::size_t row = 0; row < config_.rows[tile]; ++row) {
    std::memcpy(loaded.at(row).data(), static_cast<const char*>(from) + row * stride,
                config_.row_bytes[tile]);
  }
  tiles_.at(tile) = loaded;
}

void AmxModel::store(int tile, void* to, std::size_t stride) const {
  require_tile(tile);
  for (std::size_t row = 0; row < config_.rows[tile]; ++row) {
    std::memcpy(static_cast<char*>(to) + row * stride, tiles_.at(tile).at(row).data(),
                config_.row_bytes[tile]);
  }
}

void AmxModel::require_product(int sum, int a, int b) const {
  for (const int tile : {sum, a, b}) require_tile(tile);
  if (sum == a || sum == b || a == b) throw AmxFault("#UD: a tile is used twice");
  const bool fits = config_.rows[sum] == config_.rows[a] &&
                    config_.row_bytes[sum] == config_.row_bytes[b] &&
                    config_.row_bytes[a] == 4 * config_.rows[b] && config_.row_bytes[sum] % 4 == 0;
  if (!fits) throw AmxFault("#UD: shapes do not fit");
}

void AmxModel::multiply_bf16(int sum, int a, int b) {
  require_product(sum, a, b);
  ++multiplications_;
  const std::size_t columns = config_.row_bytes[sum] / 4;
  for (std::size_t m = 0; m < config_.rows[sum]; ++m) {
    std::vector<float> even(columns), odd(columns);
    for (std::size_t k = 0; k < config_.rows[b]; ++k) {
      for (std::size_t n = 0; n < columns; ++n) {
        const auto factor = [&](std::size_t i) {
          return from_bf16(element<std::uint16_t>(a, m, i));
        };
        const auto other = [&](std::size_t i) {
          return from_bf16(element<std::uint16_t>(b, k, i));
        };
        even[n] = multiply_add(factor(2 * k), other(2 * n), even[n]);
        odd[n] = multiply_add(factor(2 * k + 1), other(2 * n + 1), odd[n]);
      }
    }
    for (std::size_t n = 0; n < columns; ++n) {
      const float both = flushed(even[n] + odd[n]);
      set_element(sum, m, n, flushed(flushed(element<float>(sum, m, n)) + both));
    }
  }
}

void AmxModel::multiply_int8(int sum, int a, int b) {
  require_product(sum, a, b);
  ++multiplications_;
  for (std::size_t m = 0; m < config_.rows[sum]; ++m) {
    for (std::size_t k = 0; k < config_.rows[b]; ++k) {
      for (std::size_t n = 0; n < config_.row_bytes[sum] / 4U; ++n) {
        auto total = element<std::uint32_t>(sum, m, n);  // unsigned, because the sum wraps around
        for (std::size_t i = 0; i < 4; ++i) {
          total += static_cast<std::uint32_t>(int{element<std::int8_t>(a, m, 4 * k + i)} *
                                              int{element<std::int8_t>(b, k, 4 * n + i)});
        }
        set_element(sum, m, n, total);
      }
    }
  }
}

AmxModel& amx_model() {
  static AmxModel model;
  return model;
}

Isa tile_amx_model() { return {"AMX model", rows, std::size(rows)}; }

}  // namespace kernels::cpu
