// Family `launch`: what it costs to start nothing on every thread and to wait for all of them.
#include "kernels/cpu/trials/trials.hpp"

namespace kernels::cpu {
namespace {

class LaunchTrial final : public TimedTrial {
 public:
  LaunchTrial(Machine& machine, const Case& c, const std::stop_token&)
      : TimedTrial(machine, c), calls_(static_cast<std::size_t>(machine.pool().threads())) {}

  Check verify(std::stop_token stop) override {
    for (auto& calls : calls_) calls.value = 0;
    run_untimed(stop);
    for (std::size_t thread = 0; thread < calls_.size(); ++thread) {
      if (calls_[thread].value != case_.repeat) {
        return {false, mismatch(thread, calls_.size(), static_cast<double>(case_.repeat),
                                static_cast<double>(calls_[thread].value))};
      }
    }
    return {.ok = true};
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    Count count{calls_};
    for (std::uint64_t i = 0; i < case_.repeat && !stop.stop_requested(); ++i) {
      machine_.pool().launch(count);
    }
  }

 private:
  using Calls = Padded<std::uint64_t>;
  /// A cache line that no call writes to: the other threads read it in every launch.
  struct alignas(64) Count {
    std::vector<Calls>& calls;
    void operator()(int thread) { ++calls[static_cast<std::size_t>(thread)].value; }
  };
  std::vector<Calls> calls_;  // by thread
};

}  // namespace

extern const FamilyOnCpu launch_on_cpu{.family = Family::launch,
                                       .note = "dispatch to all threads and join",
                                       .prepare = prepare_with<LaunchTrial>};

}  // namespace kernels::cpu
