// One case: everything that decides what a kernel does, and the work it does. Knows nothing of devices or time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/dtypes.hpp"

namespace kernels {

/// Kernel families: `chain` and `tile` are workloads; `stream`, `peak` and `launch` measure the roofs.
enum class Family : std::uint8_t { chain, tile, stream, peak, launch };
/// chain, peak: mul | add | fma. stream: read | write | copy | triad. tile: mma. launch: none.
enum class Op : std::uint8_t { mul, add, fma, mma, read, write, copy, triad, none };
/// One kernel with all ops in registers, or one kernel per op with a trip to memory between.
enum class Fusion : std::uint8_t { fused, unfused };
/// CUDA cores / SIMD, or tensor cores / AMX.
enum class Units : std::uint8_t { vector, matrix };

std::string_view name_of(Family);
std::string_view name_of(Op);
std::string_view name_of(Fusion);
std::string_view name_of(Units);
std::optional<Family> family_named(std::string_view);
std::optional<Op> op_named(std::string_view);
std::optional<Fusion> fusion_named(std::string_view);
std::optional<Units> units_named(std::string_view);

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

  bool operator==(const Case&) const = default;
};

/// `tile`: every A tile has 16 rows of 64 bytes, so k = 64 / size; it is multiplied by a k x 32 tile B.
/// The same shape serves AMX (two B tiles) and mma.sync (two k steps of four n8 fragments).
inline constexpr std::uint64_t tile_rows = 16;
inline constexpr std::uint64_t tile_columns = 32;
inline constexpr std::uint64_t tile_row_bytes = 64;
constexpr std::uint64_t tile_depth(Dtype dtype) { return tile_row_bytes / size_of(dtype); }
constexpr std::uint64_t tile_elements(Dtype dtype) { return tile_rows * tile_depth(dtype); }

/// FLOP (integer ops count alike), bytes moved to and from DRAM, and kernel launches of one run of a case.
struct Work {
  double flops = 0;
  double bytes = 0;
  double launches = 1;

  /// FLOP/byte.
  double intensity() const { return bytes > 0 ? flops / bytes : 0; }
};

/// The work formulas, N = elements, b = byte per element, r = repeat:
///   chain  FLOP N r f (f = 2 for fma, else 1); bytes fused 2 N b, unfused r 2 N b; launches fused 1, unfused r.
///   tile   FLOP (N / 16k) 2 16 32 k r; bytes fused N b + D, unfused r (N b + D) + (r - 1) D,
///          D = (N / 16k) 16 32 accumulator_size: an unfused step reads A and the sum so far, and writes the sum.
///   stream read, write N b; copy 2 N b; triad 3 N b and 2 N FLOP. repeat is 1.
///   peak   FLOP N r f, no bytes: N chains that stay in registers (units matrix: N / 16k tiles as above). The device
///          picks N for the shape that runs fastest when `elements` is 0.
///   launch nothing but launches = repeat.
Work work_of(const Case&);

/// Bytes a device must allocate for a case: input, output and the unfused intermediates.
double footprint_of(const Case&);

/// Short name for messages: "chain fma fp32 fused repeat 64, 64 Mi elements".
std::string describe(const Case&);

}  // namespace kernels
