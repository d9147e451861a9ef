// Family `chain`: fused, one launch that applies all ops in registers; unfused, one launch per op
// with a trip to memory between, back and forth between two buffers, so that the input stays what
// it was.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/cpu/machine/share.hpp"
#include "kernels/cpu/simd/isa.hpp"
#include "kernels/cpu/trials/check_elements.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cpu {
namespace {

/// Ops between two looks at the stop token: 2 ms for the slowest kernel (one op per nanosecond).
constexpr std::uint64_t ops_per_piece = std::uint64_t{1} << 21;
// A case of more elements than a part is checked in two steps: all elements with a few ops (several
// rounds of the kernels' unrolled loops, several launches back and forth, and what is left over of
// either), once per kernel and size; and all ops on a part of the elements, for every case. A fault
// that needs both goes unseen; all ops on all elements would take as long as a sample.
constexpr std::uint64_t few_ops = 4 * ops_per_trip;
constexpr std::uint64_t few_launches = 4;
constexpr std::uint64_t part_per_thread = 171 * element_granule;

class ChainTrial final : public TimedTrial {
 public:
  ChainTrial(Machine& machine, const Choice& choice, const Case& c, std::stop_token stop)
      : TimedTrial(machine, c),
        timed_(c),
        function_(choice.row.chain),
        arithmetic_{choice.row.arithmetic, choice.isa.fused_multiply_add},
        operands_(operands_of(c.op(), c.dtype)),
        seed_(machine.input(Slot::first, c, c.elements, stop)),
        streaming_(machine.beyond_caches(footprint_of(c))) {
    machine.output(Slot::second, bytes(), c);
    if (launches() > 1) machine.output(Slot::third, bytes(), c);
  }

  Check verify(std::stop_token stop) override {
    const Restore restore{*this, operands_};
    if (timed_.data != Data::zeros) return check(stop);
    // Of zeros no result tells how often they were multiplied.
    case_.data = Data::random;
    seed_ = machine_.input(Slot::first, case_, timed_.elements, stop);
    const Check result = check(stop);
    machine_.input(Slot::first, timed_, timed_.elements, stop);
    return result;
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    for (std::uint64_t step = 0; step < launches() && !stop.stop_requested(); ++step) {
      launch(source(step), target(step), stop);
    }
  }
  std::optional<Deal> in_parts() const override {
    return launches() == 1 ? std::optional(deal()) : std::nullopt;
  }

 private:
  Deal deal() const { return machine_.deal(case_.elements, element_granule, streaming_); }
  /// Puts back what is timed, however a check ends.
  struct Restore {
    ChainTrial& trial;
    Operands operands;
    ~Restore() {
      trial.case_ = trial.timed_;
      trial.operands_ = operands;
    }
  };

  std::uint64_t launches() const { return case_.fusion == Fusion::fused ? 1 : case_.repeat; }
  std::uint64_t ops_per_launch() const { return case_.fusion == Fusion::fused ? case_.repeat : 1; }
  std::uint64_t bytes() const { return timed_.elements * size_of(timed_.dtype); }
  const void* source(std::uint64_t step) const {
    return step == 0 ? machine_.data(Slot::first, bytes()) : target(step - 1);
  }
  void* target(std::uint64_t step) const {
    return machine_.data(step % 2 == 0 ? Slot::second : Slot::third, bytes());
  }
  const void* result() const { return target(launches() - 1); }

