// What a user asks for, as one value, and the table of knobs that drives sliders, command line and
// validation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/case.hpp"
#include "kernels/device.hpp"

namespace engine {

/// What a sweep runs when nobody names a lab.
inline constexpr std::string_view default_lab = "intensity";

enum class FusionChoice { fused, unfused, both };
enum class UnitsChoice { vector, matrix, both };

/// One sweep as asked for. Defaults are the command line's.
struct Spec {
  std::string device;  ///< empty: the first usable CUDA GPU, else cpu
  std::string lab{default_lab};
  std::optional<kernels::Family> kernel;  ///< absent: chain, or tile when units is matrix or both
  kernels::Op op = kernels::Op::fma;
  std::vector<kernels::Dtype> dtypes{kernels::Dtype::fp32};
  FusionChoice fusion = FusionChoice::fused;
  UnitsChoice units = UnitsChoice::vector;
  std::vector<std::uint64_t> repeats{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  std::uint64_t elements = 0;  ///< 0: the default that fits the device, per dtype
  double noise = 0.01;         ///< relative width of the interval that is good enough
  double max_time = 2.0;       ///< seconds for one point
  double time = 0;  ///< seconds for all points of the sweep; 0: the lab's limit; infinity: none
  kernels::Data data = kernels::Data::random;
  /// The lab's own knobs and the further axes of a family, as text by name; absent: the usual
  /// value.
  std::map<std::string, std::string, std::less<>> more{};
  bool remeasure = false;  ///< search the kernel shapes of the roofs again, whatever is cached
  /// Somebody chose element types or units; else a lab may run in others: suited() in labs/lab.hpp.
  bool types_chosen = false;

  kernels::Family family() const;  ///< that of `kernel`, else the usual one for `units`
  /// `op` where people choose one, else the family's only one.
  kernels::Op op_of(kernels::Family) const;
  bool operator==(const Spec&) const = default;
};

/// Whether --kernel can name it: work that does not belong to a lab.
bool can_be_asked_for(kernels::Family);
/// The families of work that people can ask for, and the ops that they can choose.
std::vector<kernels::Family> workloads();
std::string names_of_workloads();  ///< "chain or tile"
std::vector<kernels::Op> ops_to_choose();

/// One row per knob: name as on the command line, one sentence of help, and its limits; the source
/// of the slider, the option, the settings file and the validation.
struct Knob {
  std::string_view name;
  std::string_view help;
  std::string_view metavar;  ///< "N", "1%", ... or the choices "fused|unfused|both"
  /// Parses and stores; throws BadInput with what was expected.
  void (*set)(Spec&, std::string_view text);
  /// The current value as text that `set` takes.
  std::string (*get)(const Spec&);
  double low = 0, high = 0;  ///< limits for a slider; 0, 0 = not a number
};
const std::vector<Knob>& knobs();
const Knob* find_knob(std::string_view name);

/// "1:1024:x2", "1,2,3", "8": repeats, sorted, no duplicates. Throws BadInput.
std::vector<std::uint64_t> parse_repeats(std::string_view text);
std::string repeats_text(const std::vector<std::uint64_t>&);

/// Throws BadInput when a spec contradicts itself: an op for a tile, a limit of zero.
void refuse_contradictions(const Spec&);

/// Elements that fit the device: input + output at least 4x the last-level cache (CPU: at least 256
/// MiB, GPU: 512 MiB), never more than half of free memory, whole tiles, one number per dtype.
std::uint64_t default_elements(const kernels::DeviceInfo&, double free_bytes, kernels::Family,
                               kernels::Dtype);

/// The elements that a spec asks for, in whole tiles, or the default. Throws BadInput when memory
/// does not hold them.
std::uint64_t elements_of(const Spec&, kernels::Family, kernels::Dtype, const kernels::DeviceInfo&,
                          double free_bytes);

/// The cases that the lab of a spec asks for at first, in the order they are measured. Pure. Throws
/// BadInput when the spec contradicts itself (an op for a tile, elements above what memory holds).
std::vector<kernels::Case> expand(const Spec&, const kernels::DeviceInfo&, double free_bytes);

/// A knob that one lab has, or an axis of a family: text by name in Spec::more. Drives widget,
/// option, settings and validation.
struct LabKnob {
  enum class Kind { number, numbers, choice, flag, text } kind = Kind::number;  ///< whole numbers
  std::string_view name;
  std::string_view help;
  std::string_view usual;  ///< its value where the spec has none; may be "auto": by the device
  std::uint64_t low = 1, high = 1;  ///< of numbers
  std::span<const std::string_view> choices{};
  /// Of a text: what is expected instead; empty: it is right.
  std::string (*refusal)(std::string_view text) = nullptr;

  // Makes a knob of each kind; number() has a single one.
  using Text = std::string_view;
  static constexpr LabKnob number(Text name, Text help, Text usual, std::uint64_t low,
                                  std::uint64_t high) {
    return {Kind::number, name, help, usual, low, high};
  }
  static constexpr LabKnob numbers(Text name, Text help, Text usual, std::uint64_t low,
                                   std::uint64_t high) {
    return {Kind::numbers, name, help, usual, low, high};
  }
  static constexpr LabKnob flag(Text name, Text help, Text usual) {
    return {Kind::flag, name, help, usual};
  }
  static constexpr LabKnob choice(Text name, Text help, Text usual, std::span<const Text> choices) {
    return {.kind = Kind::choice, .name = name, .help = help, .usual = usual, .choices = choices};
  }
  static constexpr LabKnob text(Text name, Text help, Text usual, std::string (*refusal)(Text)) {
    return {.kind = Kind::text, .name = name, .help = help, .usual = usual, .refusal = refusal};
  }

  bool same_as(const LabKnob& o) const {
    return kind == o.kind && name == o.name && usual == o.usual && low == o.low && high == o.high &&
           std::ranges::equal(choices, o.choices);
  }
};
/// Of the spec, else the usual one.
std::string text_of(const Spec&, const LabKnob&);
/// "64:4096:x2", "3968:4224:+8", "1,2,3", "8": whole numbers between the limits, ascending, no
/// duplicates. Throws BadInput.
std::vector<std::uint64_t> numbers_of(const LabKnob&, std::string_view text);
/// Those of a spec; `automatic` where it is "auto", which without that is refused.
std::vector<std::uint64_t> numbers_of(const Spec&, const LabKnob&,
                                      std::optional<std::vector<std::uint64_t>> automatic = {});
/// The same of a knob with a single number.
std::uint64_t number_of(const Spec&, const LabKnob&, std::optional<std::uint64_t> automatic = {});
/// The text of a knob, checked. Throws BadInput with what was expected.
std::string checked_text_of(const Spec&, const LabKnob&);
/// Every knob that is not in knobs(), of all labs and families.
std::vector<LabKnob> further_knobs();
/// Sets any knob by its name, as somebody chose it. Throws BadInput with what was expected.
void set_knob(Spec&, std::string_view name, std::string_view text);
/// The same of what a file says: of a knob that only other versions have, nothing is set.
void set_known_knob(Spec&, std::string_view name, std::string_view text);
/// Every knob of a spec with its value, as set_knob takes them.
std::vector<std::pair<std::string, std::string>> texts_of(const Spec&);

}  // namespace engine
