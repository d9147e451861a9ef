// What the parts of figures.cpp share: measured points in groups, and the values that each panel
// shows of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session.hpp"
#include "ui/figures.hpp"

namespace ui {

using Sessions = std::vector<const engine::Session*>;

/// The points of one line of a panel.
struct Group {
  const engine::Session* session = nullptr;
  kernels::Case what;  ///< of the first point; repeat is meaningless
  std::string name;
  std::string id;                            ///< of View::hidden; does not depend on other groups
  bool earlier = false;                      ///< replaced by a newer run
  int device = 0;                            ///< 0 for the first session's device, then counted up
  std::vector<const engine::Point*> points;  ///< ascending in repeat; only measured ones
};

/// What a case, its work and its seconds mean on one panel's axes. 0 = cannot be shown.
double x_of(Panel, XAxis, const kernels::Case&, const kernels::Work&);
double y_of(Panel, const kernels::Work&, double seconds);

/// Measured points of workloads, in the order in which legends list them. Probes are not among
/// them.
std::vector<Group> groups_of(const Sessions&);
/// How the lines of a group's device are dashed.
plot::Dash dash_of(const Group&);
plot::Series series_of(const Group&, Panel, XAxis);

/// What of a panel depends on the points alone, and takes the longest when there are many.
struct MeasuredSeries {
  std::string op;  ///< as op_unit() says
  std::vector<Group> groups;
  std::vector<plot::Series> series;  ///< of each group
};
MeasuredSeries measured_series(const Sessions&, Panel, XAxis);
/// figure_of() with its series at hand.
plot::Figure figure_of(const Sessions&, Panel, const View&, const MeasuredSeries&);

/// The newest probe of every case, newest last; of many, the newest dozen.
std::vector<const engine::Point*> probes_of(const engine::Session&);

/// Slanted bandwidth roofs, flat compute roofs, ridge points and the regions beneath.
void add_roofline(plot::Figure&, const Sessions&, const View&);
/// The flat roofs of the throughput and bandwidth panels; what launches take in the runtime panel.
void add_flat_roofs(plot::Figure&, const Sessions&, Panel, const View&);
/// What the roofs predict for every newest visible series, against the view's x axis.
void add_attainable(plot::Figure&, const std::vector<Group>&, Panel, const View&);

/// FLOP/byte above a panel over repeat, where all fused cases shown have the same at each repeat
/// (while nothing is shown, the slider's case). Else nothing: one row of numbers cannot hold for
/// several. Unfused cases, whose FLOP/byte is the same at every repeat, are not spoken of.
std::optional<plot::AxisAbove> intensity_above(std::vector<kernels::Case> shown,
                                               const std::string& op, const View&);

/// The best point of every newest visible series with its value; in the runtime panel the point at
/// which its runtime has left the flat part, as engine::flat_part() says.
void add_notes(plot::Figure&, const std::vector<Group>&, Panel, const View&);

/// Index into the series colours: one for each dtype.
int colour_of(kernels::Dtype);
/// "FLOP", or "OP" when all that is shown is integer arithmetic.
std::string op_unit(const Sessions&);
/// A y value of a panel in words: "1.23 ms", "35.1 GB/s".
std::string value_text(Panel, double value, kernels::Dtype);

/// How many times faster fused is than unfused, matrix than vector units, the first session than
/// the others; where both sides were measured. Returns the cases compared, of visible lines.
std::vector<kernels::Case> add_speedups(plot::Figure&, const Sessions&, const View&);

/// Working sets against bandwidth, with the capacities of the caches and the plateaus named; the
/// first visible session's levels, and the curves of the others. Curves of several sessions are
/// named and can be hidden.
void add_levels(plot::Figure&, const Sessions&, const View&);

/// "2026-11-21T10:00:00Z" -> "2026-11-21 10:00 UTC"; anything else as it is.
std::string date_text(const std::string& created);

/// True for points that a panel can show.
bool is_shown(const engine::Point&);

}  // namespace ui
