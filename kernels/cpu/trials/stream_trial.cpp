// Family `stream`: what memory and caches give to plain reads, writes, copies and triads of fp32.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/cpu/machine/pinned_caller.hpp"
#include "kernels/cpu/machine/share.hpp"
#include "kernels/cpu/trials/check_elements.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cpu {
namespace {

/// A thread's part is whole trips of most kernels and, in memory, whole pages.
constexpr std::uint64_t line_elements = 16, page_elements = 1024;
/// Elements between two looks at the stop token, over all passes: 6 MiB, about 0.5 ms of memory.
constexpr std::uint64_t piece = page_elements * 1536;
// A power of two: a + s b then rounds once with or without FMA.
constexpr double triad_scalar = 0.5;

class StreamTrial final : public TimedTrial {
 public:
  StreamTrial(Machine& machine, const ChosenStream& chosen, const Case& c, std::stop_token stop)
      : TimedTrial(machine, c, chosen.note),
        chosen_(chosen),
        granule_(c.elements >= page_elements * 64 ? page_elements : line_elements),
        sums_(static_cast<std::size_t>(machine.pool().threads())) {
    if (reads_a()) machine.any_input(Slot::first, c, c.elements, stop);
    if (reads_b()) machine.any_input(Slot::second, c, c.elements, stop);
    if (writes()) machine.output(output(), bytes(), c);
    if (beyond_caches()) note_ += ", " + machine.placement(reads_a() ? Slot::first : output());
  }

  Check verify(std::stop_token stop) override {
    checking_ = true;
    const Check check = case_.op() == Op::read ? check_read(stop) : check_elements(stop);
    checking_ = false;
    return check;
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    a_ = reads_a() ? tensor(Slot::first) : nullptr;
    b_ = reads_b() ? tensor(Slot::second) : nullptr;
    out_ = writes() ? tensor(output()) : nullptr;
    for (Sum& sum : sums_) sum.value = 0;
    const auto stopped = [&] { return stop.stop_requested(); };
    // From a queue of passes a thread may get none: a check needs one over each part.
    if (chosen_.dealing == Dealing::shares || (checking_ && !beyond_caches())) {
      return on_threads(
          [&](int thread) { return run_range(share_of(thread), case_.repeat, stop); });
    }
    if (!beyond_caches()) {
      // Only the core of a part holds it, so a fast core takes more passes over its own.
      Division passes({case_.repeat * static_cast<std::uint64_t>(chosen_.threads), 1,
                       chosen_.threads, Dealing::queue});
      return on_threads([&](int thread) {
        std::uint32_t sum = 0;
        passes.deal(thread, case_.repeat, stopped,
                    [&](Range some) { sum += run_range(share_of(thread), some.count, stop); });
        return sum;
      });
    }
    // A pass ends before the next one begins, which gives the same elements to other threads.
    for (std::uint64_t pass = 0; pass < case_.repeat && !stopped(); ++pass) {
      Division elements(deal(), part());
      on_threads([&](int thread) {
        std::uint32_t sum = 0;
        elements.deal(thread, piece, stopped, [&](Range range) { sum += call(range, 1); });
        return sum;
      });
    }
  }

  std::optional<Deal> in_parts() const override {
    return case_.repeat == 1 && beyond_caches() ? std::optional(deal()) : std::nullopt;
  }

 private:
  struct alignas(64) Sum {  // a cache line each
    std::uint32_t value = 0;
  };

  bool reads_a() const { return case_.op() != Op::write; }
  bool reads_b() const { return case_.op() == Op::triad; }
  bool writes() const { return case_.op() != Op::read; }
  Slot output() const { return reads_b() ? Slot::third : Slot::second; }
  std::uint64_t bytes() const { return case_.elements * sizeof(float); }
  float* tensor(Slot slot) const { return reinterpret_cast<float*>(machine_.data(slot, bytes())); }
  /// As fp32, whatever lay there.
  std::uint64_t input_seed(Slot slot, const std::stop_token& stop) {
    return machine_.input(slot, case_, case_.elements, stop);
  }

  Deal deal() const { return {case_.elements, granule_, chosen_.threads, chosen_.dealing}; }
  Range share_of(int thread) const { return deal().share(thread, part()); }

