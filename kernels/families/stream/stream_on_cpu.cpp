// Family `stream`: what memory and caches give to plain reads, writes, copies and triads of fp32.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/cpu/trials/shapes.hpp"
#include "kernels/cpu/trials/trials.hpp"

namespace kernels::cpu {
namespace {

/// A thread's part is whole trips of most kernels and, in memory, whole pages.
constexpr std::uint64_t line_elements = 16, page_elements = 1024;
/// Elements between two looks at the stop token, over all passes: 6 MiB, about 0.5 ms of memory.
constexpr std::uint64_t piece = page_elements * 1536;
// A power of two: a + s b then rounds once with or without FMA.
constexpr double triad_scalar = 0.5;

constexpr std::string_view stores = "stores", prefetch = "prefetch", registers = "registers",
                           pages = "pages", threads = "threads";
constexpr std::string_view ordinary = "ordinary", non_temporal = "non-temporal",
                           string_instruction = "rep movsb", all_threads = "all", half = "half";
/// Fewer threads than this: leaving out half of them leaves too few to fill a memory bus.
constexpr int threads_worth_halving = 4;

std::vector<ShapeAxis> stream_axes(const std::vector<const Choice*>& choices,
                                   const Machine& machine, const Case& c) {
  const bool memory = machine.beyond_caches(footprint_of(c));
  std::vector<ShapeAxis> axes{width_axis(choices)};
  ShapeAxis in_flight{std::string(registers), {}}, side_by_side{std::string(pages), {}};
  for (const Choice* choice : choices) {
    for (const StreamVariant& variant : choice->row.streams) {
      add_value(in_flight, fmt::format("{}", variant.registers));
      add_value(side_by_side, fmt::format("{}", variant.pages));
    }
  }
  sort_numbers(in_flight);
  sort_numbers(side_by_side);
  axes.push_back(in_flight);
  if (memory) axes.push_back(side_by_side);
  ShapeAxis kinds{std::string(stores), {}};
  if (memory && c.op() != Op::read) add_value(kinds, std::string(non_temporal));
  if (c.op() != Op::read) add_value(kinds, std::string(ordinary));
  if (c.op() == Op::copy && string_copy() != nullptr) {
    add_value(kinds, std::string(string_instruction));
  }
  if (!kinds.values.empty()) axes.push_back(kinds);
  if (memory && c.op() != Op::write) {
    axes.push_back({std::string(prefetch), {"3 KiB", "1 KiB", std::string(no_choice), "8 KiB"}});
  }
  if (memory && machine.threads() >= threads_worth_halving) {
    axes.push_back({std::string(threads), {std::string(all_threads), std::string(half)}});
  }
  add_work_axis(axes, machine);
  return axes;
}

/// A stream kernel, and what it is told beside its data.
struct ChosenStream {
  StreamFunction run = nullptr;
  std::uint64_t prefetch_distance = 0;
  int threads = 0;
  Schedule schedule = Schedule::shares;
  std::string note{};
};

ChosenStream choose_stream(const Selection& selection, const Machine& machine, const Case& c) {
  const std::vector<const Choice*> choices = selection.find_all(c);
  const Chosen chosen(stream_axes(choices, machine, c), c);
  ChosenStream stream;
  stream.threads = machine.threads();
  if (chosen.value(threads, all_threads) == half) stream.threads /= 2;
  stream.schedule = chosen.schedule();
  const std::string kind = chosen.value(stores, ordinary);
  const std::string distance = chosen.value(prefetch, no_choice);
  if (kind == string_instruction) {
    stream.run = string_copy();
    stream.note = string_instruction;
    return stream;
  }
  if (distance != no_choice) stream.prefetch_distance = std::stoull(distance) * 1024;
  const Choice& choice = choice_named(choices, chosen.value(width_axis_name));
  const int in_flight = chosen.number(registers, "0"), side_by_side = chosen.number(pages, "1");
  for (const StreamVariant& variant : choice.row.streams) {
    if (variant.registers == in_flight && variant.pages == side_by_side &&
        variant.non_temporal == (kind == non_temporal) &&
        variant.prefetch == (stream.prefetch_distance > 0)) {
      stream.run = variant.run;
      stream.note = note_of(choice);
      return stream;
    }
  }
  throw not_built(c);
}

class StreamTrial final : public TimedTrial {
 public:
  StreamTrial(Machine& machine, const ChosenStream& chosen, const Case& c, std::stop_token stop)
      : TimedTrial(machine, c, chosen.note),
        chosen_(chosen),
        sums_(static_cast<std::size_t>(machine.pool().threads())) {
    granule_ = c.elements >= page_elements * 64 ? page_elements : line_elements;
    sharing_ = chosen.threads;
    operands_ = {triad_scalar, c.data == Data::zeros ? 0 : triad_scalar};
    if (reads_a()) inputs_.push_back({Slot::first, c.elements});
    if (reads_b()) inputs_.push_back({Slot::second, c.elements});
    for (const Input& one : inputs_) machine.any_input(one.slot, c, c.elements, stop);
    if (writes()) machine.output(output(), bytes(), c);
    if (beyond_caches()) note_ += ", " + machine.placement(reads_a() ? Slot::first : output());
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    a_ = reads_a() ? tensor(Slot::first) : nullptr;
    b_ = reads_b() ? tensor(Slot::second) : nullptr;
    out_ = writes() ? tensor(output()) : nullptr;
    for (auto& sum : sums_) sum.value = 0;
    const auto stopped = [&] { return stop.stop_requested(); };
    // From a queue of passes a thread may get none: a check needs one over each part.
    if (chosen_.schedule == Schedule::shares || (is_untimed() && !beyond_caches())) {
      return on_threads(
          [&](int thread) { return run_range(share_of(thread), case_.repeat, stop); });
    }
    if (!beyond_caches()) {
      // Only the core of a part holds it, so a fast core takes more passes over its own.
      ParallelLoop passes({case_.repeat * static_cast<std::uint64_t>(chosen_.threads), 1,
                           chosen_.threads, Schedule::queue});
      return on_threads([&](int thread) {
        std::uint32_t sum = 0;
        passes.run(thread, case_.repeat, stopped,
                   [&](Range some) { sum += run_range(share_of(thread), some.count, stop); });
        return sum;
      });
    }
    // A pass ends before the next one begins, which gives the same elements to other threads.
    for (std::uint64_t pass = 0; pass < case_.repeat && !stopped(); ++pass) {
      ParallelLoop elements(split(), part());
      on_threads([&](int thread) {
        std::uint32_t sum = 0;
        elements.run(thread, piece, stopped, [&](Range range) { sum += call(range, 1); });
        return sum;
      });
    }
  }