  Check check(const std::stop_token& stop) {
    const bool fused = timed_.fusion == Fusion::fused;
    const std::uint64_t few =
        fused ? few_ops + timed_.repeat % ops_per_trip : few_launches + timed_.repeat % 2;
    const std::uint64_t part =
        part_per_thread * static_cast<std::uint64_t>(machine_.pool().threads()) +
        timed_.elements % element_granule;
    if (timed_.elements <= part) return check_ops(stop);
    const auto* kernel = reinterpret_cast<const void*>(function_);
    if (!machine_.checked_before(kernel, timed_)) {
      // A single launch alone has no third buffer, and says nothing of the others.
      const bool all = fused || timed_.repeat > 1;
      case_.repeat = all ? few : timed_.repeat;
      const Check result = check_ops(stop);
      if (result.ok && all) machine_.note_checked(kernel, timed_);
      if (!result.ok || case_.repeat == timed_.repeat) return result;
    }
    case_.repeat = timed_.repeat;
    case_.elements = part;
    return check_ops(stop);
  }

  /// With operands under which the result tells the number of ops. Sums of few bits tell only
  /// small ones: then all ops are checked with the operands that are timed.
  Check check_ops(const std::stop_token& stop) {
    const std::uint64_t repeat = case_.repeat;
    const Operands timed = operands_;
    case_.repeat = std::min(repeat, countable_repeat(case_, arithmetic_));
    operands_ = counting_operands(case_, arithmetic_);
    Check check = check_run(stop);
    const bool counted = case_.repeat == repeat;
    case_.repeat = repeat;
    operands_ = timed;
    if (check.ok && !counted) check = check_run(stop);
    return check;
  }

  Check check_run(const std::stop_token& stop) {
    for (std::uint64_t step = 0; step < std::min<std::uint64_t>(2, launches()); ++step) {
      fill_bytes(machine_, target(step), case_.elements, size_of(case_.dtype),
                 poison_of(case_.dtype), stop);
    }
    run_untimed(stop);
    std::vector<std::uint64_t> indices = poisoned_elements(
        machine_, result(), case_.elements, size_of(case_.dtype), poison_of(case_.dtype), stop);
    const auto samples =
        sampled_elements(case_.elements, element_granule, machine_.pool().threads(), seed_);
    indices.insert(indices.end(), samples.begin(), samples.end());
    return compare(indices, stop);
  }

  void launch(const void* in, void* out, const std::stop_token& stop) {
    const std::uint64_t size = size_of(case_.dtype);
    const std::uint64_t granules =
        std::max<std::uint64_t>(1, ops_per_piece / ops_per_launch() / element_granule);
    Division elements(deal(), part());
    auto share = [&](int thread) {
      elements.deal(
          thread, granules * element_granule, [&] { return stop.stop_requested(); },
          [&](Range range) {
            function_({static_cast<const char*>(in) + range.first * size,
                       static_cast<char*>(out) + range.first * size, range.count, ops_per_launch(),
                       operands_.a, operands_.b, streaming_});
          });
    };
    machine_.pool().launch(share);
  }

  Check compare(const std::vector<std::uint64_t>& indices, const std::stop_token& stop) const {
    Deviation deviation;
    std::uint64_t compared = 0;
    for (const std::uint64_t i : indices) {
      if (stop.stop_requested()) throw Cancelled();
      const double x = data_element(case_, seed_, i);
      const double expected = reference_chain(case_, arithmetic_, operands_, x);
      const double got = decode(case_.dtype, bits_at(result(), i, size_of(case_.dtype)));
      if (!chain_agrees(expected, got)) {
        return {false, fmt::format("{}, after {} ops", mismatch(i, timed_.elements, expected, got),
                                   case_.repeat)};
      }
      if (compared++ % exact_every == 0) deviation.add(exact_chain(case_, operands_, x), got);
    }
    return {.ok = true, .error = deviation.share()};
  }

  const Case timed_;  // case_ is what runs now
  ChainFunction function_;
  Arithmetic arithmetic_;
  Operands operands_;
  std::uint64_t seed_;
  bool streaming_;
};

}  // namespace

std::unique_ptr<Trial> prepare_chain(Machine& machine, const Choice& choice, const Case& c,
                                     std::stop_token stop) {
  return std::make_unique<ChainTrial>(machine, choice, c, stop);
}

}  // namespace kernels::cpu
