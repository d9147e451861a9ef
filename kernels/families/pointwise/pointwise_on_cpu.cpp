// Family `pointwise`: fused, one launch that takes every element through all operators: a kernel
// that is generated for exactly this chain, or passes of the operators' own loops over blocks that
// stay in the L1; unfused, one launch per operator with a trip to memory between.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu/loaded/chain_source.hpp"
#include "kernels/cpu/loaded/compiler.hpp"
#include "kernels/cpu/loaded/vector_math.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "kernels/kept/kept_source.hpp"

namespace kernels::cpu {
namespace {

/// Operators times elements between two looks at the stop token: about 1 ms of the slowest.
constexpr std::uint64_t ops_per_piece = std::uint64_t{1} << 20;
/// Of cache-blocked passes: 12 KiB of fp32, 24 KiB of fp64, a part of every L1.
constexpr std::uint64_t block = 8 * element_granule;

class PointwiseTrial final : public SteppedTrial {
 public:
  PointwiseTrial(Machine& machine, std::vector<const Choice*> choices, const Case& c,
                 const std::stop_token& stop)
      : SteppedTrial(machine, c, note_of(*choices.front())),
        choices_(std::move(choices)),
        functions_(math_functions(c.dtype, choices_.front()->isa.register_bytes)) {
    if (const std::string why = untold(c); !why.empty()) throw Unsupported(why);
    if (c.by == By::generated) generate(stop);
    take_tensors(stop);
    if (blocked()) scratch_.resize(static_cast<std::size_t>(machine.threads()));
    add_notes();
  }

 private:
  /// A block of one thread.
  struct alignas(64) Scratch {
    char bytes[block * sizeof(double)];
  };

  std::uint64_t steps() const { return operators_of(case_); }
  bool fused() const { return case_.fusion == Fusion::fused; }
  bool blocked() const { return fused() && generated_ == nullptr && steps() > 1; }
  std::uint64_t launches() const override { return fused() ? 1 : steps(); }
  std::size_t size() const { return size_of(case_.dtype); }

  void add_notes() {
    if (std::ranges::any_of(case_.ops, calls_function))
      note_ += fmt::format("; {}", vector_math_note);
    if (generated_ != nullptr) note_ += "; " + source_;
    if (blocked()) note_ += "; passes over blocks in the L1";
  }

  void generate(const std::stop_token& stop) {
    const Isa& isa = choices_.front()->isa;
    const Compiler::Result made =
        shared_compiler().load(chain_source(case_, isa), chain_flags(isa), chain_symbol, stop);
    generated_ = reinterpret_cast<PointwiseFunction>(made.function);
    source_ = source_note(made.version, made.source);
  }

  PointwiseSlice slice(const char* in, char* out, std::uint64_t elements, bool streaming) const {
    return {in,
            out,
            elements,
            operands_of(Op::mul, case_.dtype).a,
            operands_of(Op::add, case_.dtype).b,
            streaming,
            functions_};
  }

  PointwiseFunction function(std::uint64_t step) const { return choices_[step]->row.pointwise; }

  /// All operators on a range, block by block.
  void run_blocks(int thread, const char* in, char* out, std::uint64_t elements) {
    char* const scratch = scratch_[static_cast<std::size_t>(thread)].bytes;
    in_pieces(
        {0, elements}, block, [] { return false; },
        [&](Range some) {
          const char* from = in + some.first * size();
          for (std::uint64_t step = 0; step < steps(); ++step) {
            const bool last = step + 1 == steps();
            char* const to = last ? out + some.first * size() : scratch;
            function(step)(slice(from, to, some.count, last && streaming_));
            from = to;
          }
        });
  }

  void launch(std::uint64_t step, const char* in, char* out, const std::stop_token& stop) override {
    const std::uint64_t at_once = fused() ? steps() : 1;
    on_threads(split(), piece_of(ops_per_piece, at_once, block), stop,
               [&](int thread, Range range) {
                 const char* from = in + range.first * size();
                 char* to = out + range.first * size();
                 if (blocked()) return run_blocks(thread, from, to, range.count);
                 const PointwiseFunction body = generated_ != nullptr ? generated_ : function(step);
                 body(slice(from, to, range.count, streaming_));
               });
  }

  std::vector<const Choice*> choices_;  // of each operator
  MathFunctions functions_;
  std::vector<Scratch> scratch_;  // by thread
  PointwiseFunction generated_ = nullptr;
  std::string source_;  // where it came from
};

/// Every operator has a choice that runs.
std::unique_ptr<Trial> prepare(const Asked& asked) {
  const Case& c = asked.c;
  if (activations_of(c) != Activations::none) return prepare_gradient(asked);
  std::vector<const Choice*> choices;
  for (std::uint64_t step = 0; step < operators_of(c); ++step) {
    Case one = c;
    one.ops = operator_at(c, step);
    choices.push_back(asked.selection.find(one));
  }
  return std::make_unique<PointwiseTrial>(asked.machine, std::move(choices), c, asked.stop);
}

}  // namespace

std::string why_no_operators(const Abilities&, Dtype dtype, Units) {
  return fmt::format("operators of {} run on GPUs alone: choose fp32 or fp64", name_of(dtype));
}

extern const FamilyOnCpu pointwise_on_cpu{
    .family = Family::pointwise, .why_not = why_no_operators, .prepare = prepare};

}  // namespace kernels::cpu
