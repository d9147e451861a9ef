// What the parts of figure_of() share: one function for each kind of chart and for each overlay.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/figures/figures.hpp"
#include "ui/figures/plotted.hpp"

namespace ui {

// Lines and their names.

/// A case without its size along the chart's axis: what the points of one line have in common.
kernels::Case common_case(const engine::Chart&, const kernels::Case&);
/// What a line is whatever stands beside it: word, elements where they tell it from others, device
/// and date. View::hidden knows it by this.
std::string line_id(const engine::Session&, const engine::Chart&, const engine::Point&,
                    const std::string& word);
/// Names the groups, and tells those of the same word apart: by elements, by session.
void name_groups(std::vector<Group>&, const engine::Chart&);
/// What tells each session from the others: its device, else when it was made, else its place.
std::vector<std::string> session_names(const Sessions&);
/// The sessions that have groups, in their order.
Sessions owners_of(const std::vector<Group>&);
/// Of the lines of the n-th of several sessions.
plot::Dash dash_of(std::size_t place);
/// Of the n-th of several lines that their colours tell apart.
plot::Marker marker_of(int place);
/// The height of one more point, and its error bar.
void add_value(plot::Points&, const engine::Interval&);
/// At the end of a list that has no such item yet.
template <class Item>
void add_once(std::vector<Item>& list, Item item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(std::move(item));
}
/// The lines of each group, and the quotients of pairs of them.
std::vector<Line> lines_of(const Plotted&);
std::vector<Line> quotients_of(const Plotted&);
/// How a group looks, without its points.
plot::Series series_of(const Plotted&, const Group&, int colour);
/// Index of the series colour of every group: dtypes have their own, other words get theirs in the
/// order of their first appearance.
std::vector<int> colours_of(const Plotted&);
int colour_of(kernels::Dtype);
/// The lines that notes and predictions speak of: those in sight, but not of earlier runs. Of many
/// the first two dozen: nobody could tell whose a further note is.
std::vector<const Line*> noted_lines(const Plotted&);
/// "2026-11-21T10:00:00Z" -> "2026-11-21 10:00 UTC"; anything else as it is.
std::string date_text(const std::string& created);

// Kinds.

void add_lines(plot::Figure&, const Plotted&);
void add_bars(plot::Figure&, const Plotted&);  ///< beside each other, or stacked
void add_lanes(plot::Figure&, const Plotted&);

// Overlays.

void add_roofs(plot::Figure&, const Plotted&);
void add_ridges(plot::Figure&, const Plotted&);
void add_regions(plot::Figure&, const Plotted&);
void add_launch_floor(plot::Figure&, const Plotted&);
void add_attainable(plot::Figure&, const Plotted&);
void add_what_if(plot::Figure&, const Plotted&);
void add_best(plot::Figure&, const Plotted&);
void add_knees(plot::Figure&, const Plotted&);
void add_capacities(plot::Figure&, const Plotted&);
void add_even(plot::Figure&, const Plotted&);
void add_density(plot::Figure&, const Plotted&);
void add_trail(plot::Overlay&, const Plotted&, const View& now);
void add_cursor(plot::Overlay&, const Plotted&, const View& now);

/// Whose roofs they are.
struct RoofOwner {
  std::string device;  ///< empty where there is but one
  bool ghost = false;
};

/// True where the lines of two roofs lie on one another.
bool is_one_line(const engine::Roof&, const engine::Roof&);

/// Names each of the lines after its roof. Of lines that lie on one another the first has the label
/// of all, and where they are of several dtypes, none has the colour of one. The datasheet's rate
/// stands in the label of the measured line that it nearly touches.
void name_lines(std::vector<plot::Roof>& lines, const std::vector<const engine::Roof*>&,
                const RoofOwner&);

/// The probes of the first session that the trail shows, oldest first.
std::vector<const engine::Point*> probes_of(const Plotted&, const View& now);
/// FLOP/byte above a chart over repeat, of the fused cases shown. Where they differ at a repeat (as
/// element types do), those of the slider's case or of the first one shown, and the title names it.
/// Unfused cases, whose FLOP/byte is the same at every repeat, are not spoken of.
std::optional<plot::AxisAbove> intensity_above(const Plotted&);

}  // namespace ui
