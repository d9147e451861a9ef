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
#include "kernels/family_handle.hpp"
#include "kernels/ops.hpp"

namespace kernels {

/// One kernel with all ops in registers, or one kernel per op with a trip to memory between.
enum class Fusion : std::uint8_t { fused, unfused };
/// CUDA cores / SIMD, or tensor cores / AMX.
enum class Units : std::uint8_t { vector, matrix };
/// What the inputs hold. Zeros draw less power and so run faster on some devices: a demonstration.
enum class Data : std::uint8_t { random, zeros };

std::string_view name_of(Family);
std::string_view name_of(Fusion);
std::string_view name_of(Units);
std::string_view name_of(Data);
std::optional<Family> family_named(std::string_view);
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

/// Our kernel, a library's (cuBLASLt, oneDNN), or one generated for exactly this case.
enum class By : std::uint8_t { own, library, generated };
std::string_view name_of(By);
std::optional<By> by_named(std::string_view);

inline constexpr std::size_t most_axes = 8;

/// What to run. `elements` counts elements of the input tensor (tile: of all A tiles together).
struct Case {
  Family family = Family::chain;
  Ops ops = Op::fma;
  Dtype dtype = Dtype::fp32;
  Fusion fusion = Fusion::fused;
  Units units = Units::vector;
  std::uint64_t elements = 0;
  std::uint64_t repeat = 1;  ///< how often the ops are applied, all of them in order
  Data data = Data::random;
  Shape shape{};  ///< families stream and peak
  By by = By::own;
  std::array<std::uint64_t, most_axes> more{};  ///< the family's further axes, in its order

  /// The only op, or the first of several.
  Op op() const { return ops.front(); }
  bool operator==(const Case&) const = default;
};

/// The value of an axis by its name: elements, repeat, or one that the family adds. Nothing where
/// the family has no such axis.
std::optional<std::uint64_t> size(const Case&, std::string_view axis);
/// The same case with another value there. Throws std::invalid_argument where the family has no
/// such axis.
Case with(Case, std::string_view axis, std::uint64_t value);

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

/// As the row of its family says, on a kind of device (DeviceInfo::kind). The FLOP of operators of
/// networks are what kernels of that kind execute, without one those of a CPU; all else is the same
/// everywhere.
Work work_of(const Case&, std::string_view kind = {});

/// Bytes a device must allocate for a case: inputs, outputs and the unfused intermediates.
double footprint_of(const Case&);

/// Short name for messages: "chain fma fp32 fused repeat 64, 64 Mi elements".
std::string describe(const Case&);

}  // namespace kernels
