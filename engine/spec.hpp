// What a user asks for, as one value, and the table of knobs that drives sliders, command line and
// validation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/case.hpp"
#include "kernels/device.hpp"

namespace engine {

enum class FusionChoice { fused, unfused, both };
enum class UnitsChoice { vector, matrix, both };

/// One experiment as asked for. Defaults are the command line's.
struct Spec {
  std::string device;  ///< empty: the first usable CUDA GPU, else cpu
  std::string experiment = "intensity";
  std::optional<kernels::Family> kernel;  ///< absent: chain, or tile when units is matrix or both
  kernels::Op op = kernels::Op::fma;
  std::vector<kernels::Dtype> dtypes{kernels::Dtype::fp32};
  FusionChoice fusion = FusionChoice::fused;
  UnitsChoice units = UnitsChoice::vector;
  std::vector<std::uint64_t> repeats{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  std::uint64_t elements = 0;  ///< 0: the default that fits the device, per dtype
  double noise = 0.01;         ///< relative width of the interval that is good enough
  double max_time = 2.0;       ///< seconds for one point
  kernels::Data data = kernels::Data::random;
  bool remeasure = false;  ///< search the kernel shapes of the roofs again, whatever is cached

  kernels::Family family() const;
  bool operator==(const Spec&) const = default;
};

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

/// Elements that fit the device: input + output at least 4x the last-level cache (CPU: at least 256
/// MiB, GPU: 512 MiB), never more than half of free memory, whole tiles, one number per dtype.
std::uint64_t default_elements(const kernels::DeviceInfo&, double free_bytes, kernels::Family,
                               kernels::Dtype);

/// The elements that a spec asks for, in whole tiles, or the default. Throws BadInput when memory
/// does not hold them.
std::uint64_t elements_of(const Spec&, kernels::Dtype, const kernels::DeviceInfo&,
                          double free_bytes);

/// The cases of a spec on a device, in the order they are measured. Pure. Throws BadInput when the
/// spec contradicts itself (an op for a tile, elements above what memory holds).
std::vector<kernels::Case> expand(const Spec&, const kernels::DeviceInfo&, double free_bytes);

class SweepRun;
struct SweepNeeds;

/// An experiment: its name and one sentence (`sweep --list`), and what it does.
struct Experiment {
  std::string_view name;
  std::string_view help;
  /// Its cases as far as they are known beforehand, in the order they are measured; see expand().
  std::vector<kernels::Case> (*cases)(const Spec&, const kernels::DeviceInfo&, double free_bytes);
  /// Does the work, on the worker's thread.
  void (*run)(SweepRun&, const Spec&, const std::vector<kernels::Case>&, const SweepNeeds&);
};
/// One file each in engine/experiments/.
const std::vector<Experiment>& experiments();
/// The one of that name, or null.
const Experiment* find_experiment(std::string_view name);

}  // namespace engine
