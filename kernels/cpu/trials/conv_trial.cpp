// Family `conv`: weights are packed by the calling thread, then every thread computes its share of
// the images.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/machine/share.hpp"
#include "kernels/cpu/trials/check_elements.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/conv.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cpu {
namespace {

constexpr std::uint64_t line = 64;
/// FLOP between two looks at the stop token: 5 ms of a fast kernel, 0.1 s of the slowest.
constexpr double flops_per_piece = 1 << 30;
/// Products of the reference of one verification: about 20 ms.
constexpr std::uint64_t reference_products = 1'000'000;
constexpr std::uint64_t least_samples = 256, most_samples = 4096;

std::uint64_t in_lines(std::uint64_t floats) {
  return (floats * sizeof(float) + line - 1) / line * line;
}

class ConvTrial final : public TimedTrial {
 public:
  ConvTrial(Machine& machine, const ChosenConv& chosen, const Case& c, const std::stop_token& stop)
      : TimedTrial(machine, c), size_(conv_size(c)), chosen_(chosen), run_(chosen.variant) {
    seed_in_ = machine.input(Slot::first, c, inputs(), stop);
    seed_weights_ = machine.input(Slot::second, c, weights(), stop);
    machine.output(Slot::third, third_bytes(), c);
  }

  bool cold() const override { return machine_.in_dram(footprint_of(case_)); }
  std::string note() const override {
    return fmt::format("{}, {}", note_of(chosen_.choice), run_.name);
  }

  /// No element is left out, and what is sampled is right.
  Check verify(std::stop_token stop) override {
    const int poison = poison_of(case_.dtype);
    fill_bytes(machine_, data(Slot::third, third_bytes()), outputs(), sizeof(float), poison, stop);
    run_untimed(stop);
    const float* out = data(Slot::third, third_bytes());
    const auto left = poisoned_elements(machine_, out, outputs(), sizeof(float), poison, stop);
    if (!left.empty())
      return {false, fmt::format("element {} of {} of the convolution was not written",
                                 left.front(), outputs())};
    const std::uint64_t of_each = conv_taps * size_.channels;
    const std::uint64_t samples =
        std::clamp<std::uint64_t>(reference_products / of_each, least_samples, most_samples);
    Deviation deviation;
    for (std::uint64_t n = 0; n < samples; ++n) {
      if (stop.stop_requested()) throw Cancelled();
      const ConvSpot spot = sampled_spot(size_, seed_in_, n);
      const ConvReference expected = conv_reference(
          size_, [&](std::uint64_t i) { return data_element(case_, seed_in_, i); },
          [&](std::uint64_t i) { return data_element(case_, seed_weights_, i); }, spot);
      const double got = static_cast<double>(out[index_of(size_, spot)]);
      deviation.add(expected.value, got);
      if (!(std::fabs(got - expected.value) <= expected.tolerance))
        return {false, fmt::format("image {}, filter {}, row {}, column {} of the convolution: "
                                   "expected {:.9g} within {:.2g}, got {:.9g}",
                                   spot.image, spot.filter, spot.row, spot.column, expected.value,
                                   expected.tolerance, got)};
    }
    return {.ok = true, .error = deviation.share()};
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    float* const out = data(Slot::third, third_bytes());
    float* const packed = out + in_lines(outputs()) / sizeof(float);
    float* const rooms = packed + packed_bytes() / sizeof(float);
    run_.pack(
        {data(Slot::second, weights() * sizeof(float)), packed, size_.channels, size_.filters});
    const ConvSlice all{data(Slot::first, inputs() * sizeof(float)),
                        packed,
                        out,
                        nullptr,
                        size_.channels,
                        size_.filters,
                        size_.size,
                        0,
                        0};
    const std::uint64_t parts = size_.batch * run_.parts(size_.size);
    const double of_part = work_of(case_).flops / static_cast<double>(parts);
    const auto piece = static_cast<std::uint64_t>(std::max(1.0, flops_per_piece / of_part));
    auto share = [&](int thread) {
      ConvSlice mine = all;
      mine.room = rooms + room_bytes() / sizeof(float) * static_cast<std::uint64_t>(thread);
      in_pieces(
          share_of(parts, 1, thread, machine_.threads()), piece,
          [&] { return stop.stop_requested(); },
          [&](Range some) {
            mine.first = some.first;
            mine.parts = some.count;
            run_.run(mine);
          });
    };
    machine_.pool().launch(share);
  }

 private:
  std::uint64_t inputs() const { return size_.batch * size_.channels * size_.size * size_.size; }
  std::uint64_t weights() const { return size_.filters * size_.channels * conv_taps; }
  std::uint64_t outputs() const { return size_.batch * size_.filters * size_.size * size_.size; }
  std::uint64_t packed_bytes() const {
    return in_lines(run_.packed(size_.channels, size_.filters));
  }
  std::uint64_t room_bytes() const { return in_lines(run_.room(size_.size)); }
  /// The output; behind it packed weights and the rooms of the threads.
  std::uint64_t third_bytes() const {
    return in_lines(outputs()) + packed_bytes() +
           room_bytes() * static_cast<std::uint64_t>(machine_.threads());
  }
  float* data(Slot slot, std::uint64_t bytes) const {
    return reinterpret_cast<float*>(machine_.data(slot, bytes));
  }

  ConvSize size_;
  ChosenConv chosen_;
  ConvVariant run_;
  std::uint64_t seed_in_ = 0, seed_weights_ = 0;
};

}  // namespace

std::unique_ptr<Trial> prepare_conv(Machine& machine, const ChosenConv& chosen, const Case& c,
                                    std::stop_token stop) {
  return std::make_unique<ConvTrial>(machine, chosen, c, stop);
}

}  // namespace kernels::cpu
