// The element types that kernels know, and how a double rounds to each. Knows nothing of devices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kernels/host_device.hpp"

namespace kernels {

/// Element type in memory. tf32 is stored as fp32 and rounded inside matrix units.
enum class Dtype : std::uint8_t { fp64, fp32, tf32, fp16, bf16, fp8, int32, int8 };

/// What the rest of the program may ask of a dtype.
struct DtypeInfo {
  Dtype dtype;
  std::string_view name;  ///< as on the command line and in files
  bool integer;           ///< wraps around instead of rounding
  int significand_bits;   ///< with the implicit bit (IEEE 754; fp8 is OCP E4M3); 0 for integers
  std::size_t accumulator_size;  ///< byte per element of a `tile` result (fp32, fp64 or int32)
};

inline constexpr std::array<DtypeInfo, 8> dtypes{{
    {Dtype::fp64, "fp64", false, 53, 8},
    {Dtype::fp32, "fp32", false, 24, 4},
    {Dtype::tf32, "tf32", false, 11, 4},
    {Dtype::fp16, "fp16", false, 11, 4},
    {Dtype::bf16, "bf16", false, 8, 4},
    {Dtype::fp8, "fp8", false, 4, 4},
    {Dtype::int32, "int32", true, 0, 4},
    {Dtype::int8, "int8", true, 0, 4},
}};

/// The row of `dtypes` for one dtype.
constexpr const DtypeInfo& info_of(Dtype dtype) { return dtypes[static_cast<std::size_t>(dtype)]; }

constexpr std::string_view name_of(Dtype dtype) { return info_of(dtype).name; }

/// Byte per element in memory. No column of `dtypes`, which device code cannot reach.
RIDGEPOINT_BOTH constexpr std::size_t size_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp64:
      return 8;
    case Dtype::fp32:
    case Dtype::tf32:
    case Dtype::int32:
      return 4;
    case Dtype::fp16:
    case Dtype::bf16:
      return 2;
    case Dtype::fp8:
    case Dtype::int8:
      return 1;
  }
  return 0;
}

/// The dtype of that name, or nothing.
std::optional<Dtype> dtype_named(std::string_view name);

/// Nearest representable value, ties to even; overflow saturates to infinity (fp8: to 448).
/// Integers wrap.
double round_to(Dtype dtype, double value);

/// Bit patterns in memory <-> values, for every dtype (little endian, low `size_of(dtype)` bytes
/// used).
double decode(Dtype dtype, std::uint64_t bits);
std::uint64_t encode(Dtype dtype, double value);

}  // namespace kernels
