// Family `steps`: a function call, a parallel loop, threads that are woken, a queue of tasks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <system_error>
#include <vector>

#include "kernels/cpu/threads/workers.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/steps/steps.hpp"

namespace kernels::cpu {
namespace {

using Clock = std::chrono::steady_clock;

/// A part of one step. All elements of the step before, part of this one.
struct Step {
  const float* in;
  float* out;
  std::uint64_t first, count, elements;
};
void run_step(const Step& step) {
  const std::uint64_t end = step.first + step.count, last = step.elements - 1;
  for (std::uint64_t i = step.first; i < std::min(end, last); ++i) step.out[i] = step.in[i + 1] + 1;
  if (step.count > 0 && end > last) step.out[last] = step.in[0] + 1;
}
/// Called through a pointer that the compiler may not look behind: a call is what is measured.
void (*volatile step_function)(const Step&) = run_step;

class StepsTrial final : public TimedTrial {
 public:
  StepsTrial(Machine& machine, const Case& c, const std::stop_token& stop)
      : TimedTrial(machine, c), start_(start_of(c, "cpu")) {
    take(Slot::first, c.elements, stop);
    machine.output(Slot::second, bytes(), c);
    machine.output(Slot::third, bytes(), c);
    std::vector<int> processors = machine.pool().processors();
    // The host queues on the first processor.
    if (start_ == Start::queue) processors = {processors[processors.size() > 1 ? 1 : 0]};
    try {
      if (start_ == Start::queue || start_ == Start::wake) workers_.emplace(processors);
    } catch (const std::system_error& error) {
      throw Unsupported(fmt::format("its threads cannot be started: {}", error.code().message()));
    }
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    steps_ = now_.repeat;
    for (const Slot slot : {Slot::first, Slot::second, Slot::third})
      at_[static_cast<std::size_t>(slot)] = reinterpret_cast<float*>(data(slot, bytes()));
    if (start_ == Start::queue) run_queue();
    for (std::uint64_t step = 0; step < steps_ && !stop.stop_requested(); ++step) {
      if (start_ == Start::call) step_function(part_of(step, 0, 1));
      if (start_ == Start::loop) run_loop(step);
      if (start_ == Start::wake) run_woken(step);
    }
    if (workers_) machine_.pool().caller_slept();
  }
  Result result() const override {
    return {data(of_step(now_.repeat - 1), bytes()), now_.elements};
  }
  std::vector<Result> written() const override {
    return {{data(Slot::second, bytes()), case_.elements},
            {data(Slot::third, bytes()), case_.elements}};
  }

 private:
  std::uint64_t bytes() const { return case_.elements * sizeof(float); }
  static Slot of_step(std::uint64_t step) { return step % 2 == 0 ? Slot::second : Slot::third; }

  Step part_of(std::uint64_t step, int thread, int threads) const {
    const Range range = share_of(now_.elements, 1, thread, threads);
    const Slot before = step == 0 ? Slot::first : of_step(step - 1);
    return {at_[static_cast<std::size_t>(before)], at_[static_cast<std::size_t>(of_step(step))],
            range.first, range.count, now_.elements};
  }

  void run_loop(std::uint64_t step) {
    auto body = [this, step](int thread) {
      step_function(part_of(step, thread, machine_.threads()));
    };
    machine_.pool().launch(body);
  }

  void run_woken(std::uint64_t step) {
    step_ = step;
    for (int worker = 0; worker < workers_->count(); ++worker)
      workers_->give(worker,
                     [this, worker] { step_function(part_of(step_, worker, workers_->count())); });
    workers_->wait();
  }

  void run_queue() {
    const auto start = Clock::now();
    for (std::uint64_t step = 0; step < steps_; ++step)
      workers_->give(0, [this, step] { step_function(part_of(step, 0, 1)); });
    const std::chrono::duration<double> queued = Clock::now() - start;
    workers_->wait();
    const std::chrono::duration<double> all = Clock::now() - start;
    note_queue(queued.count(), all.count(), values_, spans_);
  }

  Start start_;
  std::uint64_t steps_ = 0, step_ = 0;
  std::array<float*, slots> at_{};  // where the slots lie
  std::optional<Workers> workers_;
};

std::unique_ptr<Trial> prepare(const Asked& asked) {
  const Start start = start_of(asked.c, "cpu");
  if (start < Start::call)
    throw Unsupported(
        fmt::format("{} starts steps on a GPU", text_of(asked.c.family->axes[0], asked.c.more[0])));
  return std::make_unique<StepsTrial>(asked.machine, asked.c, asked.stop);
}

}  // namespace

extern const FamilyOnCpu steps_on_cpu{
    .family = Family::steps,
    .note = "a function call, a parallel loop, woken threads, or a queue",
    .prepare = prepare};

}  // namespace kernels::cpu
