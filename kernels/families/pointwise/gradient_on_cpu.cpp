// Family `pointwise`, forward and backward: kernels that are generated for exactly this chain, or,
// unfused, for each of its operators. Activations are kept in memory or computed again.
#include <fmt/format.h>

#include <vector>

#include "kernels/cpu/loaded/chain_source.hpp"
#include "kernels/cpu/loaded/compiler.hpp"
#include "kernels/cpu/loaded/vector_math.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "kernels/kept/kept_source.hpp"

namespace kernels::cpu {
namespace {

/// Operators times elements between two looks at the stop token: about 1 ms of the slowest.
constexpr std::uint64_t ops_per_piece = std::uint64_t{1} << 20;

class GradientTrial final : public TimedTrial {
 public:
  GradientTrial(Machine& machine, const Choice& choice, const Case& c, const std::stop_token& stop)
      : TimedTrial(machine, c),
        choice_(choice),
        streaming_(machine.beyond_caches(footprint_of(c))),
        functions_(math_functions(c.dtype, choice.isa.register_bytes)) {
    if (const std::string why = untold(c); !why.empty()) throw Unsupported(why);
    generate(stop);
    values_ = {{"allocated", footprint_of(c)}};
    granule_ = element_granule;
    take(Slot::first, c.elements, stop);
    take(Slot::second, c.elements, stop);
    machine.output(Slot::third, tensors() * bytes(), c);
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    if (fused()) {
      launch(0, kept() ? Pass::forward_keeping : Pass::forward, stop);
      launch(0, kept() ? Pass::backward : Pass::backward_recomputing, stop);
      return;
    }
    for (std::uint64_t i = 0; i < steps(); ++i) launch(i, Pass::forward, stop);
    for (std::uint64_t i = steps(); i-- > 0;) launch(i, Pass::backward, stop);
  }
  Result result() const override { return {result(1), tensors() * case_.elements}; }

 private:
  std::uint64_t steps() const { return operators_of(case_); }
  bool fused() const { return case_.fusion == Fusion::fused; }
  bool kept() const { return activations_of(case_) == Activations::kept; }
  std::size_t size() const { return size_of(case_.dtype); }
  std::uint64_t bytes() const { return case_.elements * size(); }
  std::uint64_t tensors() const { return tensors_written(case_); }
  char* output_gradient() const { return data(Slot::second, bytes()); }
  /// The result of so many operators, where it is kept; 0: the input.
  char* result(std::uint64_t count) const {
    return count == 0 ? data(Slot::first, bytes())
                      : data(Slot::third, tensors() * bytes()) + (count - 1) * bytes();
  }
  char* last_result() const { return result(tensors() - 1); }
  char* input_gradient() const { return result(tensors()); }

  void generate(const std::stop_token& stop) {
    for (std::uint64_t i = 0; i < (fused() ? 1 : steps()); ++i) {
      const Case what = fused() ? case_ : alone_at(case_, i);
      const Compiler::Result made = shared_compiler().load(
          gradient_source(what, choice_.isa), chain_flags(choice_.isa), gradient_symbol, stop);
      generated_.push_back(reinterpret_cast<GradientFunction>(made.function));
      note_ = fmt::format("{}; {}", note_of(choice_), source_note(made.version, made.source));
    }
  }

  /// The whole chain, or one of its operators.
  GradientSlice slice_of(std::uint64_t i, Pass pass) const {
    const bool last = i + 1 == steps();
    return {.in = result(i),
            .gradient = fused() || last ? output_gradient() : input_gradient(),
            .kept = result(1),
            .out = pass != Pass::forward ? input_gradient()
                   : fused()             ? last_result()
                                         : result(i + 1),
            .elements = case_.elements,
            .stride = case_.elements,
            .pass = pass,
            .a = operands_of(Op::mul, case_.dtype).a,
            .b = operands_of(Op::add, case_.dtype).b,
            .streaming = streaming_,
            .functions = functions_};
  }

  void launch(std::uint64_t i, Pass pass, const std::stop_token& stop) {
    if (stop.stop_requested()) return;
    const GradientSlice all = slice_of(i, pass);
    const auto moved = [&](const void* tensor, Range range) {
      return static_cast<const char*>(tensor) + range.first * size();
    };
    on_threads(machine_.split(case_.elements, element_granule, streaming_),
               piece_of(ops_per_piece, fused() ? steps() : 1, element_granule), stop,
               [&](int, Range range) {
                 GradientSlice mine = all;
                 mine.in = moved(all.in, range);
                 mine.gradient = moved(all.gradient, range);
                 mine.kept = const_cast<char*>(moved(all.kept, range));
                 mine.out = const_cast<char*>(moved(all.out, range));
                 mine.elements = range.count;
                 generated_[i](mine);
               });
  }

  Choice choice_;
  bool streaming_;
  MathFunctions functions_;
  std::vector<GradientFunction> generated_;  // of the chain, or of each operator
};

}  // namespace

std::unique_ptr<Trial> prepare_gradient(const Asked& asked) {
  return prepare_with<GradientTrial>(asked);
}

}  // namespace kernels::cpu
