// Family `peak`: ops on values that never leave registers, on every thread at once.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/cpu/trials/peak_reference.hpp"
#include "kernels/cpu/trials/shapes.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/reference.hpp"
#include "kernels/families/tile/tile_reference.hpp"

namespace kernels::cpu {
namespace {

// One call lasts about a millisecond, so that starting it doesn't count; a stop is noticed between
// calls. A repeat of a matrix kernel is four instructions of 16 clocks each, of a vector kernel a
// dozen of half a clock.
constexpr std::uint64_t least_vector_repeat = std::uint64_t{1} << 18;
constexpr std::uint64_t least_matrix_repeat = std::uint64_t{1} << 15;

/// Calls of a run: a fast core takes more of them from a queue, if there are enough.
std::uint64_t calls_of(Schedule schedule, int threads) {
  constexpr std::uint64_t queued_per_thread = 64;
  return static_cast<std::uint64_t>(threads) *
         (schedule == Schedule::queue ? queued_per_thread : 1);
}

Case with_shape(Case c, const PeakFunction& function, Schedule schedule, int threads) {
  c.elements = function.chains * calls_of(schedule, threads);
  const std::uint64_t least = c.units == Units::matrix ? least_matrix_repeat : least_vector_repeat;
  // Many calls from a queue may be briefer, and a run of them is then no longer than a look should
  // be.
  c.repeat = std::max(c.repeat, schedule == Schedule::queue ? least / 16 : least);
  return c;
}

/// Operands that keep the start values random for any number of ops: a factor just below 1 would
/// bring them all to one value within the many ops of a call.
Operands lasting_operands(Op op, Dtype dtype) {
  Operands operands = operands_of(op, dtype);
  if (!info_of(dtype).integer && op != Op::add) operands.a = -1;
  return operands;
}

constexpr std::string_view chains = "chains";

std::vector<ShapeAxis> peak_axes(const std::vector<const Choice*>& choices,
                                 const Machine& machine) {
  ShapeAxis count{std::string(chains), {}};
  for (const Choice* choice : choices) {
    for (const PeakFunction& peak : choice->row.peaks) {
      add_value(count, fmt::format("{}", peak.accumulators));
    }
  }
  std::vector<ShapeAxis> axes;
  if (!count.values.empty()) {
    sort_numbers(count);
    axes = {count, width_axis(choices)};
  }
  add_work_axis(axes, machine);
  return axes;
}

/// A peak kernel and the table it comes from.
struct ChosenPeak {
  PeakFunction function;
  Choice choice;
  Schedule schedule = Schedule::shares;
};

ChosenPeak choose_peak(const Selection& selection, const Machine& machine, const Case& c) {
  const std::vector<const Choice*> choices = selection.find_all(c);
  const Chosen chosen(peak_axes(choices, machine), c);
  const Schedule schedule = chosen.schedule();
  const std::string named = chosen.value(width_axis_name);
  if (named == no_choice) return {choices.front()->row.peak, *choices.front(), schedule};
  const Choice& choice = choice_named(choices, named);
  const int count = chosen.number(chains, "0");
  for (const PeakFunction& peak : choice.row.peaks) {
    if (peak.accumulators == count) return {peak, choice, schedule};
  }
  // Without a choice of chains, those that this instruction set does best with.
  if (chosen_on(chains, c).empty()) return {choice.row.peak, choice, schedule};
  throw not_built(c);
}

class PeakTrial final : public TimedTrial {
 public:
  PeakTrial(Machine& machine, const ChosenPeak& chosen, const Case& c)
      : TimedTrial(machine,
                   with_shape(c, chosen.function, chosen.schedule, machine.pool().threads()),
                   note_of(chosen.choice)),
        choice_(chosen.choice),
        function_(chosen.function),
        schedule_(chosen.schedule),
        call_(timed_call()),
        results_(static_cast<std::size_t>(machine.pool().threads())) {}

