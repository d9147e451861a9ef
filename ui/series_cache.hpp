// What the panels show of measured points, kept until the points change: a session that stays as
// it is costs nothing, however many points it has.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ui/figures_parts.hpp"

namespace ui {

/// A session as it is now: equal ones are at the same place, with the same points, and have not
/// changed.
struct Seen {
  Seen(const engine::Session* seen, std::uint64_t its_version)
      : session(seen), version(its_version), points(seen->points.data()) {}

  const engine::Session* session;
  std::uint64_t version;
  const engine::Point* points;  ///< a copy has the version of what it is a copy of
  bool operator==(const Seen&) const = default;
};

/// What it returns is valid until the next call with other sessions.
class SeriesCache {
 public:
  /// What all panels show of these sessions.
  const Measured& measured(const std::vector<Seen>&);
  /// The same as one panel shows it; not for `levels`.
  const std::vector<MeasuredLine>& lines(const std::vector<Seen>&, Panel, XAxis);

 private:
  using Axes = std::pair<Panel, XAxis>;
  using Lines = std::map<Axes, std::vector<MeasuredLine>>;
  /// One session by itself.
  struct Entry {
    Seen seen;
    MeasuredPoints points;
    Lines lines;   // of points.groups
    Lines before;  // of the session as it was last
  };

  std::unique_ptr<Entry> entry_of(const Seen&);
  static const std::vector<MeasuredLine>& lines_of(Entry&, Axes);
  std::vector<MeasuredLine> told_apart(Axes) const;

  std::vector<Seen> seen_;
  std::vector<std::unique_ptr<Entry>> entries_;  // of each session seen; measured_ points into them
  Measured measured_;
  Lines lines_;   // of measured_.groups, or of pairs of them
  Lines before_;  // of the sessions as they were last
};

/// figure_of() with what is kept of its sessions.
plot::Figure figure_of(const std::vector<Seen>&, Panel, const View&, SeriesCache&);

}  // namespace ui
