// Family `stream`: what memory and caches give to plain reads, writes, copies and triads of fp32.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/cpu/machine/pinned_caller.hpp"
#include "kernels/cpu/trials/check_elements.hpp"
#include "kernels/cpu/trials/share.hpp"
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
      : TimedTrial(machine, c),
        chosen_(chosen),
        granule_(c.elements >= page_elements * 64 ? page_elements : line_elements),
        seed_(machine.next_seed()),
        sums_(static_cast<std::size_t>(machine.pool().threads())) {
    const std::uint64_t bytes = c.elements * sizeof(float);
    if (c.op() != Op::write) a_ = machine.reserve(Slot::first, bytes, c).data<float>();
    if (c.op() == Op::triad) b_ = machine.reserve(Slot::second, bytes, c).data<float>();
    if (c.op() != Op::read) out_ = machine.reserve(Slot::third, bytes, c).data<float>();
    fill_inputs(stop);
  }

  std::string note() const override { return chosen_.note; }
  bool cold() const override { return machine_.in_dram(footprint_of(case_)); }

  Check verify(std::stop_token stop) override {
    if (case_.op() != Op::read) return check_elements(stop);
    // Nothing shows that zeros were read.
    const Data data = std::exchange(case_.data, Data::random);
    if (data == Data::zeros) fill_inputs(stop);
    const Check check = check_sum(stop);
    case_.data = data;
    if (data == Data::zeros) fill_inputs(stop);
    return check;
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    auto share = [&](int thread) {
      Sum& sum = sums_[static_cast<std::size_t>(thread)];
      sum.value = thread < chosen_.threads ? run_part(part_of(thread), stop) : 0;
    };
    machine_.pool().launch(share);
  }

 private:
  static constexpr std::uint64_t second_seed = std::uint64_t{1} << 40;
  struct alignas(64) Sum {  // a cache line each
    std::uint32_t value = 0;
  };

  void fill_inputs(const std::stop_token& stop) {
    if (a_ != nullptr) fill_data(machine_, case_, a_, case_.elements, seed_, stop);
    if (b_ != nullptr) fill_data(machine_, case_, b_, case_.elements, seed_ + second_seed, stop);
  }

  Range part_of(int thread) const {
    return share_of(case_.elements, granule_, thread, chosen_.threads);
  }

  /// All passes over a small part in one call; each pass over a large one in pieces.
  std::uint32_t run_part(Range part, const std::stop_token& stop) const {
    std::uint32_t sum = 0;
    const std::uint64_t at_once =
        std::clamp<std::uint64_t>(piece / std::max<std::uint64_t>(part.count, 1), 1, case_.repeat);
    for (std::uint64_t pass = 0; pass < case_.repeat && !stop.stop_requested(); pass += at_once) {
      in_pieces(
          part, piece, [&] { return stop.stop_requested(); },
          [&](Range range) { sum += call(range, std::min(at_once, case_.repeat - pass)); });
    }
    return sum;
  }

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

  Check check_sum(const std::stop_token& stop) {
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
    fill_bytes(machine_, out_, case_.elements, sizeof(float), poison, stop);
    run_untimed(stop);
    std::vector<std::uint64_t> indices =
        poisoned_elements(machine_, out_, case_.elements, sizeof(float), poison, stop);
    const auto samples = sampled_elements(case_.elements, granule_, chosen_.threads, seed_);
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
    const double a = data_element(case_, seed_, i);
    if (case_.op() == Op::copy) return a;
    return round_to(Dtype::fp32, a + scalar() * data_element(case_, seed_ + second_seed, i));
  }

  ChosenStream chosen_;
  std::uint64_t granule_;
  std::uint64_t seed_;
  float* a_ = nullptr;
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
