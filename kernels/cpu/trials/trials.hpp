// Cases prepared on the CPU, one kind per kernel family. They share the machine's buffers: inputs
// that a trial made later overwrites are gone.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/check.hpp"
#include "kernels/cpu/machine/machine.hpp"
#include "kernels/cpu/trials/tables.hpp"
#include "kernels/device.hpp"
#include "kernels/families/pointwise/pointwise_reference.hpp"

namespace kernels::cpu {

/// Items of a launch between two looks at the stop token: whole granules of about `ops`, where an
/// item takes `of_item`.
constexpr std::uint64_t piece_of(std::uint64_t ops, std::uint64_t of_item, std::uint64_t granule) {
  return std::max<std::uint64_t>(1, ops / of_item / granule) * granule;
}

/// Times launches on the steady clock: brief runs in batches, long ones in parts. What a launch
/// does is the family's.
class TimedTrial : public Trial, protected Checkable {
 public:
  void settle(std::stop_token stop) final;
  /// Where a case is timed in parts: runs the next part; the seconds are those of the whole case.
  Sample run(std::stop_token stop) final;
  Work work() const final { return work_of(case_, "cpu"); }
  bool cold() const final;
  Check verify(std::stop_token stop) override;

 protected:
  TimedTrial(Machine& machine, const Case& c, std::string note = {})
      : machine_(machine), case_(c), now_(c), note_(std::move(note)) {}

  /// All launches of one run; returns early when `stop` fires. The calling thread is pinned
  /// (Pool::PinnedCaller).
  virtual void run_once(const std::stop_token& stop) = 0;

  /// The items of a run that can be timed in parts: one on_threads(), whose items are equal work
  /// and do not depend on each other. None: it is timed whole.
  virtual std::optional<Split> in_parts() const { return std::nullopt; }

  /// Called before each timed region, after the last launch that is not part of it.
  virtual void before_timing(const std::stop_token&) {}
  /// Called after each timed region, also one that was stopped, before anything else uses the
  /// cores.
  virtual void after_timing() noexcept {}
  /// The shortest timed region, s: shorter runs are timed in batches.
  virtual double least_region() const { return 100e-6; }

  /// One launch: body(thread, Range) on the present part of the items, in pieces.
  template <class Body>
  void on_threads(const Split& split, std::uint64_t piece, const std::stop_token& stop, Body body) {
    ParallelLoop items(split, part_);
    auto share = [&](int thread) {
      items.run(
          thread, piece, [&] { return stop.stop_requested(); },
          [&](Range range) { body(thread, range); });
    };
    machine_.pool().launch(share);
  }

  /// The part of its items that a run covers.
  Part part() const { return part_; }

  /// One run outside of any timing. Throws Cancelled.
  void run_untimed(const std::stop_token& stop);
  bool is_untimed() const { return untimed_; }

  /// An input of elements of the case, filled.
  void take(Slot, std::uint64_t elements, const std::stop_token&);
  /// Where it lies now; also of other slots.
  char* data(Slot slot, std::uint64_t bytes) const { return machine_.data(slot, bytes); }

  /// The result as it lies in memory.
  struct Result {
    char* data = nullptr;
    std::uint64_t elements = 0;
  };
  virtual Result result() const { return {}; }
  /// All that a run writes.
  virtual std::vector<Result> written() const { return {result()}; }

  const Case& timed() const final { return case_; }
  Operands operands() const override { return operands_; }
  double function_error() const final { return sleef_error; }
  std::uint64_t most_windows() const final { return std::numeric_limits<std::uint64_t>::max(); }
  std::vector<std::uint64_t> borders(std::uint64_t items) const final;
  bool is_proved() const final { return machine_.checked_before(kernel_, case_); }
  void note_proved() final { machine_.note_checked(kernel_, case_); }
  void fill(Contents, const std::stop_token&) override;
  double input(std::size_t which, std::uint64_t index) const override;
  std::uint64_t seed() const final { return inputs_.empty() ? 1 : inputs_.front().seed; }
  Covered run_poisoned(const Case&, const Operands&, const std::stop_token&) final;
  std::vector<double> read(const Window&) const final;

  struct Input {
    Slot slot;
    std::uint64_t elements = 0, seed = 0;
  };

  Machine& machine_;
  Case case_;
  Case now_;                   // what runs: during a check it can be less
  Operands operands_;          // that it runs with
  std::string note_;           // Sample::note
  std::vector<Value> values_;  // Sample::values
  std::vector<Span> spans_;    // Sample::spans
  std::vector<Input> inputs_;
  Contents holds_ = Contents::case_data;
  std::uint64_t granule_ = 1;         // of the threads' shares
  int sharing_ = machine_.threads();  // threads that share the items
  const void* kernel_ = nullptr;      // by which a check is known again

 private:
  double timed_region(const std::stop_token& stop);
  std::uint64_t parts_of(const Split&, const std::stop_token& stop);

  std::uint64_t batch_ = 1;  // runs of one timed region
  std::uint64_t parts_ = 0;  // timed regions of one run; 0: not known yet
  Part part_{};
  bool untimed_ = false;
  Result last_{};                       // of run_poisoned()
  std::optional<Contention> before_{};  // the next run, as settle() found it
};

/// Launches over all elements of a tensor, each of which reads what the one before it has written:
/// back and forth between two buffers, so that the input stays what it was.
class SteppedTrial : public TimedTrial {
 protected:
  SteppedTrial(Machine& machine, const Case& c, std::string note = {});
  /// The input and the buffers: in the constructor, once launches() can be asked.
  void take_tensors(const std::stop_token&);

  virtual std::uint64_t launches() const = 0;
  virtual void launch(std::uint64_t step, const char* in, char* out, const std::stop_token&) = 0;
  Split split() const { return machine_.split(now_.elements, element_granule, streaming_); }

  bool streaming_;

 private:
  void run_once(const std::stop_token&) final;
  std::optional<Split> in_parts() const final;
  Result result() const final { return {target(launches() - 1), now_.elements}; }
  std::vector<Result> written() const final;
  std::uint64_t bytes() const { return case_.elements * size_of(case_.dtype); }
  char* target(std::uint64_t step) const {
    return data(step % 2 == 0 ? Slot::second : Slot::third, bytes());
  }
};

/// A case to be prepared. `choice`: the kernel that find() prefers; null where a library answers,
/// or nothing is computed.
struct Asked {
  Machine& machine;
  const Selection& selection;
  const Choice* choice;
  const Case& c;
  const std::stop_token& stop;
};

/// Forward and backward: kernels are generated for the instruction set of the choice.
std::unique_ptr<Trial> prepare_gradient(const Asked&);
/// FamilyOnCpu::why_not of operators of networks.
std::string why_no_operators(const Abilities&, Dtype, Units);

/// Prepares a trial of a class that is made of a machine, a choice (if it takes one), a case and a
/// stop token.
template <class OfFamily>
std::unique_ptr<Trial> prepare_with(const Asked& asked) {
  if constexpr (std::is_constructible_v<OfFamily, Machine&, const Case&, const std::stop_token&>)
    return std::make_unique<OfFamily>(asked.machine, asked.c, asked.stop);
  else
    return std::make_unique<OfFamily>(asked.machine, *asked.choice, asked.c, asked.stop);
}

}  // namespace kernels::cpu
