// A session's roofs as rows of a table: measured beside stated, and the shapes tried. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/session/session.hpp"
#include "ui/figures/figures.hpp"

namespace ui {

/// One roof, measured, stated, or both.
struct RoofRow {
  std::string name;
  const engine::Roof* measured = nullptr;
  double stated = 0;          ///< rate of the datasheet; 0 = none
  std::string stated_note{};  ///< where that comes from
  engine::RoofKind kind = engine::RoofKind::compute;
  std::optional<kernels::Dtype> dtype{};  ///< of arithmetic

  /// Counted in OP.
  bool integer() const { return dtype && kernels::info_of(*dtype).integer; }
  double rate() const { return measured != nullptr ? measured->rate : 0; }
  /// Measured over stated; 0 when one is missing.
  double share() const { return measured != nullptr && stated > 0 ? rate() / stated : 0; }
  /// A launch has no place in a roofline of FLOP/s over FLOP/byte.
  bool can_be_drawn() const { return kind != engine::RoofKind::overhead; }
};

/// Memory from DRAM to the smallest cache, then arithmetic by dtype, then launches.
std::vector<RoofRow> roof_rows(const engine::Session&);

/// Texts of a row's columns; "-" where nothing is known.
std::string measured_text(const RoofRow&);
std::string stated_text(const RoofRow&);
/// "40.0 GB/s to 41.0 GB/s", of launches "190 ns to 210 ns": the 95 % interval.
std::string interval_text(const RoofRow&);
/// How far the 95 % interval reaches from the rate: "±0.4 %"; "-" where there is none.
std::string spread_text(const RoofRow&);
std::string share_text(const RoofRow&);
/// "31.9 FLOP", "64 B": per clock and core (SM).
std::string per_clock_text(const RoofRow&, const kernels::DeviceInfo&);
std::string shape_text(const RoofRow&);

/// Which roof a point of the lab of roofs was measured for: "fp32 FMA", "DRAM copy", "L2".
std::string roof_tried_for(const kernels::DeviceInfo&, const engine::Point&);

/// The points tried for a roof, newest of each case, fastest first, what could not run last.
std::vector<const engine::Point*> tried_for(const engine::Session&, const std::string& roof);
/// FLOP/s, byte/s or launches/s of such a point.
double rate_of(const engine::Point&, engine::RoofKind);
/// "chains 8, unroll 256", of reads with their working set: "1 MiB, chains 8".
std::string tried_text(const engine::Point&);
/// Only what differs from the fastest: "unroll 4", "512 MiB, prefetch none".
std::string difference_text(const engine::Point&, const engine::Point& fastest);
/// Of what tried_for() gives, the winner, which is measured again for the roof; null: none ran.
const engine::Point* roofs_own(const std::vector<const engine::Point*>& tried, const engine::Roof&);

}  // namespace ui
