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
  bool earlier = false;                      ///< replaced by a newer run of its session
  int place = 0;                             ///< of its session among those with a sweep
  std::vector<const engine::Point*> points;  ///< ascending in repeat; only measured ones
};

/// What a case, its work and its seconds mean on one panel's axes. 0 = cannot be shown.
double x_of(Panel, XAxis, const kernels::Case&, const kernels::Work&);
double y_of(Panel, const kernels::Work&, double seconds);

/// What the panels need to know of a session's points, found in one pass over them.
struct MeasuredPoints {
  /// Sweeps, in the order in which legends list them; named as if the session stood alone.
  std::vector<Group> groups;
  /// The newest probe of every case, newest last; of many, the newest dozen.
  std::vector<const engine::Point*> probes;
  /// One case of each kind (family, op, dtype, units) among the sweeps, and among the probes.
  std::vector<kernels::Case> kinds, probe_kinds;
};
MeasuredPoints measured_points(const engine::Session&);

/// A session beside others, and its points. Never null.
struct ShownSession {
  const engine::Session* session;
  const MeasuredPoints* points;
};

/// The groups of all sessions, told apart.
std::vector<Group> groups_of(const std::vector<ShownSession>&);
/// What tells a session from these others: its device, else when it was made, else its place among
/// `sessions`.
std::string session_name(const Sessions& sessions, const engine::Session*, const Sessions& others);
/// How the lines of a group's session are dashed.
plot::Dash dash_of(const Group&);
/// What tells the markers of a tile on vector units from a chain's.
plot::Core core_of(const Group&);
plot::Points points_of(const Group&, Panel, XAxis);
/// How the group looks, without its points.
plot::Series series_of(const Group&);

/// A group, or a pair of them, as one panel shows it.
struct MeasuredLine {
  plot::Series series;
  plot::Roof attainable;               ///< what the roofs allow; without points: nothing to draw
  std::optional<plot::Mark> note;      ///< its best point, or its knee
  std::vector<kernels::Case> cases{};  ///< what it is of: a group's one, or both of a pair
};

/// What all panels show of some sessions.
struct Measured {
  std::vector<ShownSession> sessions;
  std::string op;             ///< as op_unit() says
  std::vector<Group> groups;  ///< of all of them, told apart
};

/// Slanted bandwidth roofs, flat compute roofs, ridge points and the regions beneath.
void add_roofline(plot::Figure&, const std::vector<ShownSession>&, const View&);
/// The flat roofs of the throughput and bandwidth panels; what launches take in the runtime panel.
void add_flat_roofs(plot::Figure&, const std::vector<ShownSession>&, Panel, const View&);
/// What the roofs predict for a group, against an x axis; without points where that is no line.
plot::Roof attainable_line(const Group&, Panel, XAxis);
/// What the view's other device would do with every newest visible group, against its x axis.
void add_ghosts(plot::Figure&, const std::vector<Group>&, Panel, const View&);

/// FLOP/byte above a panel over repeat, of the fused cases shown. Where they differ at a repeat (as
/// element types do), those of the slider's case or of the first one shown, and the title names it.
/// Unfused cases, whose FLOP/byte is the same at every repeat, are not spoken of.
std::optional<plot::AxisAbove> intensity_above(const std::vector<kernels::Case>& shown,
                                               const std::string& op, const View&);

/// The best point of a series with its value; in the runtime panel the point at which its runtime
/// has left the flat part, as engine::flat_part() says, if it has.
std::optional<plot::Mark> note_of(const Group&, Panel, XAxis);

/// Index into the series colours: one for each dtype.
int colour_of(kernels::Dtype);
/// What was measured at the slider and on its way there.
struct Trail {
  const engine::Point* here = nullptr;       ///< of its place: what the verdict speaks of
  std::vector<const engine::Point*> before;  ///< older probes, oldest first
};

Trail trail_of(const Measured&, const View&);
/// The point of the slider's place stands out; the older another one is, the fainter. `place` tells
/// whose they are: " on AMD EPYC", or nothing.
void add_trail(plot::Figure&, const Trail&, const std::string& place, Panel, const View&);

/// "FLOP", or "OP" when all that is shown is integer arithmetic.
std::string op_unit(const std::vector<ShownSession>&);

/// The kernel in a series' name: " tile", " matrix" (which only tiles run on), " mul"; nothing for
/// chains of FMAs.
std::string kernel_word(const kernels::Case&);
/// A y value of a panel in words: "1.23 ms", "35.1 GB/s".
std::string value_text(Panel, double value, kernels::Dtype);

/// How many times faster fused is than unfused, matrix than vector units, the first session than
/// the others; where both sides were measured.
std::vector<MeasuredLine> speedups_of(const Measured&, XAxis);
/// What the visible lines of a speed-up figure have at its cursor, where they have a point there.
/// The figure's series are those of the lines.
void add_factors_at(plot::Figure&, const std::vector<MeasuredLine>&, const View&);
/// Whether notes speak of a series: not of an earlier run, nor of a hidden one.
bool is_noted(const plot::Series&);

/// Working sets against bandwidth, with the capacities of the caches and the plateaus named; the
/// first visible session's levels, and the curves of the others. Curves of several sessions are
/// named and can be hidden.
void add_levels(plot::Figure&, const Sessions&, const View&);

/// "2026-11-21T10:00:00Z" -> "2026-11-21 10:00 UTC"; anything else as it is.
std::string date_text(const std::string& created);

/// Widens a log axis until a marker at this value keeps off the frame.
void widen(plot::Axis&, double value);

/// True for points that a panel can show.
bool is_shown(const engine::Point&);

}  // namespace ui
