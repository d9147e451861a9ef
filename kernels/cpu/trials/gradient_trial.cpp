// Family `pointwise`, forward and backward: kernels that are generated for exactly this chain, or,
// unfused, for each of its operators. Activations are kept in memory or computed again.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu/loaded/chain_source.hpp"
#include "kernels/cpu/loaded/compiler.hpp"
#include "kernels/cpu/loaded/gradient_source.hpp"
#include "kernels/cpu/loaded/vector_math.hpp"
#include "kernels/cpu/machine/share.hpp"
#include "kernels/cpu/trials/check_elements.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise.hpp"
#include "kernels/families/pointwise_reference.hpp"
#include "kernels/families/reference.hpp"
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
    if (const std::string why = refusal_of(c); !why.empty()) throw Unsupported(why);
    if (const std::string why = untold(c); !why.empty()) throw Unsupported(why);
    generate(stop);
    values_ = {{"allocated", footprint_of(c)}};
    seed_ = machine.input(Slot::first, c, c.elements, stop);
    gradient_seed_ = machine.input(Slot::second, c, c.elements, stop);
    machine.output(Slot::third, written() * bytes(), c);
  }

  Check verify(std::stop_token stop) override {
    const int poison = poison_of(case_.dtype);
    fill_bytes(machine_, result(1), written() * case_.elements, size(), poison, stop);
    run_untimed(stop);
    Deviation last, kept_ones;  // the error of a point is that of what both passes are run for
    for (std::uint64_t i = 0; i < written(); ++i) {
      std::vector<std::uint64_t> indices =
          poisoned_elements(machine_, result(i + 1), case_.elements, size(), poison, stop);
      const auto samples =
          sampled_elements(case_.elements, element_granule, machine_.threads(), seed_);
      indices.insert(indices.end(), samples.begin(), samples.end());
      Deviation& deviation = i + 2 < written() ? kept_ones : last;
      if (Check check = compare(i, indices, deviation, stop); !check.ok) return check;
    }
    return {.ok = true, .error = last.share()};
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

 private:
  std::uint64_t steps() const { return operators_of(case_); }
  bool fused() const { return case_.fusion == Fusion::fused; }
  bool kept() const { return activations_of(case_) == Activations::kept; }
  std::size_t size() const { return size_of(case_.dtype); }
  std::uint64_t bytes() const { return case_.elements * size(); }
  std::uint64_t written() const { return tensors_written(case_); }
  char* input() const { return machine_.data(Slot::first, bytes()); }
  char* output_gradient() const { return machine_.data(Slot::second, bytes()); }
  /// The result of so many operators, where it is kept; 0: the input.
  char* result(std::uint64_t count) const {
    return count == 0 ? input()
                      : machine_.data(Slot::third, written() * bytes()) + (count - 1) * bytes();
  }
  char* last_result() const { return result(written() - 1); }
  char* input_gradient() const { return result(written()); }

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
    const std::uint64_t at_once = fused() ? steps() : 1;
    const std::uint64_t blocks =
        std::max<std::uint64_t>(1, ops_per_piece / at_once / element_granule);
    Division elements(machine_.deal(case_.elements, element_granule, streaming_));
    const auto moved = [&](const void* data, Range range) {
      return static_cast<const char*>(data) + range.first * size();
    };
    auto share = [&](int thread) {
      elements.deal(
          thread, blocks * element_granule, [&] { return stop.stop_requested(); },
          [&](Range range) {
            GradientSlice mine = all;
            mine.in = moved(all.in, range);
            mine.gradient = moved(all.gradient, range);
            mine.kept = const_cast<char*>(moved(all.kept, range));
            mine.out = const_cast<char*>(moved(all.out, range));
            mine.elements = range.count;
            generated_[i](mine);
          });
    };
    machine_.pool().launch(share);
  }

  /// The tensor `index` of those that are written.
  Check compare(std::uint64_t index, const std::vector<std::uint64_t>& elements,
                Deviation& deviation, const std::stop_token& stop) const {
    for (const std::uint64_t i : elements) {
      if (stop.stop_requested()) throw Cancelled();
      const Expected expected = expected_written(case_, index, data_element(case_, seed_, i),
                                                 data_element(case_, gradient_seed_, i));
      if (!expected.tells()) continue;
      const double got = decode(case_.dtype, bits_at(result(index + 1), i, size()));
      if (!expected.agrees(got)) {
        return {false,
                fmt::format("{}{}, at most {:.2g} apart", name_of_written(case_, index),
                            mismatch(i, case_.elements, expected.value, got), expected.error)};
      }
      deviation.add(expected.value, got);
    }
    return {.ok = true};
  }

  Choice choice_;
  bool streaming_;
  MathFunctions functions_;
  std::uint64_t seed_ = 0, gradient_seed_ = 0;
  std::vector<GradientFunction> generated_;  // of the chain, or of each operator
};

}  // namespace

std::unique_ptr<Trial> prepare_gradient(Machine& machine, const Choice& choice, const Case& c,
                                        std::stop_token stop) {
  return std::make_unique<GradientTrial>(machine, choice, c, stop);
}

}  // namespace kernels::cpu
