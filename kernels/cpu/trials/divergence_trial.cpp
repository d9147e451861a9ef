// Family `divergence`: one launch over all elements, whose paths lie beside them.
#include <algorithm>
#include <vector>

#include "kernels/cpu/machine/share.hpp"
#include "kernels/cpu/trials/check_elements.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/divergence.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cpu {
namespace {

/// FMA of all paths between two looks at the stop token: about 1 ms of the slowest kernel.
constexpr std::uint64_t fma_per_piece = std::uint64_t{1} << 20;
/// FMA of the reference of one verification: about 20 ms.
constexpr std::uint64_t reference_fma = 1'000'000;

class DivergenceTrial final : public TimedTrial {
 public:
  DivergenceTrial(Machine& machine, const Choice& choice, const Case& c,
                  const std::stop_token& stop)
      : TimedTrial(machine, c, note_of(choice)), choice_(choice) {
    seed_ = machine.input(Slot::first, c, c.elements, stop);
    machine.output(Slot::second, bytes(), c);
    machine.output(Slot::third, bytes(), c);
    auto* paths = reinterpret_cast<float*>(machine.data(Slot::second, bytes()));
    each_piece(stop, [&](Range some) {
      for (std::uint64_t i = some.first; i < some.first + some.count; ++i)
        paths[i] = static_cast<float>(path_of(i, paths_of(c)));
    });
    if (stop.stop_requested()) throw Cancelled();
  }

  Check verify(std::stop_token stop) override {
    const int poison = poison_of(case_.dtype);
    fill_bytes(machine_, result(), case_.elements, sizeof(float), poison, stop);
    run_untimed(stop);
    std::vector<std::uint64_t> indices =
        poisoned_elements(machine_, result(), case_.elements, sizeof(float), poison, stop);
    const auto samples =
        sampled_elements(case_.elements, divergence_granule, machine_.threads(), seed_);
    const std::size_t most = std::max<std::size_t>(256, reference_fma / case_.repeat);
    for (std::size_t i = 0, step = samples.size() / most + 1; i < samples.size(); i += step)
      indices.push_back(samples[i]);
    Deviation deviation;
    for (const std::uint64_t i : indices) {
      if (stop.stop_requested()) throw Cancelled();
      const double x = data_element(case_, seed_, i);
      const double expected = expected_divergence(case_, choice_.isa.fused_multiply_add, i, x);
      const double got = decode(case_.dtype, bits_at(result(), i, sizeof(float)));
      if (!chain_agrees(expected, got)) return {false, mismatch(i, case_.elements, expected, got)};
      deviation.add(exact_divergence(case_, i, x), got);
    }
    return {.ok = true, .error = deviation.share()};
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    const auto* in = reinterpret_cast<const float*>(machine_.data(Slot::first, bytes()));
    const auto* paths = reinterpret_cast<const float*>(machine_.data(Slot::second, bytes()));
    auto* out = reinterpret_cast<float*>(result());
    each_piece(stop, [&](Range some) {
      choice_.row.divergence({in + some.first, paths + some.first, out + some.first, some.count,
                              case_.repeat, paths_of(case_)});
    });
  }

 private:
  std::uint64_t bytes() const { return case_.elements * sizeof(float); }
  char* result() const { return machine_.data(Slot::third, bytes()); }

  /// Each thread its share, piece by piece.
  template <class Body>
  void each_piece(const std::stop_token& stop, Body body) {
    const std::uint64_t fma = case_.repeat * static_cast<std::uint64_t>(paths_of(case_));
    const std::uint64_t piece =
        std::max<std::uint64_t>(1, fma_per_piece / fma / divergence_granule) * divergence_granule;
    Division elements(machine_.deal(case_.elements, divergence_granule, false));
    auto share = [&](int thread) {
      elements.deal(
          thread, piece, [&] { return stop.stop_requested(); }, body);
    };
    machine_.pool().launch(share);
  }

  Choice choice_;
  std::uint64_t seed_ = 0;
};

}  // namespace

std::unique_ptr<Trial> prepare_divergence(Machine& machine, const Choice& choice, const Case& c,
                                          std::stop_token stop) {
  return std::make_unique<DivergenceTrial>(machine, choice, c, stop);
}

}  // namespace kernels::cpu