  Check verify(std::stop_token stop) override {
    for (const Call& call : checked_calls()) {
      if (Check check = check_call(call, stop); !check.ok) return check;
    }
    return {.ok = true};
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    const int threads = machine_.pool().threads();
    on_threads({calls_of(schedule_, threads), 1, threads, schedule_}, 1, stop,
               [&](int thread, Range) {
                 results_[static_cast<std::size_t>(thread)].value =
                     function_.run(call_.repeat, call_.operands.a, call_.operands.b, call_.start);
               });
  }

 private:
  /// What a kernel is called with.
  struct Call {
    std::uint64_t repeat = 0;
    Operands operands;
    PeakStart start = PeakStart::random;
  };

  Call timed_call() const {
    if (case_.data == Data::zeros) return {case_.repeat, {0, 0}, PeakStart::zeros};
    return {case_.repeat, lasting_operands(choice_.row.op, case_.dtype), PeakStart::random};
  }

  /// Results that tell the number of ops, on random values also where the case has zeros. Rounding
  /// hides products of random tiles that are left out of many (tile_reference.hpp).
  std::vector<Call> checked_calls() const {
    std::vector<Call> calls{{checked_repeat, checked_operands(), PeakStart::random}};
    if (case_.units == Units::matrix) {
      calls = {{rounded_repeat, {}, PeakStart::random}, {checked_repeat, {}, PeakStart::integers}};
    }
    if (case_.data == Data::zeros) {
      calls.push_back(call_);
      calls.back().repeat = checked_repeat;
    }
    return calls;
  }

  /// Operands under which the result tells the number of ops. Nothing is stored between them.
  Operands checked_operands() const {
    // Sums of products grow with every op.
    if (choice_.row.summing == Summing::dots) return lasting_operands(choice_.row.op, case_.dtype);
    const Case chain{.ops = case_.op(), .dtype = choice_.row.arithmetic, .repeat = checked_repeat};
    return counting_operands(chain, {choice_.row.arithmetic});
  }

  Check check_call(const Call& call, const std::stop_token& stop) {
    const Call timed = std::exchange(call_, call);
    const Schedule schedule = std::exchange(schedule_, Schedule::shares);  // a call on every thread
    run_untimed(stop);
    call_ = timed;
    schedule_ = schedule;
    const Expected expected = peak_reference(choice_.isa, choice_.row, function_, call.repeat,
                                             call.operands.a, call.operands.b, call.start);
    for (std::size_t thread = 0; thread < results_.size(); ++thread) {
      const double got = results_[thread].value;
      if (!expected.agrees(got)) {
        return {false,
                fmt::format("sum of thread {}: expected {}, got {}", thread, expected.value, got)};
      }
    }
    return {.ok = true};
  }

  // Not a multiple of any unrolling, so that remainders are checked too.
  static constexpr std::uint64_t checked_repeat = 101;

  Choice choice_;
  PeakFunction function_;
  Schedule schedule_;
  Call call_;
  std::vector<Padded<double>> results_;  // by thread
};

constexpr Op ops[] = {Op::mul, Op::add, Op::fma, Op::mul_add};

/// Dot products, where there are some.
std::vector<Kernel> dots(const Selection& selection) {
  const Kernel row = selection.describe(Family::peak, Op::mma, Dtype::bf16, Units::vector);
  return row.runs ? std::vector{row} : std::vector<Kernel>();
}

std::vector<ShapeAxis> axes_of(const Selection& selection, const Machine& machine, const Case& c) {
  const std::vector<const Choice*> choices = selection.find_all(c);
  return choices.empty() ? std::vector<ShapeAxis>() : peak_axes(choices, machine);
}

std::unique_ptr<Trial> prepare(const Asked& asked) {
  return std::make_unique<PeakTrial>(asked.machine,
                                     choose_peak(asked.selection, asked.machine, asked.c), asked.c);
}

}  // namespace

extern const FamilyOnCpu peak_on_cpu{
    .family = Family::peak, .ops = ops, .more = dots, .axes = axes_of, .prepare = prepare};

}  // namespace kernels::cpu
