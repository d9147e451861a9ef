// Sessions -> figures: which series, roofs, marks and limits each panel shows. Pure; knows no
// window and no canvas.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/predict.hpp"
#include "engine/session.hpp"
#include "ui/plot/draw.hpp"

namespace ui {

enum class Panel { roofline, runtime, flops, bandwidth };
inline constexpr std::array all_panels{Panel::roofline, Panel::runtime, Panel::flops,
                                       Panel::bandwidth};
enum class XAxis { repeat, intensity };  ///< of the last three panels

/// What the user looks at, beyond the data.
struct View {
  XAxis x = XAxis::repeat;
  std::optional<kernels::Case> cursor{};  ///< the slider's case; elements filled in
  std::set<std::string> hidden{};         ///< ids of series toggled off, as series_id() makes them
  bool datasheet_roofs = true;
};

std::optional<Panel> panel_named(std::string_view);  ///< roofline, runtime, flops, bandwidth
std::string_view name_of(Panel);

/// One panel of one or more sessions (the first is the one being measured; others are overlays).
plot::Figure figure_of(const std::vector<const engine::Session*>&, Panel, const View&);

/// A page for export: one panel or all four, with device, date and conditions in the caption.
plot::Page page_of(const std::vector<const engine::Session*>&, std::optional<Panel> only,
                   const View&);

/// Samples from which a median has a 95 % interval, as engine/statistics.hpp says; with fewer, no
/// "±" is shown.
inline constexpr std::size_t least_for_interval = 6;

/// "fp32 fused", "bf16 fused matrix"; names every series and legend entry.
std::string series_name(const engine::Point&);

/// What a series is whatever stands beside it: kind, kernel, elements and device. Its runs share
/// it.
std::string series_id(const engine::Session&, const engine::Point&);

}  // namespace ui
