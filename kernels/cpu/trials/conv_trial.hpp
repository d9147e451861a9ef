// What convolutions of our own and of a library share: their data, and the check of a result.
#pragma once

#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/conv.hpp"

namespace kernels::cpu {

class ConvTrial : public TimedTrial {
 public:
  /// No element is left out, and what is sampled is right.
  Check verify(std::stop_token stop) override;

 protected:
  /// With its inputs.
  ConvTrial(Machine&, const Case&, const std::stop_token&);
  /// The output, with room behind it.
  void reserve(std::uint64_t room_bytes);
  /// How far a result may lie from the reference.
  virtual double tolerance_of(const ConvReference& expected) const { return expected.tolerance; }

  const float* in() const { return data(Slot::first, inputs() * sizeof(float)); }
  const float* weights() const { return data(Slot::second, weight_count() * sizeof(float)); }
  float* out() const { return data(Slot::third, third_bytes_); }
  /// Begins a cache line.
  float* room() const;

  ConvSize size_;

 private:
  std::uint64_t inputs() const { return size_.batch * size_.channels * size_.size * size_.size; }
  std::uint64_t weight_count() const { return size_.filters * size_.channels * conv_taps; }
  std::uint64_t outputs() const { return size_.batch * size_.filters * size_.size * size_.size; }
  float* data(Slot slot, std::uint64_t bytes) const {
    return reinterpret_cast<float*>(machine_.data(slot, bytes));
  }
  Check check_samples(const std::stop_token&) const;

  std::uint64_t third_bytes_ = 0;
  std::uint64_t seed_in_ = 0, seed_weights_ = 0;
};

/// Bytes of so many floats, in whole cache lines.
std::uint64_t in_lines(std::uint64_t floats);

}  // namespace kernels::cpu
