#include "kernels/cpu/trials/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>

#include "kernels/cpu/loaded/onednn_conv.hpp"
#include "kernels/families/conv.hpp"

namespace kernels::cpu {
namespace {

constexpr std::string_view width = "width", chains = "chains", stores = "stores",
                           prefetch = "prefetch", registers = "registers", pages = "pages",
                           threads = "threads", work = "work";
constexpr std::string_view ordinary = "ordinary", non_temporal = "non-temporal",
                           string_instruction = "rep movsb", none = "none", all = "all",
                           half = "half", from_queue = "pieces from a queue",
                           equal_shares = "equal shares";
/// Fewer threads than this: leaving out half of them leaves too few to fill a memory bus.
constexpr int threads_worth_halving = 4;

void add_value(ShapeAxis& axis, std::string value) {
  if (std::ranges::find(axis.values, value) == axis.values.end()) {
    axis.values.push_back(std::move(value));
  }
}

ShapeAxis width_axis(const std::vector<const Choice*>& choices) {
  ShapeAxis axis{std::string(width), {}};
  for (const Choice* choice : choices) add_value(axis, choice->isa.name);
  return axis;
}

/// The default first, then ascending.
void sort_numbers(ShapeAxis& axis) {
  std::sort(axis.values.begin() + 1, axis.values.end(),
            [](const std::string& x, const std::string& y) { return std::stoi(x) < std::stoi(y); });
}

/// On cores of unequal speed both are measured, so that both numbers can be seen.
void add_work_axis(std::vector<ShapeAxis>& axes, const Machine& machine) {
  if (!machine.cores_differ()) return;
  axes.push_back({std::string(work), {std::string(from_queue), std::string(equal_shares)}});
}

std::vector<ShapeAxis> peak_axes(const std::vector<const Choice*>& choices,
                                 const Machine& machine) {
  ShapeAxis count{std::string(chains), {}};
  for (const Choice* choice : choices) {
    for (const PeakFunction& peak : choice->row.peaks) {
      add_value(count, fmt::format("{}", peak.accumulators));
    }
  }
  std::vector<ShapeAxis> axes;
  if (!count.values.empty()) {
    sort_numbers(count);
    axes = {count, width_axis(choices)};
  }
  add_work_axis(axes, machine);
  return axes;
}

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
    axes.push_back({std::string(prefetch), {"3 KiB", "1 KiB", std::string(none), "8 KiB"}});
  }
  if (memory && machine.threads() >= threads_worth_halving) {
    axes.push_back({std::string(threads), {std::string(all), std::string(half)}});
  }
  add_work_axis(axes, machine);
  return axes;
}

/// What a case chooses on the axes there are.
class Chosen {
 public:
  Chosen(std::vector<ShapeAxis> axes, const Case& c) : axes_(std::move(axes)), case_(c) {
    for (const ShapeChoice& choice : c.shape) check(choice);
  }

  /// The choice, the default of the axis, or `otherwise` when there is no such axis.
  std::string value(std::string_view name, std::string_view otherwise) const {
    for (const ShapeChoice& choice : case_.shape) {
      if (choice.axis == name) return choice.value;
    }
    for (const ShapeAxis& axis : axes_) {
      if (axis.name == name) return axis.values.front();
    }
    return std::string(otherwise);
  }
  int number(std::string_view name, std::string_view otherwise) const {
    return std::stoi(value(name, otherwise));
  }

 private:
  void check(const ShapeChoice& choice) const {
    const auto axis = std::ranges::find(axes_, choice.axis, &ShapeAxis::name);
    if (axis == axes_.end()) {
      throw Unsupported(fmt::format("{} {}: the CPU has no such choice for {}", choice.axis,
                                    choice.value, describe(case_)));
    }
    if (std::ranges::find(axis->values, choice.value) == axis->values.end()) {
      throw Unsupported(fmt::format("{} {}: expected one of {}", choice.axis, choice.value,
                                    fmt::join(axis->values, ", ")));
    }
  }

  std::vector<ShapeAxis> axes_;
  const Case& case_;
};

const Choice& choice_named(const std::vector<const Choice*>& choices, const std::string& name) {
  return **std::ranges::find_if(choices,
                                [&](const Choice* choice) { return choice->isa.name == name; });
}

