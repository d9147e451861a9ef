// Sessions -> figures: which series, roofs, marks and limits each panel shows. Pure; knows no
// window and no canvas.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/predict.hpp"
#include "engine/session.hpp"
#include "ui/plot/draw.hpp"

namespace ui {

enum class Panel { roofline, runtime, flops, bandwidth, levels, speedup };
/// The four that show a sweep; `levels` shows the experiment "roofs", `speedup` what fusion, matrix
/// units or another session change.
inline constexpr std::array sweep_panels{Panel::roofline, Panel::runtime, Panel::flops,
                                         Panel::bandwidth};
/// Of the panels but roofline and levels; `both`: repeat below, and FLOP/byte of the fused series
/// above (of one of them, named, where they differ).
enum class XAxis { repeat, intensity, both };

/// What the user looks at, beyond the data.
struct View {
  XAxis x = XAxis::repeat;
  std::optional<kernels::Case> cursor{};  ///< the slider's case; elements filled in
  bool probes = true;  ///< what was measured where the slider was and is: on screen, in no picture
  std::set<std::string> hidden{};  ///< ids of series toggled off, as series_id() makes them
  bool datasheet_roofs = true;
  /// Roofs of another device from its data sheet, no points: drawn as ghosts, with what they
  /// predict for the series shown.
  std::optional<engine::Session> what_if{};
  std::map<std::string, bool> roofs{};  ///< by name, whether the user wants it drawn; the others as
                                        ///< drawn_by_default() says

  bool operator==(const View&) const = default;
};

std::optional<Panel> panel_named(std::string_view);  ///< roofline, ..., levels, speedup
std::string_view name_of(Panel);
std::string_view title_of(Panel);  ///< "Achieved bandwidth"

/// "repeat", "intensity", "both": in settings and on the command line.
std::string_view name_of(XAxis);
std::optional<XAxis> x_axis_named(std::string_view);

/// One panel of one or more sessions (the first is the one being measured; others are overlays).
plot::Figure figure_of(const std::vector<const engine::Session*>&, Panel, const View&);

/// Seconds that the view's other device would take by its data sheet. Nothing without one, where
/// the sheet lacks the rate, and where launches, of which it says nothing, would matter.
std::optional<double> what_if_seconds(const View&, const kernels::Case&);

/// The view's other device as it is named beside a case: a tile may run on either of its units.
std::string what_if_name(const View&, const kernels::Case&);

/// A prediction of the view's other device.
struct WhatIf {
  std::string name;  ///< as what_if_name() says
  double seconds = 0;
};
/// That of the case; for a tile on vector units that of matrix units there, too. Only what is
/// known.
std::vector<WhatIf> what_ifs(const View&, const kernels::Case&);

/// Whether a roofline draws this roof: as the user chose, else the DRAM roof with the workloads'
/// mix (copy) and the compute roofs that bound what is shown, or what the slider asks for.
bool draws_roof(const engine::Session&, const std::string& name, const View&);

/// The measured level curve: the fastest reads at each working set of the newest run, ascending.
/// Empty when there is none.
std::vector<const engine::Point*> level_curve(const engine::Session&);
bool has_levels(const engine::Session&);
/// Bytes that such a point walks over.
double working_set_of(const engine::Point&);

/// The panels of a whole page: the sweep's, and the memory levels where a session has them; of a
/// session with roofs alone, its roofline and levels.
std::vector<Panel> panels_of(const std::vector<const engine::Session*>&);

/// The figure as it leaves the window: roofs alone are a picture, and need no word about points.
plot::Figure for_export(plot::Figure);

/// A page for export: one panel or all of panels_of(), with device, date and conditions in the
/// caption.
plot::Page page_of(const std::vector<const engine::Session*>&, std::optional<Panel> only,
                   const View&);

/// What a page shows as a table (RFC 4180): the points of the visible series and the ends of the
/// roofs of each panel, SI.
std::string csv_of(const plot::Page&);

/// Samples from which a median has a 95 % interval, as engine/statistics.hpp says; with fewer, no
/// "±" is shown.
inline constexpr std::size_t least_for_interval = 6;

/// "fp32 fused", "fp32 unfused mul", "bf16 fused tile", "bf16 fused matrix"; names every series and
/// legend entry.
std::string series_name(const engine::Point&);

/// What a series is whatever stands beside it: name, elements and device. Its runs share it.
std::string series_id(const engine::Session&, const engine::Point&);

}  // namespace ui
