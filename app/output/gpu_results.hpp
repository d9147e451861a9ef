// What scripts/gpu-check.sh leaves in a folder, as values.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/session/session.hpp"

namespace app {

/// One step of the check, a line of steps.tsv.
struct GpuStep {
  int part = 0;
  std::string name;
  std::string outcome;  ///< "ok", "failed", "skipped" or "timed out"
  double seconds = 0;
  double limit = 0;  ///< s
  std::string why;   ///< empty when ok
};

/// Something measured beside the sessions: samples of runs that each did `amount` of `unit`.
struct GpuFigure {
  std::string name;
  std::string unit;  ///< "byte", "FLOP" or "run"
  double amount = 0;
  std::vector<double> samples;  ///< s
  double clock_hz = 0;          ///< of the multiprocessors; 0: unknown

  /// Amount per second, of the median.
  double rate() const;
};

struct GpuResults {
  std::vector<GpuStep> steps;
  std::vector<GpuFigure> figures;
  std::vector<std::string> left_out;  ///< of the figures: "NAME: reason"
  std::map<std::string, engine::Session> sessions;  ///< by name: "roofs-warm"
  std::string counters;                             ///< the table of counted work; may be empty
};

/// Reads a folder. Throws Failure (exit code 2) with the place for what is no folder, has no steps,
/// is half-written, or mixes devices; engine::BadInput for a bad session. A step that left nothing is
/// none of these.
GpuResults read_gpu_results(const std::filesystem::path& folder);

}  // namespace app
