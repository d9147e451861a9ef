// Family `divergence`: one launch over all elements, whose paths lie beside them.
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/divergence/divergence.hpp"

namespace kernels::cpu {
namespace {

/// FMA of all paths between two looks at the stop token: about 1 ms of the slowest kernel.
constexpr std::uint64_t fma_per_piece = std::uint64_t{1} << 20;

class DivergenceTrial final : public TimedTrial {
 public:
  DivergenceTrial(Machine& machine, const Choice& choice, const Case& c,
                  const std::stop_token& stop)
      : TimedTrial(machine, c, note_of(choice)), choice_(choice) {
    granule_ = divergence_granule;
    take(Slot::first, c.elements, stop);
    machine.output(Slot::second, bytes(), c);
    machine.output(Slot::third, bytes(), c);
    each_piece(stop, [paths = floats(Slot::second), of = paths_of(c)](Range some) {
      for (std::uint64_t i = some.first; i < some.first + some.count; ++i)
        paths[i] = static_cast<float>(path_of(i, of));
    });
    if (stop.stop_requested()) throw Cancelled();
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    const float *in = floats(Slot::first), *paths = floats(Slot::second);
    float* out = floats(Slot::third);
    each_piece(stop, [&](Range some) {
      choice_.row.as<DivergenceFunction>()({in + some.first, paths + some.first, out + some.first,
                                            some.count, case_.repeat, paths_of(case_)});
    });
  }
  Arithmetic arithmetic() const override { return {case_.dtype, choice_.isa.fused_multiply_add}; }
  Result result() const override { return {data(Slot::third, bytes()), case_.elements}; }

 private:
  std::uint64_t bytes() const { return case_.elements * sizeof(float); }
  float* floats(Slot slot) const { return reinterpret_cast<float*>(data(slot, bytes())); }

  template <class Body>
  void each_piece(const std::stop_token& stop, Body body) {
    const std::uint64_t fma = case_.repeat * static_cast<std::uint64_t>(paths_of(case_));
    on_threads(machine_.split(case_.elements, divergence_granule, false),
               piece_of(fma_per_piece, fma, divergence_granule), stop,
               [&](int, Range some) { body(some); });
  }

  Choice choice_;
};

}  // namespace

extern const FamilyOnCpu divergence_on_cpu{.family = Family::divergence,
                                           .prepare = prepare_with<DivergenceTrial>};

}  // namespace kernels::cpu
