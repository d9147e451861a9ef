// Family `eager` on a CPU: a parallel loop for each operator or each fused layer, or one parallel
// region in which threads wait for each other between operators.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/eager/eager.hpp"

namespace kernels::cpu {
namespace {

/// Threads of one parallel region wait here for each other.
class Meeting {
 public:
  explicit Meeting(int threads) : threads_(static_cast<std::uint32_t>(threads)) {}
  void begin() { arrived_ = 0; }
  /// Returns when all threads have come for the time number `times`, from 1.
  void wait(std::uint64_t times) {
    const std::uint64_t all = times * threads_;
    arrived_.fetch_add(1, std::memory_order_acq_rel);
    for (int spins = 0; arrived_.load(std::memory_order_acquire) < all;)
      if (++spins > most_spins) std::this_thread::yield();
  }

 private:
  /// Some us, far longer than threads that run are apart; then a thread may wait for its core.
  static constexpr int most_spins = 10'000;

  std::uint64_t threads_;
  std::atomic<std::uint64_t> arrived_ = 0;
};

class EagerTrial final : public TimedTrial {
 public:
  EagerTrial(Machine& machine, const Choice& choice, const Case& c, const std::stop_token& stop)
      : TimedTrial(machine, c, note_of(choice)),
        layer_(choice.row.as<LayerFunctions>()),
        fused_multiply_add_(choice.isa.fused_multiply_add),
        meeting_(machine.threads()),
        stamps_(static_cast<std::size_t>(machine.threads())) {
    granule_ = layer_width(c);  // threads share whole rows
    take(Slot::first, c.elements, stop);
    take(Slot::second, c.repeat * layer_weights(layer_width(c)), stop);
    machine.output(Slot::third, room_bytes(), c);
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    stop_ = &stop;
    at_ = {floats(Slot::first, case_.elements),
           floats(Slot::second, case_.repeat * layer_weights(layer_width(case_))),
           floats(Slot::third, 3 * case_.elements)};
    if (form_of(case_) == Form::graph) return run_region();
    for (std::uint64_t part = 0; part < launches_of(case_) && !stop.stop_requested(); ++part) {
      auto body = [&](int thread) { run_part(part, thread); };
      machine_.pool().launch(body);
    }
  }

  /// Once for each trial, so that no timed run looks at the clock: the median of some runs.
  void before_timing(const std::stop_token& stop) override {
    if (!spans_.empty()) return;
    run_once(stop);  // the first one is slow
    std::vector<Traced> runs(traced_runs);
    for (Traced& one : runs) {
      one = traced(stop);
      if (stop.stop_requested()) return;
    }
    const auto middle = runs.begin() + traced_runs / 2;
    std::ranges::nth_element(runs, middle, {}, &Traced::works);
    spans_ = std::move(middle->spans);
    values_ = {{std::string(device_works), middle->works}};
  }

  Arithmetic arithmetic() const override { return {case_.dtype, fused_multiply_add_}; }
  Result result() const override {
    return {reinterpret_cast<char*>(x_after(case_.repeat, floats(Slot::third, 3 * case_.elements))),
            case_.elements};
  }
  std::vector<Result> written() const override {
    return {{data(Slot::third, room_bytes()), 3 * case_.elements}};
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::ptrdiff_t traced_runs = 5;
  /// What ran when, and the share of the time in which any part ran.
  struct Traced {
    std::vector<Span> spans;
    double works = 0;
  };
  /// Where the slots lie in a run.
  struct Places {
    const float *x = nullptr, *weights = nullptr;
    float* room = nullptr;
  };

  std::uint64_t room_bytes() const { return 3 * case_.elements * sizeof(float); }
  float* floats(Slot slot, std::uint64_t count) const {
    return reinterpret_cast<float*>(data(slot, count * sizeof(float)));
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  /// x after so many layers: behind t, after even and odd ones in turn.
  float* x_after(std::uint64_t layers, float* room) const {
    return room + (1 + layers % 2) * case_.elements;
  }

  void run_part(std::uint64_t part, int thread) {
    const double begin = traced_ ? seconds() : 0;
    const bool whole = form_of(case_) == Form::fused;
    const std::uint64_t layer = whole ? part : part / ops_of_layer;
    const Range rows = share_of(layer_rows(case_), 1, thread, machine_.threads());
    const LayerSlice slice{layer == 0 ? at_.x : x_after(layer, at_.room),
                           at_.weights + layer * layer_weights(layer_width(case_)),
                           at_.room,
                           x_after(layer + 1, at_.room),
                           rows.first,
                           rows.count,
                           layer_width(case_),
                           layer_scale(layer_width(case_))};
    (whole ? layer_.fused : layer_.ops[part % ops_of_layer])(slice);
    if (traced_) stamps_[static_cast<std::size_t>(thread)][part] = {begin, seconds()};
  }

  void run_region() {
    meeting_.begin();
    parts_to_run_ = launches_of(case_);
    auto body = [this](int thread) {
      for (std::uint64_t part = 0; part < parts_to_run_.load(std::memory_order_relaxed); ++part) {
        run_part(part, thread);
        // The others read it behind the meeting, so that all leave after the same part.
        if (thread == 0 && stop_->stop_requested())
          parts_to_run_.store(part + 1, std::memory_order_relaxed);
        meeting_.wait(part + 1);
      }
    };
    machine_.pool().launch(body);
  }

  Traced traced(const std::stop_token& stop) {
    for (std::vector<Stretch>& one : stamps_) one.assign(launches_of(case_), {});
    traced_ = true;
    begin_ = Clock::now();
    run_once(stop);
    const double end = seconds();
    traced_ = false;
    std::vector<Stretch> device(launches_of(case_)), host;
    for (std::uint64_t part = 0; part < device.size(); ++part) {
      Stretch& all = device[part] = stamps_.front()[part];
      for (const std::vector<Stretch>& one : stamps_) {
        all.begin = std::min(all.begin, one[part].begin);
        all.end = std::max(all.end, one[part].end);
      }
      const double before = part == 0 ? 0 : device[part - 1].end;
      if (part == 0 || form_of(case_) != Form::graph) host.push_back({before, all.begin});
    }
    return {spans_of(case_, host, device, end), share_of_work(device, end)};
  }

  LayerFunctions layer_;
  bool fused_multiply_add_;
  Meeting meeting_;
  std::vector<std::vector<Stretch>> stamps_;  // of each thread, when it worked on each part, s
  Places at_;
  std::atomic<std::uint64_t> parts_to_run_ = 0;
  bool traced_ = false;
  Clock::time_point begin_;
  const std::stop_token* stop_ = nullptr;  // of the present run
};

}  // namespace

extern const FamilyOnCpu eager_on_cpu{.family = Family::eager, .prepare = prepare_with<EagerTrial>};

}  // namespace kernels::cpu
