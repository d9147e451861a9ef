// Family `conv`: weights are packed by the calling thread, then every thread computes its share of
// the images; or oneDNN, on the same cores, from the same layouts to the same.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "kernels/cpu/loaded/onednn.hpp"
#include "kernels/cpu/loaded/onednn_conv.hpp"
#include "kernels/cpu/trials/shapes.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/conv/conv.hpp"
#include "kernels/families/family.hpp"

namespace kernels::cpu {
namespace {

constexpr std::uint64_t line = 64;
/// FLOP between two looks at the stop token: 5 ms of a fast kernel, 0.1 s of the slowest.
constexpr double flops_per_piece = 1 << 30;

/// Bytes of so many floats, in whole cache lines.
std::uint64_t in_lines(std::uint64_t floats) {
  return (floats * sizeof(float) + line - 1) / line * line;
}

class ConvTrial : public TimedTrial {
 protected:
  /// With its inputs.
  ConvTrial(Machine& machine, const Case& c, const std::stop_token& stop)
      : TimedTrial(machine, c), size_(conv_size(c)) {
    take(Slot::first, size_.batch * size_.channels * size_.size * size_.size, stop);
    take(Slot::second, size_.filters * size_.channels * conv_taps, stop);
  }
  /// The output, with room behind it.
  void reserve(std::uint64_t room_bytes) {
    third_bytes_ = in_lines(outputs()) + room_bytes;
    machine_.output(Slot::third, third_bytes_, case_);
  }

  Result result() const final { return {data(Slot::third, third_bytes_), outputs()}; }
  // What an earlier run left in the room is no result either.
  std::vector<Result> written() const final {
    return {{data(Slot::third, third_bytes_), third_bytes_ / sizeof(float)}};
  }

  const float* in() const { return floats(0); }
  const float* weights() const { return floats(1); }
  float* out() const { return reinterpret_cast<float*>(result().data); }
  /// Begins a cache line.
  float* room() const { return out() + in_lines(outputs()) / sizeof(float); }

  ConvSize size_;

 private:
  std::uint64_t outputs() const { return size_.batch * size_.filters * size_.size * size_.size; }
  const float* floats(std::size_t which) const {
    const Input& one = inputs_[which];
    return reinterpret_cast<const float*>(data(one.slot, one.elements * sizeof(float)));
  }

  std::uint64_t third_bytes_ = 0;
};

/// Multiplications for each load of the innermost loop that are of use; 0 for what is no candidate.
double expected_rate(const ConvVariant& variant, const ConvSize& size) {
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
  for (const ConvVariant& variant : choice.row.as<ConvKernels>()) variants.push_back(&variant);
  std::ranges::stable_sort(variants, std::greater{}, [&](const ConvVariant* variant) {
    return expected_rate(*variant, conv_size(c));
  });
  ShapeAxis axis{.name = std::string(algorithm_axis), .values = {}};
  for (const ConvVariant* variant : variants) axis.values.emplace_back(variant->name);
  return {axis};
}

/// The algorithm that the case names; else the first choice, which nothing is measured for: of all
/// direct convolutions whose register block fits the registers the one with the most
/// multiplications for each load of its innermost loop, less what its blocks compute beyond the
/// edges of the output.
const ConvVariant& choose_conv(const Choice& choice, const Case& c) {
  const Chosen chosen(conv_axes(choice, c), c);
  const std::string named = chosen.value(algorithm_axis, no_choice);
  for (const ConvVariant& variant : choice.row.as<ConvKernels>()) {
    if (variant.name == named) return variant;
  }
  throw not_built(c);
}

class OwnConvTrial final : public ConvTrial {
 public:
  OwnConvTrial(Machine& machine, const Choice& choice, const ConvVariant& variant, const Case& c,
               const std::stop_token& stop)
      : ConvTrial(machine, c, stop), run_(variant) {
    note_ = fmt::format("{}, {}", note_of(choice), run_.name);
    reserve(packed_bytes() + room_bytes() * static_cast<std::uint64_t>(machine.threads()));
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    float* const packed = room();
    float* const rooms = packed + packed_bytes() / sizeof(float);
    run_.pack({weights(), packed, size_.channels, size_.filters});
    const ConvSlice all{in(),          packed,     out(), nullptr, size_.channels,
                        size_.filters, size_.size, 0,     0};
    const std::uint64_t parts = size_.batch * run_.parts(size_.size);
    const double of_part = work_of(case_).flops / static_cast<double>(parts);
    const auto piece = static_cast<std::uint64_t>(std::max(1.0, flops_per_piece / of_part));
    on_threads({parts, 1, machine_.threads()}, piece, stop, [&](int thread, Range some) {
      ConvSlice mine = all;
      mine.room = rooms + room_bytes() / sizeof(float) * static_cast<std::uint64_t>(thread);
      mine.first = some.first;
      mine.parts = some.count;
      run_.run(mine);
    });
  }

