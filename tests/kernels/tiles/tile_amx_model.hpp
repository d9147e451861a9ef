// An exact software model of the AMX instructions that our kernels use, after the operation
// sections of the Intel SDM (vol. 2, LDTILECFG, TILELOADD, TILESTORED, TILEZERO, TILERELEASE,
// TDPBF16PS, TDPBSSD). What the processor answers with #UD or #GP throws AmxFault.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "kernels/cpu/simd/amx_loop.hpp"

namespace kernels::cpu {

struct AmxFault : std::logic_error {
  using std::logic_error::logic_error;
};

class AmxModel {
 public:
  void configure(const AmxConfig& config);
  void release();
  void zero(int tile);
  void load(int tile, const void* from, std::size_t stride);
  void store(int tile, void* to, std::size_t stride) const;
  void multiply_bf16(int sum, int a, int b);
  void multiply_int8(int sum, int a, int b);

  bool configured() const { return configured_; }
  /// Multiplications since the last configure().
  int multiplications() const { return multiplications_; }

 private:
  using Tile = std::array<std::array<std::uint8_t, 64>, 16>;

  template <class Element>
  Element element(int tile, std::size_t row, std::size_t index) const {
    Element value;
    std::memcpy(&value, tiles_.at(tile).at(row).data() + index * sizeof value, sizeof value);
    return value;
  }
  template <class Element>
  void set_element(int tile, std::size_t row, std::size_t index, Element value) {
    std::memcpy(tiles_.at(tile).at(row).data() + index * sizeof value, &value, sizeof value);
  }
  void require_tile(int tile) const;
  void require_product(int sum, int a, int b) const;

  bool configured_ = false;
  int multiplications_ = 0;
  AmxConfig config_{};
  std::array<Tile, 8> tiles_{};
};

/// The model that ModelUnit works on.
AmxModel& amx_model();

/// The tile unit policy over the model; see amx_loop.hpp.
struct ModelUnit {
  static void configure(const AmxConfig& config) { amx_model().configure(config); }
  static void release() { amx_model().release(); }
  template <int tile>
  static void zero() {
    amx_model().zero(tile);
  }
  template <int tile>
  static void load(const void* from, std::size_t stride) {
    amx_model().load(tile, from, stride);
  }
  template <int tile>
  static void store(void* to, std::size_t stride) {
    amx_model().store(tile, to, stride);
  }
  template <int sum, int a, int b>
  static void multiply_bf16() {
    amx_model().multiply_bf16(sum, a, b);
  }
  template <int sum, int a, int b>
  static void multiply_int8() {
    amx_model().multiply_int8(sum, a, b);
  }
  static void stream(char* to, const char* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
  }
  static void fence() {}
};

/// Tile and peak rows of the AMX kernels over the model.
Isa tile_amx_model();

}  // namespace kernels::cpu
