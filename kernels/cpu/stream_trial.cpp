// Family `stream`: what memory gives to plain reads, writes, copies and triads of fp32.
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/cpu/check_elements.hpp"
#include "kernels/cpu/enlisted.hpp"
#include "kernels/cpu/share.hpp"
#include "kernels/cpu/trials.hpp"
#include "kernels/reference.hpp"

namespace kernels::cpu {
namespace {

constexpr std::uint64_t piece = element_granule << 12;  // 6 MiB: about 0.5 ms
// A power of two: a + s b then rounds once with or without FMA.
constexpr double scalar = 0.5;

class StreamTrial final : public TimedTrial {
 public:
  StreamTrial(Machine& machine, const Choice& choice, const Case& c, std::stop_token stop)
      : TimedTrial(machine, c),
        function_(choice.row.stream),
        seed_(machine.next_seed()),
        streaming_(machine.beyond_caches(footprint_of(c))),
        sums_(static_cast<std::size_t>(machine.pool().threads())) {
    const std::uint64_t bytes = c.elements * sizeof(float);
    if (c.op != Op::write) {
      a_ = machine.reserve(Slot::first, bytes, c).data<float>();
      fill_data(machine, c, a_, c.elements, seed_, stop);
    }
    if (c.op == Op::triad) {
      b_ = machine.reserve(Slot::second, bytes, c).data<float>();
      fill_data(machine, c, b_, c.elements, seed_ + second_seed, stop);
    }
    if (c.op != Op::read) out_ = machine.reserve(Slot::third, bytes, c).data<float>();
  }

  bool cold() const override { return machine_.in_dram(footprint_of(case_)); }

  Check verify(std::stop_token stop) override {
    if (out_ != nullptr) {
      fill_bytes(machine_, out_, case_.elements, sizeof(float), poison_of(Dtype::fp32), stop);
    }
    run_untimed(stop);
    return case_.op == Op::read ? compare_sum(stop) : compare_elements(stop);
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    Pool& pool = machine_.pool();
    auto share = [&](int thread) {
      std::uint32_t sum = 0;
      in_pieces(
          share_of(case_.elements, element_granule, thread, pool.threads()), piece,
          [&] { return stop.stop_requested(); },
          [&](Range range) {
            const double value = function_({at(a_, range), at(b_, range), at(out_, range),
                                            range.count * sizeof(float), scalar, streaming_});
            sum ^= static_cast<std::uint32_t>(value);
          });
      sums_[static_cast<std::size_t>(thread)].value = sum;
    };
    pool.launch(share);
  }

 private:
  static constexpr std::uint64_t second_seed = std::uint64_t{1} << 40;
  struct alignas(64) Sum {  // a cache line each
    std::uint32_t value = 0;
  };

  static float* at(float* tensor, Range range) {
    return tensor == nullptr ? nullptr : tensor + range.first;
  }

  Check compare_sum(const std::stop_token& stop) const {
    std::uint32_t expected = 0, got = 0;
    for (const Sum& sum : sums_) got ^= sum.value;
    for (std::uint64_t i = 0; i < case_.elements; ++i) {
      if (i % piece == 0 && stop.stop_requested()) throw Cancelled();
      expected ^= std::bit_cast<std::uint32_t>(a_[i]);
    }
    if (got == expected) return {.ok = true};
    return {false, mismatch(0, 1, expected, got)};
  }

  Check compare_elements(const std::stop_token& stop) {
    std::vector<std::uint64_t> indices = poisoned_elements(
        machine_, out_, case_.elements, sizeof(float), poison_of(Dtype::fp32), stop);
    const auto samples =
        sampled_elements(case_.elements, element_granule, machine_.pool().threads(), seed_);
    indices.insert(indices.end(), samples.begin(), samples.end());
    for (const std::uint64_t i : indices) {
      const double expected = expected_at(i);
      const double got = out_[i];
      if (expected != got) return {false, mismatch(i, case_.elements, expected, got)};
    }
    return {.ok = true};
  }

  double expected_at(std::uint64_t i) const {
    if (case_.op == Op::write) return scalar;
    const double a = data_element(case_, seed_, i);
    if (case_.op == Op::copy) return a;
    return round_to(Dtype::fp32, a + scalar * data_element(case_, seed_ + second_seed, i));
  }

  StreamFunction function_;
  std::uint64_t seed_;
  bool streaming_;
  float* a_ = nullptr;
  float* b_ = nullptr;
  float* out_ = nullptr;
  std::vector<Sum> sums_;  // by thread
};

}  // namespace

std::unique_ptr<Trial> prepare_stream(Machine& machine, const Choice& choice, const Case& c,
                                      std::stop_token stop) {
  return std::make_unique<StreamTrial>(machine, choice, c, stop);
}

}  // namespace kernels::cpu
