// The table of kernel families: one row and one folder each. What a family says of itself is all
// that the rest of the program may know of it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/case.hpp"

namespace kernels {

/// What a family is there for: work that people ask for, one kind of roof, or points that other
/// programs measured.
enum class Role : std::uint8_t { workload, bandwidth, compute, overhead, outside };

/// What the time of a family's cases is held against: roofs; nothing, for its work is next to none
/// and all of it is overhead; or nothing that is measured here, such as a link.
enum class Limit : std::uint8_t { roofs, overhead, elsewhere };

/// An axis of a family beside elements and repeat.
struct AxisInfo {
  std::string_view name;  ///< as on the command line and in files
  std::string_view unit;
  std::string_view help;
  std::uint64_t low, high, usual;
  std::span<const std::string_view> words{};  ///< what the values from `low` on mean; empty: sizes
};

/// A value as people read it: "kept", "768".
std::string text_of(const AxisInfo&, std::uint64_t value);

/// A peak that can bound a case: `op` in `dtype` on `units`, times `share` (1/2: a multiply where
/// the peak counts multiply and add).
struct ComputeBound {
  Dtype dtype;
  Units units;
  Op op;
  double share = 1;
  bool stands_in = false;  ///< for the one before it, where no kernel of ours measures that
};

/// The roofs that bound a case. The best fitting peak first; not every device has it.
struct Bounds {
  std::vector<ComputeBound> compute{};
  std::string_view memory = "DRAM copy";  ///< empty: memory does not bound it
};

/// The roof of the memory that has nearly the same mix of reads and writes: the nearest of "DRAM
/// read", "DRAM triad" (two reads for a write), "DRAM copy" and "DRAM write".
std::string_view memory_roof(double bytes_read, double bytes_written);

/// Of most families.
inline constexpr std::array vector_units{Units::vector};

/// The word for a value that counts from 1; empty where there is none.
std::string_view word_at(std::span<const std::string_view> words, std::uint64_t value);

/// Byte of all elements in their dtype.
double tensor_bytes(const Case&);
/// FamilyInfo::least where that is one granule.
Case one_granule(Case);

struct OperatorFlops;
class Checkable;
class Trial;
struct Check;

struct FamilyInfo {
  std::string_view name;  ///< as on the command line and in files
  std::string_view help;  ///< one sentence
  Role role = Role::workload;
  std::span<const Op> ops{};  ///< what it can run, the usual one first
  bool chooses_op = false;    ///< people choose one of `ops`; false: it has its usual one
  bool fuses = false;         ///< it has an unfused form, one launch per op
  bool several_ops = false;   ///< a case can have several ops, applied in order
  bool for_labs = false;      ///< work that labs ask for; no choice of the common knobs
  bool sized = true;          ///< a case needs elements
  Limit limit = Limit::roofs;
  std::string_view step = "op per element";  ///< what one repeat adds
  std::string_view steps = "ops per element";
  std::span<const Units> units = vector_units;
  std::span<const AxisInfo> axes{};
  Work (*work)(const Case&) = nullptr;
  /// Of operators of networks, whose FLOP each kind of device has its own of; `work` counts none.
  double (*flops)(const Case&, const OperatorFlops&) = nullptr;
  double (*footprint)(const Case&) = nullptr;  ///< byte; null: none
  Bounds (*bounds)(const Case&) = nullptr;     ///< null: none
  /// The same kernel at its smallest size, so that its time is overhead. Null: such a case
  /// is not known.
  Case (*least)(Case) = nullptr;
  /// Elements come in multiples of this; null: of 1.
  std::uint64_t (*granule)(Dtype) = nullptr;
  /// Why a case contradicts itself; empty: it does not. Null: it never does.
  std::string (*refuse)(const Case&) = nullptr;
  /// What tells a series from others of its dtype: "mul", "tile", "matrix"; may be empty. Null: the
  /// name.
  std::string (*tag)(const Case&) = nullptr;
  /// Runs a prepared case and compares its results with the reference; check.hpp. Null: each device
  /// does so in its own way. Throws Cancelled.
  Check (*check)(Checkable&, const std::stop_token&) = nullptr;
  /// Prepares a case that no device runs: a program of the host does, beside a device of that kind.
  /// Null: devices run it. Throws Unsupported, Cancelled.
  std::unique_ptr<Trial> (*prepare_on_host)(const Case&, std::string_view kind,
                                            std::stop_token) = nullptr;

  bool runs_on(Units) const;
  /// The axis of that name, as an index into `axes`.
  std::optional<std::size_t> axis(std::string_view) const;
};

/// Every family, those added last.
std::vector<Family> all_families();
/// Adds a row, which must outlive its use. Before any thread looks at the table.
Family add_family(const FamilyInfo&);

/// The peaks of a case and what memory does to it, as its family says.
Bounds bounds_of(const Case&);
/// Elements of such a case come in multiples of this.
std::uint64_t granule_of(Family, Dtype);
/// FamilyInfo::least, on random data.
std::optional<Case> least_of(const Case&);
/// One vector register of any SIMD unit, or one load of 16 threads: fewer elements take another
/// path of the kernels, which is slower on an H200 (docs/lab-notes.md, "Launches").
inline constexpr std::uint64_t least_elements = 16;
/// FamilyInfo::refuse, or empty.
std::string refusal_of(const Case&);
/// FamilyInfo::tag, or the name.
std::string tag_of(const Case&);
/// The first family of work that runs on these units: what is meant when nobody names one.
Family usual_family(Units);

/// What the peak of an op is called beside its dtype: "FMA", "mul", "matrix", "mma.sync", "dot",
/// "library".
std::string_view peak_word(Op, Dtype, Units);

/// The cases that measure roofs: memory, a peak, and launches in a row.
Case stream_case(Op, std::uint64_t elements, Data);
Case peak_case(Op, Dtype, Units, Data);
Case launch_case(std::uint64_t launches);

}  // namespace kernels