  /// All passes over a small range in one call; each pass over a large one in pieces.
  std::uint32_t run_range(Range all, std::uint64_t passes, const std::stop_token& stop) const {
    std::uint32_t sum = 0;
    const std::uint64_t at_once =
        std::clamp<std::uint64_t>(piece / std::max<std::uint64_t>(all.count, 1), 1, passes);
    for (std::uint64_t pass = 0; pass < passes && !stop.stop_requested(); pass += at_once) {
      in_pieces(
          all, piece, [&] { return stop.stop_requested(); },
          [&](Range range) { sum += call(range, std::min(at_once, passes - pass)); });
    }
    return sum;
  }

  /// One launch; adds what `run(thread)` read to the thread's sum.
  template <class Run>
  void on_threads(Run run) {
    auto share = [&](int thread) {
      if (thread < chosen_.threads) sums_[static_cast<std::size_t>(thread)].value += run(thread);
    };
    machine_.pool().launch(share);
  }

  bool beyond_caches() const { return machine_.beyond_caches(footprint_of(case_)); }

  std::uint32_t call(Range range, std::uint64_t passes) const {
    const auto from = [&](float* tensor) {
      return tensor == nullptr ? nullptr : tensor + range.first;
    };
    return static_cast<std::uint32_t>(
        chosen_.run({from(a_), from(b_), from(out_), range.count * sizeof(float), passes,
                     chosen_.prefetch_distance, scalar()}));
  }

  /// What a write stores, or the factor of a triad.
  double scalar() const {
    return case_.op() == Op::write && case_.data == Data::zeros ? 0 : triad_scalar;
  }

  Check check_read(const std::stop_token& stop) {
    // Nothing shows that zeros were read.
    const Data data = std::exchange(case_.data, Data::random);
    const Check check = check_sum(stop);
    case_.data = data;
    if (data == Data::zeros) machine_.any_input(Slot::first, case_, case_.elements, stop);
    return check;
  }

  Check check_sum(const std::stop_token& stop) {
    input_seed(Slot::first, stop);
    run_untimed(stop);
    std::uint32_t once = 0, got = 0;
    for (const Sum& sum : sums_) got += sum.value;
    for (std::uint64_t i = 0; i < case_.elements; ++i) {
      if (i % piece == 0 && stop.stop_requested()) throw Cancelled();
      once += std::bit_cast<std::uint32_t>(a_[i]);
    }
    const std::uint32_t expected = once * static_cast<std::uint32_t>(case_.repeat);
    if (got == expected) return {.ok = true};
    return {false, mismatch(0, 1, expected, got)};
  }

  Check check_elements(const std::stop_token& stop) {
    const int poison = poison_of(Dtype::fp32);
    if (reads_a()) a_seed_ = input_seed(Slot::first, stop);
    if (reads_b()) b_seed_ = input_seed(Slot::second, stop);
    fill_bytes(machine_, tensor(output()), case_.elements, sizeof(float), poison, stop);
    run_untimed(stop);
    std::vector<std::uint64_t> indices =
        poisoned_elements(machine_, out_, case_.elements, sizeof(float), poison, stop);
    const auto samples = sampled_elements(case_.elements, granule_, chosen_.threads, a_seed_);
    indices.insert(indices.end(), samples.begin(), samples.end());
    for (const std::uint64_t i : indices) {
      const double expected = expected_at(i);
      const double got = out_[i];
      if (expected != got) return {false, mismatch(i, case_.elements, expected, got)};
    }
    return {.ok = true};
  }

  double expected_at(std::uint64_t i) const {
    if (case_.op() == Op::write) return scalar();
    const double a = data_element(case_, a_seed_, i);
    if (case_.op() == Op::copy) return a;
    return round_to(Dtype::fp32, a + scalar() * data_element(case_, b_seed_, i));
  }

  ChosenStream chosen_;
  std::uint64_t granule_;
  bool checking_ = false;
  std::uint64_t a_seed_ = 0, b_seed_ = 0;
  float* a_ = nullptr;  // where the tensors lie during a run
  float* b_ = nullptr;
  float* out_ = nullptr;
  std::vector<Sum> sums_;  // by thread
};

}  // namespace

std::unique_ptr<Trial> prepare_stream(Machine& machine, const ChosenStream& chosen, const Case& c,
                                      std::stop_token stop) {
  return std::make_unique<StreamTrial>(machine, chosen, c, stop);
}

}  // namespace kernels::cpu
