#include "ui/series_cache.hpp"

#include <algorithm>
#include <cstring>

namespace ui {
namespace {

/// Bit by bit: no error bar (NaN) is equal to no error bar.
template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool same_points(const plot::Points& a, const plot::Points& b) {
  return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.low, b.low) &&
         same_bits(a.high, b.high) && same_bits(a.flagged, b.flagged);
}

/// Points that came out as they were are those that were there: whoever keeps what was drawn of
/// them need not draw them again.
void share(std::vector<MeasuredLine>& lines, const std::vector<MeasuredLine>& before) {
  for (MeasuredLine& line : lines) {
    plot::Series& series = line.series;
    const auto same = std::ranges::find_if(before, [&](const MeasuredLine& old) {
      return old.series.id == series.id && same_points(*old.series.points, *series.points);
    });
    if (same != before.end()) series.points = same->series.points;
  }
}

std::vector<MeasuredLine> made_of(const std::vector<Group>& groups, Panel panel, XAxis axis) {
  std::vector<MeasuredLine> lines;
  for (const Group& group : groups) {
    MeasuredLine line{series_of(group),
                      attainable_line(group, panel, axis),
                      note_of(group, panel, axis),
                      {group.what}};
    line.series.points = points_of(group, panel, axis);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::unique_ptr<SeriesCache::Entry> SeriesCache::entry_of(const Seen& seen) {
  const auto kept = std::ranges::find_if(entries_, [&](const auto& entry) {
    return entry != nullptr && entry->seen.session == seen.session;
  });
  if (kept == entries_.end())
    return std::make_unique<Entry>(Entry{seen, measured_points(*seen.session), {}, {}});
  std::unique_ptr<Entry> entry = std::move(*kept);
  if (entry->seen == seen) return entry;
  Lines& before = entry->lines.empty() ? entry->before : entry->lines;
  return std::make_unique<Entry>(
      Entry{seen, measured_points(*seen.session), {}, std::move(before)});
}

const Measured& SeriesCache::measured(const std::vector<Seen>& sessions) {
  if (seen_ == sessions) return measured_;
  seen_ = sessions;
  std::vector<std::unique_ptr<Entry>> entries;
  for (const Seen& seen : sessions) entries.push_back(entry_of(seen));
  entries_ = std::move(entries);
  measured_.sessions.clear();
  for (const auto& entry : entries_)
    measured_.sessions.push_back({entry->seen.session, &entry->points});
  measured_.op = op_unit(measured_.sessions);
  measured_.groups = groups_of(measured_.sessions);
  if (!lines_.empty()) before_ = std::move(lines_);
  lines_.clear();
  return measured_;
}

const std::vector<MeasuredLine>& SeriesCache::lines_of(Entry& entry, Axes axes) {
  const auto [found, is_new] = entry.lines.try_emplace(axes);
  if (is_new) {
    found->second = made_of(entry.points.groups, axes.first, axes.second);
    if (const auto before = entry.before.find(axes); before != entry.before.end())
      share(found->second, before->second);
  }
  return found->second;
}

std::vector<MeasuredLine> SeriesCache::told_apart(Axes axes) const {
  std::vector<MeasuredLine> all;
  for (const auto& entry : entries_) {
    const std::vector<MeasuredLine>& own = lines_of(*entry, axes);
    all.insert(all.end(), own.begin(), own.end());
  }
  // The groups of all sessions come one session after the other, too.
  for (std::size_t i = 0; i < all.size(); ++i) {
    plot::SharedPoints points = all[i].series.points;
    all[i].series = series_of(measured_.groups[i]);
    all[i].series.points = std::move(points);
  }
  return all;
}

const std::vector<MeasuredLine>& SeriesCache::lines(const std::vector<Seen>& sessions, Panel panel,
                                                    XAxis axis) {
  measured(sessions);
  const Axes axes{panel, axis};
  const auto [found, is_new] = lines_.try_emplace(axes);
  if (!is_new) return found->second;
  if (panel == Panel::speedup) {
    found->second = speedups_of(measured_, axis);
    share(found->second, before_[axes]);
  } else {
    found->second = told_apart(axes);
  }
  return found->second;
}

}  // namespace ui
