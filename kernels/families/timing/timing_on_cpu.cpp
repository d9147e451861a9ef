// Family `timing` on a CPU: the fma chain, with what goes wrong done before or within the time.
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

#include "kernels/cpu/machine/memory.hpp"
#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/simd/isa.hpp"
#include "kernels/cpu/threads/workers.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/timing/timing.hpp"

namespace kernels::cpu {
namespace {

using std::chrono::steady_clock;

/// Long enough for a core to fall into a deep sleep, and for a power limit to lower the clock.
constexpr std::chrono::milliseconds rest{20}, long_load{200};
/// Byte between two looks at the stop token: some ms.
constexpr std::uint64_t flushed_at_once = std::uint64_t{1} << 22;
/// fma between two looks at the stop token: about 1 ms of one thread.
constexpr std::uint64_t fma_per_piece = std::uint64_t{1} << 21;

class TimingTrial final : public TimedTrial {
 public:
  TimingTrial(Machine& machine, const Choice& chain, const Case& c, const std::stop_token& stop)
      : TimedTrial(machine, c, note_of(chain)), chain_(chain), way_(way_of(c)) {
    operands_ = operands_of(Op::fma, c.dtype);
    granule_ = element_granule;
    take(Slot::first, c.elements, stop);
    machine.output(Slot::second, bytes(), c);
    if (way_ == Way::unfinished) worker_.emplace(std::vector{machine.pool().processors().back()});
  }

 protected:
  /// A run that is too short is shown as it is: a batch would hide what goes wrong.
  double least_region() const override { return 0; }

  void before_timing(const std::stop_token& stop) override {
    char* const usual = data(Slot::second, bytes());
    fresh_.reset();
    switch (way_) {
      case Way::unfinished:
        Pool::let_others_sleep();  // the worker has one of their cores
        break;
      case Way::after_rest:
        std::this_thread::sleep_for(rest);
        break;
      case Way::cold:
        compute(usual, stop);
        for (const Slot slot : {Slot::first, Slot::second})
          in_pieces(
              {0, bytes()}, flushed_at_once, [&] { return stop.stop_requested(); },
              [&](Range some) { flush(data(slot, bytes()) + some.first, some.count); });
        break;
      case Way::sustained:
        for (const auto end = steady_clock::now() + long_load;
             steady_clock::now() < end && !stop.stop_requested();)
          compute(usual, stop);
        break;
      default:
        compute(usual, stop);
    }
    machine_.pool().caller_slept();
  }

  /// What was started ends before the cores are looked at.
  void after_timing() noexcept override {
    if (!worker_) return;
    worker_->wait();
    machine_.pool().caller_slept();
  }

  void run_once(const std::stop_token& stop) override {
    char* const usual = data(Slot::second, bytes());
    if (way_ == Way::unfinished) {
      start(usual, stop);
      if (is_untimed()) after_timing();
    } else if (way_ == Way::new_memory) {
      fresh_.emplace(bytes(), PageSize::small);
      compute(fresh_->data(), stop);
      if (is_untimed()) std::memcpy(usual, fresh_->data(), bytes());  // where the check looks
    } else {
      compute(usual, stop);
    }
  }

  Arithmetic arithmetic() const override { return {case_.dtype, chain_.isa.fused_multiply_add}; }
  Result result() const override { return {data(Slot::second, bytes()), case_.elements}; }

 private:
  std::uint64_t bytes() const { return case_.elements * sizeof(float); }

  std::uint64_t piece() const { return piece_of(fma_per_piece, case_.repeat, element_granule); }

  void compute(char* out, const std::stop_token& stop) {
    const char* const in = data(Slot::first, bytes());
    on_threads(machine_.split(case_.elements, element_granule, false), piece(), stop,
               [&](int, Range some) { fma(in, out, some); });
  }
  /// Another thread does all of it.
  void start(char* out, const std::stop_token& stop) {
    const char* const in = data(Slot::first, bytes());
    worker_->give(0, [this, in, out, stop] {
      in_pieces(
          {0, case_.elements}, piece(), [&] { return stop.stop_requested(); },
          [&](Range some) { fma(in, out, some); });
    });
  }
  void fma(const char* in, char* out, Range some) const {
    chain_.row.chain({in + some.first * sizeof(float), out + some.first * sizeof(float), some.count,
                      case_.repeat, operands_.a, operands_.b, false});
  }

  Choice chain_;
  Way way_;
  std::optional<Pages> fresh_;
  std::optional<Workers> worker_;
};

std::unique_ptr<Trial> prepare(const Asked& asked) {
  const Way way = way_of(asked.c);
  if (way == Way::with_launch)
    throw Unsupported(
        "with-launch is measured on a GPU: threads of a CPU are always started and "
        "joined within the time");
  if (way == Way::unfinished && asked.machine.threads() < 2)
    throw Unsupported("a thread that is started and not waited for needs a second processor");
  if (way == Way::cold && !can_flush())
    throw Unsupported("this processor has no instruction that empties its caches");
  const Choice& chain = asked.selection.fma_chain(asked.c);
  try {
    return std::make_unique<TimingTrial>(asked.machine, chain, asked.c, asked.stop);
  } catch (const std::system_error& error) {
    throw Unsupported(fmt::format("its thread cannot be started: {}", error.code().message()));
  }
}

}  // namespace

extern const FamilyOnCpu timing_on_cpu{
    .family = Family::timing, .note = "a chain of fma on all threads", .prepare = prepare};

}  // namespace kernels::cpu
