// Family `chain`: fused, one launch that applies all ops in registers; unfused, one launch per op
// with a trip to memory between, back and forth between two buffers, so that the input stays what
// it was.
#include <array>
#include <cmath>

#include "kernels/cpu/check_elements.hpp"
#include "kernels/cpu/share.hpp"
#include "kernels/cpu/trials.hpp"
#include "kernels/reference.hpp"

namespace kernels::cpu {
namespace {

/// Ops between two looks at the stop token: 2 ms for the slowest kernel (one op per nanosecond).
constexpr std::uint64_t ops_per_piece = std::uint64_t{1} << 21;
// Every element is checked after this many ops, past the unrolled loops of the kernels, and after
// this many launches, which go back and forth twice: a check then takes no longer than the memory.
constexpr std::uint64_t checked_ops = 32;
constexpr std::uint64_t checked_launches = 4;
/// Elements per thread on which all ops are checked.
constexpr std::uint64_t exact_elements = std::uint64_t{1} << 16;

class ChainTrial final : public TimedTrial {
 public:
  ChainTrial(Machine& machine, const Choice& choice, const Case& c, std::stop_token stop)
      : TimedTrial(machine, c),
        function_(choice.row.chain),
        arithmetic_{choice.row.arithmetic, choice.isa.fused_multiply_add},
        operands_(operands_of(c.op, c.dtype)),
        seed_(machine.next_seed()),
        streaming_(machine.beyond_caches(footprint_of(c))) {
    const std::uint64_t bytes = c.elements * size_of(c.dtype);
    buffers_[0] = machine.reserve(Slot::first, bytes, c).data();
    buffers_[1] = machine.reserve(Slot::second, bytes, c).data();
    buffers_[2] = launches() > 1 ? machine.reserve(Slot::third, bytes, c).data() : nullptr;
    fill_data(machine, c, buffers_[0], c.elements, seed_, stop);
  }

  bool cold() const override { return machine_.in_dram(footprint_of(case_)); }

  /// Every element after a few ops, then all ops on a part of the elements.
  Check verify(std::stop_token stop) override {
    const Case whole = case_;
    const std::uint64_t few = whole.fusion == Fusion::fused ? checked_ops : checked_launches;
    case_.repeat = std::min(whole.repeat, few);
    Check check = check_ops(stop);
    if (check.ok && whole.repeat > few) {
      case_ = whole;
      case_.elements = std::min(whole.elements, part_of(whole.elements));
      check = check_ops(stop);
    }
    case_ = whole;
    return check;
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    for (std::uint64_t step = 0; step < launches() && !stop.stop_requested(); ++step) {
      launch(source(step), target(step), stop);
    }
  }

 private:
  std::uint64_t launches() const { return case_.fusion == Fusion::fused ? 1 : case_.repeat; }
  std::uint64_t ops_per_launch() const { return case_.fusion == Fusion::fused ? case_.repeat : 1; }
  const void* source(std::uint64_t step) const {
    return step == 0 ? buffers_[0] : target(step - 1);
  }
  void* target(std::uint64_t step) const { return buffers_[1 + step % 2]; }
  const void* result() const { return target(launches() - 1); }

  /// With the rest that is left over after whole granules.
  std::uint64_t part_of(std::uint64_t elements) const {
    return exact_elements * static_cast<std::uint64_t>(machine_.pool().threads()) +
           elements % element_granule;
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
    for (void* buffer : {buffers_[1], buffers_[2]}) {
      if (buffer == nullptr) continue;
      fill_bytes(machine_, buffer, case_.elements, size_of(case_.dtype), poison_of(case_.dtype),
                 stop);
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
    Pool& pool = machine_.pool();
    const std::uint64_t size = size_of(case_.dtype);
    const std::uint64_t granules =
        std::max<std::uint64_t>(1, ops_per_piece / ops_per_launch() / element_granule);
    auto share = [&](int thread) {
      in_pieces(
          share_of(case_.elements, element_granule, thread, pool.threads()),
          granules * element_granule, [&] { return stop.stop_requested(); },
          [&](Range range) {
            function_({static_cast<const char*>(in) + range.first * size,
                       static_cast<char*>(out) + range.first * size, range.count, ops_per_launch(),
                       operands_.a, operands_.b, streaming_});
          });
    };
    pool.launch(share);
  }

  Check compare(const std::vector<std::uint64_t>& indices, const std::stop_token& stop) const {
    for (const std::uint64_t i : indices) {
      if (stop.stop_requested()) throw Cancelled();
      const double expected =
          reference_chain(case_, arithmetic_, operands_, data_element(case_, seed_, i));
      const double got = decode(case_.dtype, bits_at(result(), i, size_of(case_.dtype)));
      if (!chain_agrees(expected, got)) {
        return {false, mismatch(i, case_.elements, expected, got)};
      }
    }
    return {.ok = true};
  }

  ChainFunction function_;
  Arithmetic arithmetic_;
  Operands operands_;
  std::uint64_t seed_;
  bool streaming_;
  std::array<void*, 3> buffers_{};  // input, then the two that launches write in turn
};

}  // namespace

std::unique_ptr<Trial> prepare_chain(Machine& machine, const Choice& choice, const Case& c,
                                     std::stop_token stop) {
  return std::make_unique<ChainTrial>(machine, choice, c, stop);
}

}  // namespace kernels::cpu
