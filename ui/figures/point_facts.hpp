// What every read-out, table and plot says of a measurement: rates, and what spoiled it. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "engine/session/session.hpp"

namespace ui {

/// One row of a read-out.
struct Reading {
  std::string label;
  std::string value;
};

/// False for shapes tried for roofs and for level curves, which are no sweep's points.
bool in_sweep(const engine::Point&);
/// The same, and not at the slider either.
bool is_swept(const engine::Point&);

/// FLOP or byte per core (SM) and clock seen under that load; 0 while either is unknown.
double per_clock_per_core(double rate, const kernels::Conditions&, const kernels::DeviceInfo&);

/// "31.8 FLOP/clk/core"; `what` is "FLOP", "OP" or "B". Empty while unknown.
std::string per_clock_text(double rate, std::string_view what, const kernels::Conditions&,
                           const kernels::DeviceInfo&);

/// "1 op", "64 ops".
std::string ops_text(std::uint64_t);

/// "measured", "skipped", "failed".
std::string_view word_for(engine::Status);

/// Whether the number of a point may be wrong by more than its interval says: engine::doubts_of().
bool is_flagged(const engine::Session&, const engine::Point&);

/// Why: "other work took 12 % of the device"; empty for a sound point.
std::string flags_of(const engine::Session&, const engine::Point&);

/// The same in a word for each reason, for a column of a table: "throttled, noisy".
std::string short_flags_of(const engine::Session&, const engine::Point&);

}  // namespace ui
