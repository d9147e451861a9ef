// Family `peak`: ops on values that never leave registers, on every thread at once.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/cpu/peak_reference.hpp"
#include "kernels/cpu/trials.hpp"
#include "kernels/reference.hpp"

namespace kernels::cpu {
namespace {

// One call lasts about a millisecond, so that starting it doesn't count; a stop is noticed between
// calls. A repeat of a matrix kernel is four instructions of 16 clocks each, of a vector kernel a
// dozen of half a clock.
constexpr std::uint64_t least_vector_repeat = std::uint64_t{1} << 18;
constexpr std::uint64_t least_matrix_repeat = std::uint64_t{1} << 15;

Case with_shape(Case c, const PeakFunction& function, int threads) {
  c.elements = function.chains * static_cast<std::uint64_t>(threads);
  c.repeat =
      std::max(c.repeat, c.units == Units::matrix ? least_matrix_repeat : least_vector_repeat);
  return c;
}

/// Operands that keep the start values random for any number of ops: a factor just below 1 would
/// bring them all to one value within the many ops of a call.
Operands lasting_operands(Op op, Dtype dtype) {
  Operands operands = operands_of(op, dtype);
  if (!info_of(dtype).integer && op != Op::add) operands.a = -1;
  return operands;
}

class PeakTrial final : public TimedTrial {
 public:
  PeakTrial(Machine& machine, const ChosenPeak& chosen, const Case& c)
      : TimedTrial(machine, with_shape(c, chosen.function, machine.pool().threads())),
        choice_(chosen.choice),
        function_(chosen.function),
        operands_(lasting_operands(choice_.row.op, c.dtype)),
        results_(static_cast<std::size_t>(machine.pool().threads())) {}

  Check verify(std::stop_token stop) override {
    const Operands checked = checked_operands();
    const Operands timed = std::exchange(operands_, checked);
    const std::uint64_t full = std::exchange(case_.repeat, checked_repeat);
    run_untimed(stop);
    case_.repeat = full;
    operands_ = timed;
    const PeakReference expected =
        peak_reference(choice_.isa, choice_.row, function_, checked_repeat, checked.a, checked.b);
    for (std::size_t thread = 0; thread < results_.size(); ++thread) {
      const double got = results_[thread].value;
      if (!(std::fabs(got - expected.value) <= expected.tolerance)) {
        return {false,
                fmt::format("sum of thread {}: expected {}, got {}", thread, expected.value, got)};
      }
    }
    return {.ok = true};
  }

 protected:
  void run_once(const std::stop_token&) override {
    auto share = [&](int thread) {
      results_[static_cast<std::size_t>(thread)].value =
          function_.run(case_.repeat, operands_.a, operands_.b);
    };
    machine_.pool().launch(share);
  }

 private:
  /// Operands under which the result tells the number of ops. Nothing is stored between them.
  Operands checked_operands() const {
    if (choice_.row.summing == Summing::dots) return operands_;  // sums grow with every op
    const Case chain{.op = case_.op, .dtype = choice_.row.arithmetic, .repeat = checked_repeat};
    return counting_operands(chain, {choice_.row.arithmetic});
  }

  // Not a multiple of any unrolling, so that remainders are checked too.
  static constexpr std::uint64_t checked_repeat = 101;
  struct alignas(64) Result {  // a cache line each
    double value = 0;
  };

  Choice choice_;
  PeakFunction function_;
  Operands operands_;
  std::vector<Result> results_;  // by thread
};

}  // namespace

std::unique_ptr<Trial> prepare_peak(Machine& machine, const ChosenPeak& chosen, const Case& c) {
  return std::make_unique<PeakTrial>(machine, chosen, c);
}

}  // namespace kernels::cpu
