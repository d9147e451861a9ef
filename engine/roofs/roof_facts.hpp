// What every table says of a roof beside its rate: the datasheet's figure that it compares with,
// and its work per clock and core. Pure.
#pragma once

#include <string>
#include <string_view>

#include "engine/session/session.hpp"

namespace engine {

/// What a datasheet states for a roof.
struct Stated {
  double rate = 0;     ///< 0: nothing
  std::string note{};  ///< where it comes from
};

/// The datasheet's roof of that name, or what follows from the few that it has: one rate for
/// memory whatever is read or written, one for the units whoever programs them, and half of the FMA
/// peak for instructions that do one FLOP. What was measured on zeros compares with the same.
Stated stated_for(const Session&, const std::string& roof);

/// The title of a column of stated rates: a CPU has a theoretical peak, a GPU a datasheet.
std::string_view stated_title(const kernels::DeviceInfo&);

/// A rate in words: "98.1 GB/s", "945 GOP/s", of launches the time of one, "201 ns"; "-" for 0.
std::string rate_text(double rate, RoofKind, bool integer);
/// Its own rate, or another of its kind.
std::string rate_text(const Roof&);
std::string rate_text(const Roof&, double rate);

/// "core"; of a GPU "SM".
std::string_view core_word(const kernels::DeviceInfo&);
/// "per clk/core": the title of what each core does in one clock.
std::string per_clock_title(const kernels::DeviceInfo&);
/// "31.9 FLOP", "15 OP", "64 B": a measured roof per clock and core (SM). Empty for launches, and
/// while clock or cores are unknown.
std::string per_clock_text(const kernels::DeviceInfo&, const Roof&);

}  // namespace engine
