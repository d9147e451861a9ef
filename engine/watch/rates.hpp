// What turns the shares that a device counts into FLOP/s and byte/s.
#pragma once

#include <string_view>
#include <vector>

#include "engine/session/session.hpp"
#include "kernels/device.hpp"

namespace engine {

/// One kind of arithmetic units: what is counted of them, and what they do in a clock.
struct Pipe {
  std::string_view counted;  ///< its name in kernels/counted.hpp
  std::string_view rate;     ///< that of its FLOP/s, which some devices count; empty: none does
  kernels::Dtype dtype;      ///< of what is taken to run on it
  kernels::Units units;
  double flops_per_clock = 0;  ///< of the whole device where all of them are busy; 0: not known
  double peak = 0;             ///< FLOP/s, the measured roof, else the stated one; 0: not known
  /// From a load of known FLOP beside the counters; else from the datasheet, which is an upper
  /// bound for matrix units: they are busy for longer than their FLOP take.
  bool calibrated = false;
};

struct CountedRates {
  double bandwidth = 0;  ///< byte/s of DRAM at a share of 1; 0: not known
  double copy = 0;       ///< byte/s, the measured copy roof of DRAM; 0: not known
  std::vector<Pipe> pipes;
};

/// `roofs`: the datasheet's, and measured ones, of which those with `counted_busy` calibrate.
/// `tensor`: the type of what runs on the matrix units that fp16, bf16, tf32 and fp8 share.
CountedRates counted_rates(const std::vector<Roof>& roofs, kernels::Dtype tensor);

/// What is counted of the units that a compute roof needs; empty: nothing.
std::string_view counted_of(const Roof&);

/// The share of the time with work in which units were busy, of a window in which one kernel kept
/// every multiprocessor at work but at its ends, which counters place within 0.1 s; 0: not told.
double busy_while_loaded(const kernels::Activity&, std::string_view counted);

/// Counted in a window; 0 where it was not.
double share_of(const kernels::Activity&, std::string_view counted);
/// As counted, else from the share of the units and the clock; 0: not known.
double flops_per_second(const kernels::Activity&, const Pipe&);
double bytes_per_second(const kernels::Activity&, const CountedRates&);
/// What was counted, but in place of FLOP/s and of byte/s of DRAM their shares of roofs, where
/// those are known.
std::vector<kernels::Value> shares_of(const kernels::Activity&, const CountedRates&);

}  // namespace engine
