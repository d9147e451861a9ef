// The runs of a session, and which points are whose.
#include <algorithm>
#include <utility>

#include "engine/session/session.hpp"

namespace engine {
namespace {

bool is_of(const Point& point, std::string_view lab) {
  return !point.probe && (lab.empty() || point.lab == lab);
}

}  // namespace

void add_run(Session& session, Run run) {
  const auto same = std::ranges::find(session.runs, run.number, &Run::number);
  if (same == session.runs.end()) {
    session.runs.push_back(std::move(run));
  } else {
    *same = std::move(run);
  }
}

const Run* run_of(const Session& session, std::uint64_t number) {
  const auto found = std::ranges::find(session.runs, number, &Run::number);
  return found == session.runs.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> newest_run(const Session& session, std::string_view lab) {
  std::optional<std::uint64_t> newest;
  for (const Point& point : session.points)
    if (is_of(point, lab)) newest = std::max(newest.value_or(0), point.run);
  return newest;
}

std::vector<const Point*> points_of(const Session& session, std::uint64_t run,
                                    std::string_view lab) {
  std::vector<const Point*> points;
  for (const Point& point : session.points)
    if (is_of(point, lab) && point.run == run) points.push_back(&point);
  return points;
}

}  // namespace engine
