#include "kernels/cuda/trials/chain_form.hpp"

namespace kernels::cuda {
namespace {

// Instructions of a multiprocessor per clock and thread ("Arithmetic Instructions" in the CUDA C++
// Programming Guide): packed halves run at the rate of fp32.
double instructions_per_clock(Dtype dtype, int capability) {
  const bool data_center = capability % 10 == 0;  // 8.0, 9.0, 10.0
  if (dtype == Dtype::fp64) return data_center ? 64 : 2;
  const bool half_width = capability < 86 && capability != 0;  // 7.5, 8.0
  return dtype == Dtype::int32 || (half_width && dtype == Dtype::fp32) ? 64 : 128;
}

// On an H200: of the peak of its memory a copy reaches this share; the ridge is at 64 ops of fp32.
// Two vectors per thread are the fastest up to 0.62 of the ridge, a queue from 0.9 of it on
// (docs/lab-notes.md, "Chains on a GPU").
constexpr double of_peak = 0.87, usual_ridge = 64;
constexpr double memory_bound = 0.62, compute_bound = 0.9;

}  // namespace

double ridge_ops(Dtype dtype, const RidgeFacts& gpu) {
  if (!(gpu.bytes_per_second > 0) || !(gpu.clock_hz > 0)) return usual_ridge;
  const double register_bytes = dtype == Dtype::fp64 ? 8 : 4;
  const double seconds_to_move = 2 * register_bytes / (of_peak * gpu.bytes_per_second);
  return seconds_to_move * instructions_per_clock(dtype, gpu.capability) * gpu.multiprocessors *
         gpu.clock_hz;
}

ChainForm chain_form(Dtype dtype, std::uint64_t ops, const RidgeFacts& gpu) {
  const double of_ridge = static_cast<double>(ops) / ridge_ops(dtype, gpu);
  if (of_ridge <= memory_bound) return ChainForm::few;
  return of_ridge < compute_bound ? ChainForm::many : ChainForm::queue;
}

}  // namespace kernels::cuda
