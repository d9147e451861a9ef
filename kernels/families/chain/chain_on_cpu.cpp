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

class ChainTrial final : public SteppedTrial {
 public:
  ChainTrial(Machine& machine, const Choice& choice, const Case& c, std::stop_token stop)
      : SteppedTrial(machine, c),
        function_(choice.row.chain),
        arithmetic_{choice.row.arithmetic, choice.isa.fused_multiply_add} {
    operands_ = operands_of(c.op(), c.dtype);
    kernel_ = reinterpret_cast<const void*>(function_);
    take_tensors(stop);
  }

 protected:
  Arithmetic arithmetic() const override { return arithmetic_; }
  std::uint64_t with_all_ops() const override {
    return part_per_thread * static_cast<std::uint64_t>(machine_.threads()) +
           case_.elements % element_granule;
  }

 private:
  std::uint64_t launches() const override { return now_.fusion == Fusion::fused ? 1 : now_.repeat; }
  std::uint64_t ops_per_launch() const { return now_.fusion == Fusion::fused ? now_.repeat : 1; }

  void launch(std::uint64_t, const char* in, char* out, const std::stop_token& stop) override {
    const std::uint64_t size = size_of(case_.dtype);
    const std::uint64_t piece = piece_of(ops_per_piece, ops_per_launch(), element_granule);
    on_threads(split(), piece, stop, [&](int, Range range) {
      function_({in + range.first * size, out + range.first * size, range.count, ops_per_launch(),
                 operands_.a, operands_.b, streaming_});
    });
  }

  ChainFunction function_;
  Arithmetic arithmetic_;
};

std::string why_not(const Abilities&, Dtype, Units units) {
  return units == Units::matrix ? "matrix units multiply tiles, not chains: use tile" : "";
}

}  // namespace

extern const FamilyOnCpu chain_on_cpu{
    .family = Family::chain, .why_not = why_not, .prepare = prepare_with<ChainTrial>};

}  // namespace kernels::cpu
