// What it costs to launch a kernel, in the way in which it is launched. Pure.
#pragma once

#include <string>
#include <string_view>

#include "engine/session/session.hpp"

namespace engine {

/// What each launch of a kernel takes beside its work.
struct Overhead {
  double seconds = 0;  ///< of one launch; 0 = not known
  kernels::Launched launched = kernels::Launched::unknown;
  /// The seconds are what this kernel takes at "its smallest size" or "512 elements"; empty: what
  /// an empty kernel takes.
  std::string kernel_at{};
  /// The work begins when this is over. False: a GPU works on one kernel while the host launches
  /// the next one in a stream.
  bool adds = false;
  std::string roof{};       ///< its name; empty where nothing is known
  std::string_view flag{};  ///< flag_of() the roof
};
/// Of the kernel itself where that was measured, else of an empty one that is launched alike. Where
/// that of a graph was not measured: the shortest launch of this chain with next to nothing to do
/// in the session, if there is one.
Overhead overhead_of(const Session&, const kernels::Case&, kernels::Launched);
/// Of a measured point.
Overhead overhead_of(const Session&, const Point&);

/// How the device launches a case each of whose launches takes so long.
kernels::Launched usual_launch(const kernels::DeviceInfo&, const kernels::Case&, double seconds);

/// "in a CUDA graph", "in a stream", "on all threads"; empty: not known.
std::string_view launched_in_words(kernels::Launched);

/// "This kernel takes 870 ns at its smallest size, launched in a CUDA graph; in a stream a
/// launch costs 4.05 µs." The other way where it was measured. Empty where nothing is known.
std::string overhead_in_words(const Session&, const kernels::Case&, const kernels::Work&,
                              const Overhead&);

/// What a launch costs in the other way that a GPU has, s; 0 = not known, or there is none.
double other_way_seconds(const Session&, const kernels::Case&, kernels::Launched);

}  // namespace engine
