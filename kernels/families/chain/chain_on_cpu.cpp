// Family `chain`: fused, one launch that applies all ops in registers; unfused, one launch per op
// with a trip to memory between, back and forth between two buffers, so that the input stays what
// it was.
#include "kernels/cpu/simd/isa.hpp"
#include "kernels/cpu/trials/trials.hpp"

namespace kernels::cpu {
namespace {

/// Ops between two looks at the stop token: 2 ms for the slowest kernel (one op per nanosecond).
constexpr std::uint64_t ops_per_piece = std::uint64_t{1} << 21;
/// Elements of each thread on which all ops are checked.
constexpr std::uint64_t part_per_thread = 171 * element_granule;

class ChainTrial final : public TimedTrial {
 public:
  ChainTrial(Machine& machine, const Choice& choice, const Case& c, std::stop_token stop)
      : TimedTrial(machine, c),
        function_(choice.row.chain),
        arithmetic_{choice.row.arithmetic, choice.isa.fused_multiply_add},
        streaming_(machine.beyond_caches(footprint_of(c))) {
    operands_ = operands_of(c.op(), c.dtype);
    granule_ = element_granule;
    kernel_ = reinterpret_cast<const void*>(function_);
    take(Slot::first, c.elements, stop);
    machine.output(Slot::second, bytes(), c);
    if (launches() > 1) machine.output(Slot::third, bytes(), c);
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    for (std::uint64_t step = 0; step < launches() && !stop.stop_requested(); ++step) {
      launch(source(step), target(step), stop);
    }
  }
  std::optional<Split> in_parts() const override {
    return launches() == 1 ? std::optional(split()) : std::nullopt;
  }

  Arithmetic arithmetic() const override { return arithmetic_; }
  std::uint64_t with_all_ops() const override {
    return part_per_thread * static_cast<std::uint64_t>(machine_.threads()) +
           case_.elements % element_granule;
  }
  Result result() const override { return {target(launches() - 1), now_.elements}; }
  std::vector<Result> written() const override {
    if (launches() == 1) return {result()};
    return {{target(0), now_.elements}, {target(1), now_.elements}};
  }

 private:
  Split split() const { return machine_.split(now_.elements, element_granule, streaming_); }
  std::uint64_t launches() const { return now_.fusion == Fusion::fused ? 1 : now_.repeat; }
  std::uint64_t ops_per_launch() const { return now_.fusion == Fusion::fused ? now_.repeat : 1; }
  std::uint64_t bytes() const { return case_.elements * size_of(case_.dtype); }
  const char* source(std::uint64_t step) const {
    return step == 0 ? data(Slot::first, bytes()) : target(step - 1);
  }
  char* target(std::uint64_t step) const {
    return data(step % 2 == 0 ? Slot::second : Slot::third, bytes());
  }

  void launch(const char* in, char* out, const std::stop_token& stop) {
    const std::uint64_t size = size_of(case_.dtype);
    const std::uint64_t piece = piece_of(ops_per_piece, ops_per_launch(), element_granule);
    on_threads(split(), piece, stop, [&](int, Range range) {
      function_({in + range.first * size, out + range.first * size, range.count, ops_per_launch(),
                 operands_.a, operands_.b, streaming_});
    });
  }

  ChainFunction function_;
  Arithmetic arithmetic_;
  bool streaming_;
};

std::string why_not(const Abilities&, Dtype, Units units) {
  return units == Units::matrix ? "matrix units multiply tiles, not chains: use tile" : "";
}

}  // namespace

extern const FamilyOnCpu chain_on_cpu{
    .family = Family::chain, .why_not = why_not, .prepare = prepare_with<ChainTrial>};

}  // namespace kernels::cpu
