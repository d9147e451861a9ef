// How the window looks: what is shown, where it lies, what the pointer and the keys have chosen.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/session/session.hpp"
#include "kernels/kept/kept_source.hpp"
#include "ui/figures/figures.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/model/division.hpp"
#include "ui/model/zoom.hpp"

namespace ui {

/// The measured point under the pointer, as indices into sessions_shown() and its points.
struct Hovered {
  std::size_t session = 0;
  std::size_t point = 0;
  auto operator<=>(const Hovered&) const = default;
};

/// Everything that is known of one point, as it was when it was clicked.
struct Inspection {
  std::string title;    ///< its series
  std::string runtime;  ///< the median in words; of what was watched, its limit
  std::vector<Reading> facts;
  std::string command;  ///< measures it again
  engine::Seconds seconds;
  std::string kernel_file{};            ///< with the source of a generated kernel; else empty
  kernels::KeptSource kernel_source{};  ///< read once, when the point was clicked
  bool shows_source = false;            ///< in place of the facts
  bool at_left = false;                 ///< stands at the left, where it does not cover the point
  std::string point_id{};               ///< it is ringed in all plots meanwhile
  std::string created{};                ///< of its session
};

/// What stands below the plots: the regime of a point, the lab's claim, all points.
enum class Below : std::uint8_t { verdict, claim, results };

/// One side of the comparison that fills the middle of the window.
struct ComparedSide {
  std::size_t session = 0;  ///< SessionChoice::number
  std::string words{};      ///< which choose its points: "fp16"; empty: all
  bool operator==(const ComparedSide&) const = default;
};
struct Comparing {
  ComparedSide a, b;
  bool operator==(const Comparing&) const = default;
};

enum class ResultColumn : std::uint8_t {
  series,
  lab,
  run,
  repeat,
  elements,
  intensity,
  runtime,
  spread,
  flops,
  bandwidth,
  share,
  bound,
  remarks
};

/// How the results table is sorted and filtered, and what is chosen in it.
struct ResultsTable {
  std::string filter;
  std::optional<ResultColumn> column{};  ///< nothing: in the order of measurement
  bool ascending = true;
  bool all_labs = false;                           ///< not only those of the lab on screen
  std::set<Hovered> selected{};                    ///< ringed in the plots
  std::optional<Hovered> last{};                   ///< where a range begins
  std::optional<Hovered> pointed{};                ///< the row under the pointer
  std::vector<const engine::Session*> sessions{};  ///< in which rows were chosen; never looked into
};

inline constexpr double smallest_magnification = 0.7;
inline constexpr double largest_magnification = 2.5;
/// A tooltip shows once the pointer has rested on its item: one at once would cover what is worked
/// on. It is there as long as the item is under the pointer.
struct Tip {
  double x = 0, y = 0;  ///< of the item, pixels
  double due = 0;       ///< s, as tick() sees it
  bool shown = false;
  bool spent = false;    ///< the item works and was clicked: whoever does so knows it
  bool claimed = false;  ///< in this frame
};
inline constexpr double rest_before_tip = 0.4;  ///< s

/// The control that Tab has chosen: Enter clicks it, Left and Right move it where it is a slider.
struct KeyFocus {
  std::string control;  ///< its name in the UI map; empty: none
  bool click = false;   ///< in this frame
  bool shift = false;   ///< with Shift
  int steps = 0;        ///< of a slider, in this frame
  bool moved = false;   ///< Tab or an arrow chose the control, in this frame
  std::string opened;   ///< the list that Enter opened
};

/// What a step of a presentation adds to the charts.
enum class Revealed : std::uint8_t { axes, roofs, series, verdict };
struct RevealStep {
  Revealed what = Revealed::axes;
  std::set<std::string> series{};  ///< ids of those that it adds
};

/// The charts alone, for an audience. While it lasts nothing starts to measure.
struct Presenting {
  std::vector<RevealStep> steps{};
  std::size_t step = 0;      ///< the last one that is shown
  bool keys_told = true;     ///< their line is there until one of them is used
  bool types_title = false;  ///< the title is being typed
};
inline constexpr double presented_type = 2;        ///< how much larger everything is then
inline constexpr std::size_t longest_title = 200;  ///< bytes

struct Look {
  View view;
  std::optional<Presenting> presenting;
  std::string title;   ///< above the charts that are presented; empty: the lab's question
  bool apart = false;  ///< the middle shows the lab's charts that stand apart, as speed-ups
  std::optional<Comparing> comparing;  ///< in place of the plots and of what stands below them
  Below below = Below::verdict;
  ResultsTable results;
  std::optional<std::size_t> roofs_of;  ///< SessionChoice::number; nothing: as roofs_session() says
  std::string selected_roof;            ///< whose shapes are listed; empty: the first
  std::optional<Inspection> inspected;

  Division division;  ///< where the splitters lie
  ZoomState zoom;
  std::optional<std::string> maximised;  ///< the chart that fills the plots' area
  bool light = false;                    ///< the window's theme: paper instead of dark
  bool follow_desktop = true;            ///< light or dark as the desktop is, where it tells
  double magnification = 1;  ///< of everything in the window, on top of the monitor's scale

  std::optional<Hovered> hovered;
  bool keys_move = false;  ///< a resting pointer says nothing since the keys moved the slider
  std::optional<Hovered> pressed;          ///< what lay under the pointer when its button went down
  std::optional<std::string> cursor_held;  ///< the chart in which the pointer drags the cursor line
  std::optional<Tip> tip;                  ///< of what the pointer rests on
  KeyFocus keys;
  std::set<std::string> pointed_series;  ///< ids of those that stand out; empty: none does
};

}  // namespace ui
