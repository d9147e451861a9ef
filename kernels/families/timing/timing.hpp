// One kernel, timed as it should be and in ways in which measuring goes wrong.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/case.hpp"

namespace kernels {

/// How a case of `timing` is timed.
enum class Way : std::uint8_t {
  proper = 1,   ///< warmed up, on warm data, until its end
  unfinished,   ///< the clock is stopped when the work is started
  with_launch,  ///< GPU: by the host, with a launch and a wait around each run
  new_memory,   ///< the result goes to memory that is allocated within the time
  after_rest,   ///< a single run, after the device has rested
  cold,         ///< the data lie in no cache
  zeros,        ///< on zeros instead of random numbers
  sustained,    ///< after a load that lets a power limit lower the clock
};

/// So many fma on each of fp32 elements, timed in that way.
Case timing_case(Way, std::uint64_t elements, std::uint64_t ops);
Way way_of(const Case&);
/// "properly", "without waiting".
std::string_view words_of(Way);

}  // namespace kernels
