// Family `pointwise`: fused, one launch that takes every element through all operators: a kernel
// that is generated for exactly this chain, or passes of the operators' own loops over blocks that
// stay in the L1; unfused, one launch per operator with a trip to memory between.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu/loaded/chain_source.hpp"
#include "kernels/cpu/loaded/compiler.hpp"
#include "kernels/cpu/loaded/vector_math.hpp"
#include "kernels/cpu/machine/share.hpp"
#include "kernels/cpu/trials/check_elements.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/pointwise.hpp"
#include "kernels/families/pointwise_reference.hpp"
#include "kernels/families/reference.hpp"
#include "kernels/kept/kept_source.hpp"

namespace kernels::cpu {
namespace {

/// Operators times elements between two looks at the stop token: about 1 ms of the slowest.
constexpr std::uint64_t ops_per_piece = std::uint64_t{1} << 20;
/// Of cache-blocked passes: 12 KiB of fp32, 24 KiB of fp64, a part of every L1.
constexpr std::uint64_t block = 8 * element_granule;

class PointwiseTrial final : public TimedTrial {
 public:
  PointwiseTrial(Machine& machine, std::vector<const Choice*> choices, const Case& c,
                 const std::stop_token& stop)
      : TimedTrial(machine, c, note_of(*choices.front())),
        choices_(std::move(choices)),
        streaming_(machine.beyond_caches(footprint_of(c))),
        functions_(math_functions(c.dtype, choices_.front()->isa.register_bytes)) {
    if (const std::string why = untold(c); !why.empty()) throw Unsupported(why);
    if (c.by == By::generated) generate(stop);
    seed_ = machine.input(Slot::first, c, c.elements, stop);
    machine.output(Slot::second, bytes(), c);
    if (launches() > 1) machine.output(Slot::third, bytes(), c);
    if (blocked()) scratch_.resize(static_cast<std::size_t>(machine.threads()));
    add_notes();
  }

  Check verify(std::stop_token stop) override {
    for (std::uint64_t step = 0; step < std::min<std::uint64_t>(2, launches()); ++step)
      fill_bytes(machine_, target(step), case_.elements, size(), poison_of(case_.dtype), stop);
    run_untimed(stop);
    std::vector<std::uint64_t> indices =
        poisoned_elements(machine_, result(), case_.elements, size(), poison_of(case_.dtype), stop);
    const auto samples =
        sampled_elements(case_.elements, element_granule, machine_.threads(), seed_);
    indices.insert(indices.end(), samples.begin(), samples.end());
    return compare(indices, stop);
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    for (std::uint64_t step = 0; step < launches() && !stop.stop_requested(); ++step)
      launch(step, stop);
  }
  std::optional<Deal> in_parts() const override {
    return launches() == 1 ? std::optional(deal()) : std::nullopt;
  }

 private:
  Deal deal() const { return machine_.deal(case_.elements, element_granule, streaming_); }
  /// A block of one thread.
  struct alignas(64) Scratch {
    char bytes[block * sizeof(double)];
  };

  std::uint64_t steps() const { return operators_of(case_); }
  bool fused() const { return case_.fusion == Fusion::fused; }
  bool blocked() const { return fused() && generated_ == nullptr && steps() > 1; }
  std::uint64_t launches() const { return fused() ? 1 : steps(); }
  std::size_t size() const { return size_of(case_.dtype); }
  std::uint64_t bytes() const { return case_.elements * size(); }
  const char* source(std::uint64_t step) const {
    return step == 0 ? machine_.data(Slot::first, bytes()) : target(step - 1);
  }
  char* target(std::uint64_t step) const {
    return machine_.data(step % 2 == 0 ? Slot::second : Slot::third, bytes());
  }
  const char* result() const { return target(launches() - 1); }

  void add_notes() {
    if (std::ranges::any_of(case_.ops, needs_vector_math))
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

  void launch(std::uint64_t step, const std::stop_token& stop) {
    const char* const in = source(step);
    char* const out = target(step);
    const std::uint64_t at_once = fused() ? steps() : 1;
    const std::uint64_t blocks = std::max<std::uint64_t>(1, ops_per_piece / at_once / block);
    Division elements(deal(), part());
    auto share = [&](int thread) {
      elements.deal(
          thread, blocks * block, [&] { return stop.stop_requested(); },
          [&](Range range) {
            const char* from = in + range.first * size();
            char* to = out + range.first * size();
            if (blocked()) return run_blocks(thread, from, to, range.count);
            const PointwiseFunction body = generated_ != nullptr ? generated_ : function(step);
            body(slice(from, to, range.count, streaming_));
          });
    };
    machine_.pool().launch(share);
  }

  Check compare(const std::vector<std::uint64_t>& indices, const std::stop_token& stop) const {
    Deviation deviation;
    for (const std::uint64_t i : indices) {
      if (stop.stop_requested()) throw Cancelled();
      const Expected expected = expected_pointwise(case_, data_element(case_, seed_, i));
      if (!expected.tells()) continue;
      const double got = decode(case_.dtype, bits_at(result(), i, size()));
      if (!expected.agrees(got)) {
        return {false,
                fmt::format("{}, at most {:.2g} apart",
                            mismatch(i, case_.elements, expected.value, got), expected.error)};
      }
      deviation.add(expected.value, got);
    }
    return {.ok = true, .error = deviation.share()};
  }

  std::vector<const Choice*> choices_;  // of each operator
  std::uint64_t seed_ = 0;
  bool streaming_;
  MathFunctions functions_;
  std::vector<Scratch> scratch_;  // by thread
  PointwiseFunction generated_ = nullptr;
  std::string source_;  // where it came from
};

}  // namespace

std::unique_ptr<Trial> prepare_pointwise(Machine& machine, const Selection& selection,
                                         const Case& c, std::stop_token stop) {
  std::vector<const Choice*> choices;
  for (std::uint64_t step = 0; step < operators_of(c); ++step) {
    Case one = c;
    one.ops = operator_at(c, step);
    choices.push_back(selection.find(one));
  }
  if (activations_of(c) != Activations::none)
    return prepare_gradient(machine, *choices.front(), c, stop);
  return std::make_unique<PointwiseTrial>(machine, std::move(choices), c, stop);
}

}  // namespace kernels::cpu
