// The points of a chart in lines, for figure, overlay and pointer. Points into sessions. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/charts/chart.hpp"
#include "engine/session/session.hpp"
#include "ui/figures/view.hpp"
#include "ui/plot/canvas.hpp"

namespace ui {

using Sessions = std::vector<const engine::Session*>;

/// The points of one session and run that belong to one line.
struct Group {
  const engine::Session* session = nullptr;
  kernels::Case what{};                        ///< of the first point
  std::string word{};                          ///< of the chart's label for series
  std::string line{};                          ///< the word, and elements where others differ
  std::string name{};                          ///< that, and the session where there are several
  std::string id{};                            ///< of View::hidden; does not depend on other groups
  bool earlier = false;                        ///< replaced by a newer run of its session
  std::size_t owner = 0;                       ///< index of its session in Plotted::sessions
  std::size_t place = 0;                       ///< of its session among those with points
  std::vector<const engine::Point*> points{};  ///< measured ones, ascending along the chart's axis
};

/// What a chart shows of one session.
struct SessionPoints {
  const engine::Session* session = nullptr;
  std::vector<Group> groups{};  ///< as if the session stood alone
  /// The newest probe of every case, newest last; of many, the newest dozen.
  std::vector<const engine::Point*> probes{};
  /// One case of each kind (family, op, dtype, units, whose kernel) in the groups, in the probes.
  std::vector<kernels::Case> kinds{}, probe_kinds{};
  /// All points of each run, for shares of a total.
  std::map<std::uint64_t, std::vector<const engine::Point*>> runs{};
};
SessionPoints points_of(const engine::Session&, const engine::Chart&);

/// A line of a figure: a group, or the quotient of two.
struct Line {
  plot::Series series;
  std::size_t group = 0;              ///< the faster one of two
  std::optional<std::size_t> slow{};  ///< the other one
  std::vector<bool> sure{};           ///< of quotients: whether both points are, see is_sure()
};

/// A chart filled with points.
struct Plotted {
  engine::Chart chart;   ///< over the x axis that the view asks for
  bool slanted = false;  ///< its roofs: it is a roofline, whatever x axis the view asks for
  View view;
  std::vector<SessionPoints> sessions{};
  std::vector<Group> groups{};  ///< of all sessions, told apart
  std::vector<Line> lines{};
  bool integer = false;  ///< arithmetic of integers is shown: what counts FLOP counts OP

  engine::Row row(const Group&, const engine::Point&) const;
  const Group& group_of(const Line& line) const { return groups[line.group]; }
};
Plotted plotted(const Sessions&, const engine::Chart&, const View&);

/// What is said in place of points that are not there.
std::string why_nothing(const Plotted&);

/// Where a point lies; nothing where it has no such value, over words and among quotients.
std::optional<plot::Vec> place_of(const engine::Chart&, const engine::Row&);
/// The same for a case that would take so long.
std::optional<plot::Vec> place_of(const engine::Chart&, const engine::Session&,
                                  const kernels::Case&, double seconds);

/// Its arithmetic is of integers: what counts FLOP counts OP.
bool is_integer(const kernels::Case&);
bool is_integer(const engine::Roof&);

}  // namespace ui