 private:
  std::uint64_t packed_bytes() const {
    return in_lines(run_.packed(size_.channels, size_.filters));
  }
  std::uint64_t room_bytes() const { return in_lines(run_.room(size_.size)); }

  ConvVariant run_;
};

class LibraryConvTrial final : public ConvTrial {
 public:
  LibraryConvTrial(Machine& machine, const Case& c, const std::stop_token& stop)
      : ConvTrial(machine, c, stop), run_(made_on(machine, c)) {
    note_ = fmt::format("{}, {}", OneDnn::instance().name(), run_.algorithm());
    reserve(run_.room_bytes());
  }

 protected:
  /// The library's threads run on the cores of ours.
  void before_timing(const std::stop_token&) override { Pool::let_others_sleep(); }

  double growth() const override { return run_.by_winograd() ? winograd_growth : 0; }

  void run_once(const std::stop_token& stop) override {
    run_.run(in(), weights(), out(), reinterpret_cast<char*>(room()), stop);
  }

 private:
  /// The library divides the work among its threads when it makes a convolution.
  static OneDnnConvolution made_on(Machine& machine, const Case& c) {
    const Pool::PinnedCaller pinned(machine.pool());
    OneDnn::instance().place_threads(machine.pool().processors());
    return OneDnnConvolution(conv_size(c), algorithm_of(c));
  }

  OneDnnConvolution run_;
};

/// Every algorithm; a library's first choice first.
std::vector<ShapeAxis> axes_of(const Selection& selection, const Machine&, const Case& c) {
  if (c.by != By::library) {
    const Choice* choice = selection.find(c);
    return choice == nullptr ? std::vector<ShapeAxis>() : conv_axes(*choice, c);
  }
  const auto algorithms = OneDnnConvolution::algorithms(conv_size(c));
  if (algorithms.empty()) return {};
  return {{.name = std::string(algorithm_axis), .values = algorithms}};
}

std::vector<Kernel> library_rows(const Selection&) {
  std::vector<Kernel> rows;
  for (const DtypeInfo& info : dtypes) {
    Case usual = usual_of(Family::conv);
    usual.dtype = info.dtype;
    usual.by = By::library;
    Kernel row{.family = Family::conv, .op = Op::mma, .dtype = info.dtype, .by = By::library};
    row.why_not = refusal_of(usual);
    if (row.why_not.empty()) row.why_not = OneDnnConvolution::why_not();
    if (row.why_not.empty()) row.algorithms = OneDnnConvolution::algorithms(conv_size(usual));
    rows.push_back(answered(row, row.why_not, OneDnn::instance().name()));
  }
  return rows;
}

std::unique_ptr<Trial> prepare(const Asked& asked) {
  if (asked.choice == nullptr)
    return std::make_unique<LibraryConvTrial>(asked.machine, asked.c, asked.stop);
  return std::make_unique<OwnConvTrial>(asked.machine, *asked.choice,
                                        choose_conv(*asked.choice, asked.c), asked.c, asked.stop);
}

}  // namespace

extern const FamilyOnCpu conv_on_cpu{
    .family = Family::conv, .more = library_rows, .axes = axes_of, .prepare = prepare};

}  // namespace kernels::cpu
