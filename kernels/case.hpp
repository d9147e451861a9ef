// One case: everything that decides what a kernel does, and the work it does. Knows nothing of
// devices or time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/dtypes.hpp"

namespace kernels {

/// Kernel families: `chain` and `tile` are workloads; `stream`, `peak` and `launch` measure the
/// roofs.
enum class Family : std::uint8_t { chain, tile, stream, peak, launch };
/// chain: mul | add | fma. tile: mma. launch: none.
/// peak: those of chain, and mul_add, a mul and an add that are rounded separately (2 FLOP), and
/// mma, dot products that are summed (bf16 on CPUs); units matrix: mma, and gemm, the product of a
/// library (cuBLASLt). stream: read | write | copy | triad, and shared, reads of a GPU's shared
/// memory.
enum class Op : std::uint8_t {
  mul,
  add,
  fma,
  mma,
  read,
  write,
  copy,
  triad,
  none,
  mul_add,
  gemm,
  shared
};
/// One kernel with all ops in registers, or one kernel per op with a trip to memory between.
enum class Fusion : std::uint8_t { fused, unfused };
/// CUDA cores / SIMD, or tensor cores / AMX.
enum class Units : std::uint8_t { vector, matrix };
/// What the inputs hold. Zeros draw less power and so run faster on some devices: a demonstration.
enum class Data : std::uint8_t { random, zeros };

std::string_view name_of(Family);
std::string_view name_of(Op);
std::string_view name_of(Fusion);
std::string_view name_of(Units);
std::string_view name_of(Data);
std::optional<Family> family_named(std::string_view);
std::optional<Op> op_named(std::string_view);
std::optional<Fusion> fusion_named(std::string_view);
std::optional<Units> units_named(std::string_view);
std::optional<Data> data_named(std::string_view);

/// One choice of how a roof kernel is built and launched: {"stores", "non-temporal"}, {"chains",
/// "8"}.
struct ShapeChoice {
  std::string axis;
  std::string value;

  bool operator==(const ShapeChoice&) const = default;
};
/// Choices by axis (Device::shape_axes); an axis that is not named is at the device's default.
using Shape = std::vector<ShapeChoice>;

/// "chains 8, unroll 256"; empty for the device's defaults.
std::string text_of(const Shape&);

/// Limits that hold for every device; a device may have lower ones.
inline constexpr std::uint64_t max_repeat = 4096;

/// What to run. `elements` counts elements of the input tensor (tile: of all A tiles together).
struct Case {
  Family family = Family::chain;
  Op op = Op::fma;
  Dtype dtype = Dtype::fp32;
  Fusion fusion = Fusion::fused;
  Units units = Units::vector;
  std::uint64_t elements = 0;
  std::uint64_t repeat = 1;
  Data data = Data::random;
  Shape shape{};  ///< families stream and peak

  bool operator==(const Case&) const = default;
};

/// `tile`: every A tile has 16 rows of 64 bytes, so k = 64 / size; it is multiplied by a k x 32
/// tile B. The same shape serves AMX (two B tiles) and mma.sync (two k steps of four n8 fragments).
inline constexpr std::uint64_t tile_rows = 16;
inline constexpr std::uint64_t tile_columns = 32;
inline constexpr std::uint64_t tile_row_bytes = 64;
constexpr std::uint64_t tile_depth(Dtype dtype) { return tile_row_bytes / size_of(dtype); }
constexpr std::uint64_t tile_elements(Dtype dtype) { return tile_rows * tile_depth(dtype); }

/// FLOP (integer ops count alike), bytes moved to and from DRAM, and kernel launches of one run of
/// a case.
struct Work {
  double flops = 0;
  double bytes = 0;
  double launches = 1;

  /// FLOP/byte.
  double intensity() const { return bytes > 0 ? flops / bytes : 0; }
  bool operator==(const Work&) const = default;
};

/// The work formulas, N = elements, b = byte per element, r = repeat:
///   chain  FLOP N r f (f = 2 for fma, else 1); bytes fused 2 N b, unfused r 2 N b; launches fused
///   1, unfused r. tile   FLOP (N / 16k) 2 16 32 k r; bytes fused N b + D, unfused r (N b + D) + (r
///   - 1) D,
///          D = (N / 16k) 16 32 accumulator_size: an unfused step reads A and the sum so far, and
///          writes the sum.
///   stream read, shared, write r N b; copy r 2 N b; triad r 3 N b and r 2 N FLOP: r passes over
///   the working set of all
///          threads (SMs), each over its own part, in one launch.
///   peak   FLOP N r f, f = 2 for mul_add and mma (dot products) too, no bytes: N chains that stay
///   in registers (units matrix: N / 16k tiles as
///          above). The device picks N for the shape when `elements` is 0. gemm: 2 m n k as the
///          device picks them, so only Trial::work() knows.
///   launch nothing but launches = repeat.
Work work_of(const Case&);

/// Bytes a device must allocate for a case: input, output and the unfused intermediates.
double footprint_of(const Case&);

/// Short name for messages: "chain fma fp32 fused repeat 64, 64 Mi elements".
std::string describe(const Case&);

}  // namespace kernels
