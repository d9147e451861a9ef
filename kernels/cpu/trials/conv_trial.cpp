// Family `conv`: weights are packed by the calling thread, then every thread computes its share of
// the images.
#include "kernels/cpu/trials/conv_trial.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cpu/machine/share.hpp"
#include "kernels/cpu/trials/check_elements.hpp"

namespace kernels::cpu {
namespace {

constexpr std::uint64_t line = 64;
/// FLOP between two looks at the stop token: 5 ms of a fast kernel, 0.1 s of the slowest.
constexpr double flops_per_piece = 1 << 30;

class OwnConvTrial final : public ConvTrial {
 public:
  OwnConvTrial(Machine& machine, const ChosenConv& chosen, const Case& c,
               const std::stop_token& stop)
      : ConvTrial(machine, c, stop), run_(chosen.variant) {
    note_ = fmt::format("{}, {}", note_of(chosen.choice), run_.name);
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
  std::uint64_t packed_bytes() const {
    return in_lines(run_.packed(size_.channels, size_.filters));
  }
  std::uint64_t room_bytes() const { return in_lines(run_.room(size_.size)); }

  ConvVariant run_;
};

}  // namespace

std::uint64_t in_lines(std::uint64_t floats) {
  return (floats * sizeof(float) + line - 1) / line * line;
}

ConvTrial::ConvTrial(Machine& machine, const Case& c, const std::stop_token& stop)
    : TimedTrial(machine, c), size_(conv_size(c)) {
  seed_in_ = machine.input(Slot::first, c, inputs(), stop);
  seed_weights_ = machine.input(Slot::second, c, weight_count(), stop);
}

void ConvTrial::reserve(std::uint64_t room_bytes) {
  third_bytes_ = in_lines(outputs()) + room_bytes;
  machine_.output(Slot::third, third_bytes_, case_);
}

float* ConvTrial::room() const { return out() + in_lines(outputs()) / sizeof(float); }

Check ConvTrial::verify(std::stop_token stop) {
  const int poison = poison_of(case_.dtype);
  // What an earlier run left in the room is no result either.
  fill_bytes(machine_, out(), third_bytes_, 1, poison, stop);
  run_untimed(stop);
  const auto left = poisoned_elements(machine_, out(), outputs(), sizeof(float), poison, stop);
  if (!left.empty())
    return {false, fmt::format("element {} of {} of the convolution was not written", left.front(),
                               outputs())};
  return check_samples(stop);
}

Check ConvTrial::check_samples(const std::stop_token& stop) const {
  const auto element_of = [&](std::uint64_t seed) {
    return [&, seed](std::uint64_t i) { return data_element(case_, seed, i); };
  };
  return compare_convolution(
      size_, seed_in_,
      {.input = element_of(seed_in_),
       .weight = element_of(seed_weights_),
       .output = [&](std::uint64_t i) { return static_cast<double>(out()[i]); },
       .tolerance = [&](const ConvReference& expected) { return tolerance_of(expected); }},
      stop);
}

std::unique_ptr<Trial> prepare_conv(Machine& machine, const ChosenConv& chosen, const Case& c,
                                    std::stop_token stop) {
  return std::make_unique<OwnConvTrial>(machine, chosen, c, stop);
}

}  // namespace kernels::cpu
