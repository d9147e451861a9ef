// Charts of sessions -> figures: their lines, roofs, marks and limits. Pure; knows no canvas.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/charts/chart.hpp"
#include "engine/labs/lab.hpp"
#include "engine/session/session.hpp"
#include "engine/verdict/predict.hpp"
#include "ui/figures/plotted.hpp"
#include "ui/figures/view.hpp"
#include "ui/plot/draw.hpp"

namespace ui {

/// A chart of one or more sessions (the first is the one being measured; the others are beside it).
/// Does not depend on the cursor's repeat.
plot::Figure figure_of(const Plotted&);
plot::Figure figure_of(const Sessions&, const engine::Chart&, const View&);

/// What a dashed outline means, for legends and read-outs: see is_flagged().
inline constexpr std::string_view doubtful_text = "dashed outline: doubtful";

/// What moves over it with the slider as `now` has it, perhaps beyond its limits: widen_to().
plot::Overlay overlay_of(const Plotted&, const View& now);
plot::Overlay overlay_of(const Sessions&, const engine::Chart&, const View&);

/// Widens a log axis until a marker at this value keeps off the frame.
void widen(plot::Axis&, double value);
/// Widens the limits to the overlay; as long as that lies within them they stand still.
void widen_to(plot::Figure&, const plot::Overlay&);

/// The view's other device as it is named beside a case: a tile may run on either of its units.
std::string what_if_name(const View&, const kernels::Case&);

/// What the view's other device takes, by its datasheet.
struct WhatIf {
  std::string name;  ///< as what_if_name() says
  double seconds = 0;
  double reach = 0;  ///< of the roof, as this kind of kernel reaches here; 0 = not known, all of it
  bool of_sheet = false;  ///< reach is of the rate that this device's datasheet states
  /// "predicted"; "at most" without such a reach: no kernel reaches all that a datasheet states.
  const char* how() const { return of_sheet ? "predicted" : "at most"; }
};
/// Nothing without such a device, where the sheet lacks the rate, where the case fits a cache
/// there, and where launches would matter: the sheet says nothing of either.
std::optional<WhatIf> what_if(const View&, const engine::Session& here, const kernels::Case&);
/// That of the case, and of a tile on vector units that of matrix units: only what is known.
std::vector<WhatIf> what_ifs(const View&, const engine::Session& here, const kernels::Case&);
/// Whether it has none because the case fits a cache there.
bool what_if_fits_cache(const View&, const kernels::Case&);

/// Whether a roofline draws this roof: as the user chose, else the DRAM roof with the workloads'
/// mix (copy) and the compute roofs that bound what is shown, or what the slider asks for.
bool draws_roof(const engine::Session&, const std::string& name, const View&);

/// Whether a session has points that the chart shows.
bool has_points(const engine::Session&, const engine::Chart&);

/// Bytes that such a point walks over.
double working_set_of(const engine::Point&);

/// The charts of a lab, as what the first session with points of it has measured makes them.
std::vector<engine::Chart> charts_of(const engine::Lab&, const Sessions&);
/// The same chart as those sessions make it.
engine::Chart measured_chart(const engine::Chart&, const Sessions&);
/// The charts of a whole page: those of each lab that was measured, and the memory levels where a
/// session has them; of a session with roofs alone, its roofline and levels.
std::vector<engine::Chart> charts_of(const Sessions&);
/// The first chart of all labs that has this overlay.
const engine::Chart& chart_with(engine::Overlay);

/// The figure as it leaves the window: roofs alone are a picture, and need no word about points.
plot::Figure for_export(plot::Figure);

/// "AMD EPYC: chain fma in fp32"; of sessions with several labs the labs of the charts.
std::string heading_of(const Sessions&, const std::vector<engine::Chart>&);
/// A page of these charts' figures under that heading, with device, date and conditions below.
plot::Page page_around(const Sessions&, const std::vector<engine::Chart>&, const View&,
                       std::vector<plot::Figure>);
/// A page for export: one chart or all of charts_of().
plot::Page page_of(const Sessions&, const engine::Chart* only, const View&);

/// What a page shows as a table (RFC 4180), SI: points of visible series, ends of roofs.
std::string csv_of(const plot::Page&);

/// "fp32 fused", "fp32 unfused mul", "bf16 fused tile"; names every series and legend entry.
using engine::series_name;

/// What a series of a sweep is whatever stands beside it: name, elements and device. Its runs share
/// it.
std::string series_id(const engine::Session&, const engine::Point&);

}  // namespace ui
