// How labels inside the plot choose among places.
#pragma once

#include "ui/plot/scene.hpp"

namespace plot {

inline constexpr double small_share = 0.88;  // of the font size, for labels inside the plot
// What a label may cover, in OccupancyMap's weights: a thin line, but no marker.
inline constexpr double clear_cover = 30;
// Under a note, which nobody misses: no curve at all.
inline constexpr double note_cover = 12;
// Beyond, no label is better than this one; what was measured is worth more than what was promised.
inline constexpr double most_cover = 90, most_cover_dashed = 45;

/// The best place so far.
struct Choice {
  Box box;
  double cost = INFINITY;
  double cover = INFINITY;

  void consider(const Scene& scene, const Box& candidate, double penalty) {
    // Not against the left and right edges of the plot.
    const Rect& plot = scene.layout.plot;
    const double edge = 0.25 * scene.em();
    const Rect room{plot.x + edge, plot.y, plot.w - 2 * edge, plot.h};
    if (penalty >= cost || !inside(candidate.bounds(), room)) return;
    const double under = scene.layout.occupancy.under(
        {candidate.centre, candidate.w, 0.8 * candidate.h, candidate.angle}, cost - penalty);
    if (penalty + under >= cost || !scene.is_free(candidate, room)) return;
    *this = {candidate, penalty + under, under};
  }
};

/// Along the roofs, in the order of the figure.
void place_roof_labels(Scene&);

/// Beside the point that it speaks of, where nothing lies; else it is left out.
void place_note(Scene&, const Mark&);
/// True when a thin line from a spot to its label would run through another text.
bool leads_through_text(const Scene&, Vec spot, const Box& label);
/// A thin line from that point to its label.
void paint_leader(Scene&, const PlacedText&);

}  // namespace plot
