// How many times faster: fused against unfused, matrix against vector units, one session against
// another. Only the same case is compared: dtype, op, repeat, elements, data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/figures_parts.hpp"
#include "ui/point_facts.hpp"

namespace ui {
namespace {

using engine::Point;
using kernels::Case;

/// Two lines of the other panels and what the comparison is called.
struct Pair {
  const Group& slow;
  const Group& fast;
  std::string name;
  plot::Marker marker;
};

/// The same case but for the kernel shape, which every fusion and unit chooses for itself.
bool same_case(Case a, Case b) {
  a.shape = b.shape;
  return a == b;
}

Case with(Case what, kernels::Fusion fusion, kernels::Units units) {
  what.fusion = fusion;
  what.units = units;
  return what;
}

/// The interval of a quotient: the ends that lie farthest apart.
void add_ratio(plot::Series& series, const Point& slow, const Point& fast) {
  const auto& a = slow.seconds;
  const auto& b = fast.seconds;
  const bool interval = a.samples.size() > 1 && b.samples.size() > 1 && b.low > 0;
  series.y.push_back(a.median / b.median);
  series.low.push_back(interval ? a.low / b.high : NAN);
  series.high.push_back(interval ? a.high / b.low : NAN);
  series.flagged.push_back(!flags_of(slow).empty() || !flags_of(fast).empty());
}

plot::Series series_of(const Pair& pair, XAxis axis) {
  plot::Series series;
  series.name = pair.name;
  series.id = pair.name;
  series.colour = colour_of(pair.fast.what.dtype);
  series.marker = pair.marker;
  series.filled = pair.fast.what.units == kernels::Units::matrix;
  for (const Point* fast : pair.fast.points) {
    // Both of the fast one's fusion and units: what is left must be equal.
    const auto comparable = [&](const Point* slow) {
      return same_case(with(slow->what, fast->what.fusion, fast->what.units), fast->what);
    };
    const auto slow = std::ranges::find_if(pair.slow.points, comparable);
    if (slow == pair.slow.points.end()) continue;
    series.x.push_back(x_of(Panel::speedup, axis, fast->what, fast->work));
    add_ratio(series, **slow, *fast);
  }
  return series;
}

std::string dtype_name(const Group& group) { return std::string(name_of(group.what.dtype)); }

/// What tells a session from the first one: its device, else when it was made.
std::string session_name(const engine::Session& session, const engine::Session& first) {
  return session.device.name != first.device.name ? session.device.name
                                                  : date_text(session.created);
}

/// Within one session: what fusing and matrix units bring.
std::optional<Pair> within(const Group& slow, const Group& fast) {
  const Case& a = slow.what;
  const Case& b = fast.what;
  const bool fusion = a.fusion == kernels::Fusion::unfused && b.fusion == kernels::Fusion::fused &&
                      a.units == b.units;
  const bool units = a.units == kernels::Units::vector && b.units == kernels::Units::matrix &&
                     a.fusion == b.fusion;
  if (a.dtype != b.dtype || a.family != b.family) return std::nullopt;
  if (fusion) {
    const char* on = b.units == kernels::Units::matrix ? " matrix" : "";
    return Pair{slow, fast, fmt::format("{}{}: fused over unfused", dtype_name(fast), on),
                plot::Marker::circle};
  }
  if (!units) return std::nullopt;
  return Pair{slow, fast,
              fmt::format("{} {}: matrix over vector", dtype_name(fast), name_of(b.fusion)),
              plot::Marker::triangle};
}

/// Between two sessions: how much faster the first one is.
std::optional<Pair> between(const Group& other, const Group& first) {
  if (other.what.dtype != first.what.dtype || other.what.fusion != first.what.fusion ||
      other.what.units != first.what.units) {
    return std::nullopt;
  }
  const std::string line = series_name(*first.points.front());
  return Pair{other, first,
              fmt::format("{}: {} over {}", line, session_name(*first.session, *other.session),
                          session_name(*other.session, *first.session)),
              plot::Marker::diamond};
}

/// Of every line the newest run; runs ascend within a session.
std::vector<const Group*> newest_of_each(const std::vector<Group>& groups) {
  std::vector<const Group*> newest;
  for (const Group& group : groups) {
    std::erase_if(newest, [&](const Group* older) {
      return older->session == group.session && older->id == group.id;
    });
    newest.push_back(&group);
  }
  return newest;
}

void add(plot::Figure& figure, const std::optional<Pair>& pair, const View& view) {
  if (!pair) return;
  plot::Series series = series_of(*pair, view.x);
  if (series.x.empty()) return;
  series.hidden = view.hidden.contains(series.id);
  figure.series.push_back(std::move(series));
}

}  // namespace

void add_speedups(plot::Figure& figure, const Sessions& sessions, const View& view) {
  const std::vector<Group> groups = groups_of(sessions);
  const std::vector<const Group*> latest = newest_of_each(groups);
  for (const Group* slow : latest) {
    for (const Group* fast : latest) {
      if (slow->session == fast->session) {
        add(figure, within(*slow, *fast), view);
      } else if (fast->session == sessions.front()) {
        add(figure, between(*slow, *fast), view);
      }
    }
  }
  if (figure.series.empty()) return;
  plot::Roof even;
  even.label = "equal";
  even.thin = true;
  even.x = {1e-6, 1e9};
  even.y = {1, 1};
  figure.roofs.push_back(std::move(even));
}

}  // namespace ui
