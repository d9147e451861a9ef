// Cases prepared on the CPU, one kind per kernel family. They share the machine's buffers: inputs
// that a trial made later overwrites are gone.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/machine/machine.hpp"
#include "kernels/cpu/trials/shapes.hpp"
#include "kernels/cpu/trials/tables.hpp"
#include "kernels/device.hpp"

namespace kernels::cpu {

/// Times launches on the steady clock: brief runs in batches, long ones in parts. What a launch
/// does is the family's.
class TimedTrial : public Trial {
 public:
  void settle(std::stop_token stop) final;
  /// Where a case is timed in parts: runs the next part; the seconds are those of the whole case.
  Sample run(std::stop_token stop) final;
  Work work() const final { return work_of(case_, "cpu"); }
  bool cold() const final;

 protected:
  TimedTrial(Machine& machine, const Case& c, std::string note = {})
      : machine_(machine), case_(c), note_(std::move(note)) {}

  /// All launches of one run; returns early when `stop` fires. The calling thread is pinned
  /// (Pool::PinnedCaller).
  virtual void run_once(const std::stop_token& stop) = 0;

  /// The items of a run that can be timed in parts: one launch of part(), whose items are equal
  /// work and do not depend on each other. None: it is timed whole.
  virtual std::optional<Deal> in_parts() const { return std::nullopt; }

  /// What run_once() runs of a launch.
  Part part() const { return part_; }

  /// Called before each timed region, after the last launch that is not part of it.
  virtual void before_timing() {}

  /// One run outside of any timing. Throws Cancelled.
  void run_untimed(const std::stop_token& stop);

  Machine& machine_;
  Case case_;
  std::string note_;           // Sample::note
  std::vector<Value> values_;  // Sample::values

 private:
  double timed(const std::stop_token& stop);
  std::uint64_t parts_of(const Deal&, const std::stop_token& stop);

  std::uint64_t batch_ = 1;  // runs of one timed region
  std::uint64_t parts_ = 0;  // timed regions of one run; 0: not known yet
  Part part_{};
  std::optional<Contention> before_{};  // the next run, as settle() found it
};

std::unique_ptr<Trial> prepare_chain(Machine&, const Choice&, const Case&, std::stop_token);
/// Every operator has a choice that runs (find_kernel()).
std::unique_ptr<Trial> prepare_pointwise(Machine&, const Selection&, const Case&, std::stop_token);
/// Forward and backward; kernels are generated for the instruction set of the choice.
std::unique_ptr<Trial> prepare_gradient(Machine&, const Choice&, const Case&, std::stop_token);
std::unique_ptr<Trial> prepare_rowwise(Machine&, const Choice&, const Case&, std::stop_token);
std::unique_ptr<Trial> prepare_divergence(Machine&, const Choice&, const Case&, std::stop_token);
std::unique_ptr<Trial> prepare_conv(Machine&, const ChosenConv&, const Case&, std::stop_token);
/// A library is there (find_kernel()).
std::unique_ptr<Trial> prepare_library_conv(Machine&, const Case&, std::stop_token);
std::unique_ptr<Trial> prepare_stream(Machine&, const ChosenStream&, const Case&, std::stop_token);
std::unique_ptr<Trial> prepare_tile(Machine&, const Choice&, const Case&, std::stop_token);
/// Without a choice by the library.
std::unique_ptr<Trial> prepare_matmul(Machine&, const Choice*, const Case&, std::stop_token);
std::unique_ptr<Trial> prepare_peak(Machine&, const ChosenPeak&, const Case&);
std::unique_ptr<Trial> prepare_launch(Machine&, const Case&);

/// "element 17 of 1000: expected 1.5, got 2.25"
std::string mismatch(std::uint64_t index, std::uint64_t elements, double expected, double got);

}  // namespace kernels::cpu