  std::optional<Split> in_parts() const override {
    return case_.repeat == 1 && beyond_caches() ? std::optional(split()) : std::nullopt;
  }

  Dtype result_dtype() const override { return Dtype::fp32; }
  Result result() const override { return {data(output(), bytes()), case_.elements}; }
  std::pair<std::uint32_t, std::uint32_t> sums(const std::stop_token& stop) override {
    run_untimed(stop);
    std::uint32_t once = 0, got = 0;
    for (const auto& sum : sums_) got += sum.value;
    for (std::uint64_t i = 0; i < case_.elements; ++i) {
      if (i % piece == 0 && stop.stop_requested()) throw Cancelled();
      once += std::bit_cast<std::uint32_t>(a_[i]);
    }
    return {got, once};
  }

 private:
  bool reads_a() const { return case_.op() != Op::write; }
  bool reads_b() const { return case_.op() == Op::triad; }
  bool writes() const { return case_.op() != Op::read; }
  Slot output() const { return reads_b() ? Slot::third : Slot::second; }
  std::uint64_t bytes() const { return case_.elements * sizeof(float); }
  float* tensor(Slot slot) const { return reinterpret_cast<float*>(data(slot, bytes())); }

  Split split() const { return {case_.elements, granule_, chosen_.threads, chosen_.schedule}; }
  Range share_of(int thread) const { return split().share(thread, part()); }

  /// All passes over a small range in one call; each pass over a large one in pieces.
  std::uint32_t run_range(Range all, std::uint64_t passes, const std::stop_token& stop) const {
    std::uint32_t sum = 0;
    const std::uint64_t at_once =
        std::clamp<std::uint64_t>(piece / std::max<std::uint64_t>(all.count, 1), 1, passes);
    for (std::uint64_t pass = 0; pass < passes && !stop.stop_requested(); pass += at_once) {
      in_pieces(
          all, piece, [&] { return stop.stop_requested(); },
          [&](Range range) { sum += call(range, std::min(at_once, passes - pass)); });
    }
    return sum;
  }

  /// One launch; adds what `run(thread)` read to the thread's sum.
  template <class Run>
  void on_threads(Run run) {
    auto share = [&](int thread) {
      if (thread < chosen_.threads) sums_[static_cast<std::size_t>(thread)].value += run(thread);
    };
    machine_.pool().launch(share);
  }

  bool beyond_caches() const { return machine_.beyond_caches(footprint_of(case_)); }

  std::uint32_t call(Range range, std::uint64_t passes) const {
    const auto from = [&](float* tensor) {
      return tensor == nullptr ? nullptr : tensor + range.first;
    };
    return static_cast<std::uint32_t>(chosen_.run(
        {from(a_), from(b_), from(out_), range.count * sizeof(float), passes,
         chosen_.prefetch_distance, case_.op() == Op::write ? operands_.b : operands_.a}));
  }

  ChosenStream chosen_;
  float* a_ = nullptr;  // where the tensors lie during a run
  float* b_ = nullptr;
  float* out_ = nullptr;
  std::vector<Padded<std::uint32_t>> sums_;  // by thread
};

std::vector<ShapeAxis> axes_of(const Selection& selection, const Machine& machine, const Case& c) {
  const std::vector<const Choice*> choices = selection.find_all(c);
  return choices.empty() ? std::vector<ShapeAxis>() : stream_axes(choices, machine, c);
}

std::vector<Kernel> rows(const Selection& selection) {
  std::vector<Kernel> all;
  for (const Op op : {Op::read, Op::write, Op::copy, Op::triad})
    all.push_back(selection.describe(Family::stream, op, Dtype::fp32, Units::vector));
  return all;
}

std::unique_ptr<Trial> prepare(const Asked& asked) {
  return std::make_unique<StreamTrial>(
      asked.machine, choose_stream(asked.selection, asked.machine, asked.c), asked.c, asked.stop);
}

}  // namespace

extern const FamilyOnCpu stream_on_cpu{.family = Family::stream,
                                       .in_tables = false,
                                       .more = rows,
                                       .axes = axes_of,
                                       .prepare = prepare};

}  // namespace kernels::cpu