/// Multiplications for each load of the innermost loop that are of use; 0 for what is no candidate.
double promise_of(const ConvVariant& variant, const ConvSize& size) {
  if (!variant.fits) return 0;
  const auto of_use = [](std::uint64_t length, int block) {
    const auto whole = static_cast<std::uint64_t>(block);
    const std::uint64_t computed = (length + whole - 1) / whole * whole;
    return static_cast<double>(length) / static_cast<double>(computed);
  };
  return static_cast<double>(variant.broadcasts * variant.vectors) /
         static_cast<double>(variant.broadcasts + variant.vectors) *
         of_use(size.size, variant.pixels) * of_use(size.filters, variant.filters);
}

/// Every algorithm, the most promising first.
std::vector<ShapeAxis> conv_axes(const Choice& choice, const Case& c) {
  std::vector<const ConvVariant*> variants;
  for (const ConvVariant& variant : choice.row.convs) variants.push_back(&variant);
  std::ranges::stable_sort(variants, std::greater{}, [&](const ConvVariant* variant) {
    return promise_of(*variant, conv_size(c));
  });
  ShapeAxis axis{.name = std::string(algorithm_axis), .values = {}};
  for (const ConvVariant* variant : variants) axis.values.emplace_back(variant->name);
  return {axis};
}

/// Every algorithm of a library, its first choice first.
std::vector<ShapeAxis> library_axes(const Case& c) {
  const auto algorithms = OneDnnConvolutions::instance().algorithms(conv_size(c));
  if (algorithms.empty()) return {};
  return {{.name = std::string(algorithm_axis), .values = algorithms}};
}

Dealing dealing_of(const Chosen& chosen) {
  return chosen.value(work, equal_shares) == from_queue ? Dealing::queue : Dealing::shares;
}

Unsupported not_built(const Case& c) {
  return Unsupported(fmt::format("no kernel of this shape is built: {}", describe(c)));
}

}  // namespace

std::vector<ShapeAxis> shape_axes_of(const Selection& selection, const Machine& machine,
                                     const Case& c) {
  if (c.family == Family::conv && c.by == By::library) return library_axes(c);
  const std::vector<const Choice*> choices = selection.find_all(c);
  if (choices.empty()) return {};
  if (c.family == Family::peak) return peak_axes(choices, machine);
  if (c.family == Family::stream) return stream_axes(choices, machine, c);
  if (c.family == Family::conv) return conv_axes(*choices.front(), c);
  return {};
}

ChosenStream choose_stream(const Selection& selection, const Machine& machine, const Case& c) {
  const std::vector<const Choice*> choices = selection.find_all(c);
  const Chosen chosen(stream_axes(choices, machine, c), c);
  ChosenStream stream;
  stream.threads = machine.threads();
  if (chosen.value(threads, all) == half) stream.threads /= 2;
  stream.dealing = dealing_of(chosen);
  const std::string kind = chosen.value(stores, ordinary);
  const std::string distance = chosen.value(prefetch, none);
  if (kind == string_instruction) {
    stream.run = string_copy();
    stream.note = string_instruction;
    return stream;
  }
  if (distance != none) stream.prefetch_distance = std::stoull(distance) * 1024;
  const Choice& choice = choice_named(choices, chosen.value(width, none));
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

ChosenPeak choose_peak(const Selection& selection, const Machine& machine, const Case& c) {
  const std::vector<const Choice*> choices = selection.find_all(c);
  const Chosen chosen(peak_axes(choices, machine), c);
  const Dealing dealing = dealing_of(chosen);
  const std::string named = chosen.value(width, none);
  if (named == none) return {choices.front()->row.peak, *choices.front(), dealing};
  const Choice& choice = choice_named(choices, named);
  const int count = chosen.number(chains, "0");
  for (const PeakFunction& peak : choice.row.peaks) {
    if (peak.accumulators == count) return {peak, choice, dealing};
  }
  // Without a choice of chains, those that this instruction set does best with.
  const bool free =
      std::ranges::none_of(c.shape, [](const ShapeChoice& one) { return one.axis == chains; });
  if (free) return {choice.row.peak, choice, dealing};
  throw not_built(c);
}

ChosenConv choose_conv(const Choice& choice, const Case& c) {
  const Chosen chosen(conv_axes(choice, c), c);
  const std::string named = chosen.value(algorithm_axis, none);
  for (const ConvVariant& variant : choice.row.convs) {
    if (variant.name == named) return {variant, choice};
  }
  throw not_built(c);
}

}  // namespace kernels::cpu
