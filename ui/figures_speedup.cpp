// How many times faster: fused against unfused, matrix against vector units, one session against
// another. Only the same case is compared: dtype, op, repeat, elements, data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/units.hpp"
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
  std::string id;
  plot::Marker marker;
};

/// The same case but for what is compared, the repeat, and the kernel shape, which every fusion and
/// unit chooses for itself.
bool comparable(Case a, const Case& b) {
  a.fusion = b.fusion;
  a.units = b.units;
  a.shape = b.shape;
  a.repeat = b.repeat;
  return a == b;
}

/// The interval of a quotient: the ends that lie farthest apart.
void add_ratio(plot::Points& points, const Point& slow, const Point& fast) {
  const auto& a = slow.seconds;
  const auto& b = fast.seconds;
  const bool interval = a.samples.size() > 1 && b.samples.size() > 1 && b.low > 0;
  points.y.push_back(a.median / b.median);
  points.low.push_back(interval ? a.low / b.high : NAN);
  points.high.push_back(interval ? a.high / b.low : NAN);
  points.flagged.push_back(is_flagged(slow) || is_flagged(fast));
}

plot::Series series_of(const Pair& pair, XAxis axis) {
  plot::Series series;
  series.name = pair.name;
  series.id = pair.id;
  series.colour = colour_of(pair.fast.what.dtype);
  series.marker = pair.marker;
  series.filled = pair.fast.what.units == kernels::Units::matrix;
  series.core = core_of(pair.fast);
  series.dash = dash_of(pair.fast);
  const auto repeat = [](const Point* point) { return point->what.repeat; };
  plot::Points points;
  for (const Point* fast : pair.fast.points) {
    const auto slow = std::ranges::lower_bound(pair.slow.points, fast->what.repeat, {}, repeat);
    if (slow == pair.slow.points.end() || repeat(*slow) != fast->what.repeat) continue;
    points.x.push_back(x_of(Panel::speedup, axis, fast->what, fast->work));
    add_ratio(points, **slow, *fast);
  }
  series.points = std::move(points);
  return series;
}

/// What tells a line from others of its dtype, fusion and kernel: " zeros, 64 Mi elements".
std::string rest_of_name(const Group& group) {
  const std::string short_name = series_name(*group.points.front());
  const bool zeros = group.what.data == kernels::Data::zeros;
  return (zeros ? " zeros" : "") + group.name.substr(short_name.size());
}

/// Of sessions of one device the later ones say which they are.
std::string session_suffix(const Sessions& sessions, const Group& group) {
  const auto first = std::ranges::find_if(sessions, [&](const engine::Session* session) {
    return session->device.name == group.session->device.name;
  });
  if (*first == group.session) return {};
  return ", " + session_name(sessions, group.session, {*first});
}

/// Within one session: what fusing and matrix units bring.
std::optional<Pair> within(const Sessions& sessions, const Group& slow, const Group& fast) {
  using kernels::Fusion;
  using kernels::Units;
  const Case& a = slow.what;
  const Case& b = fast.what;
  const bool fusion =
      a.fusion == Fusion::unfused && b.fusion == Fusion::fused && a.units == b.units;
  const bool units = a.units == Units::vector && b.units == Units::matrix && a.fusion == b.fusion;
  if (!fusion && !units) return std::nullopt;
  const std::string_view dtype = name_of(b.dtype);
  std::string rest = rest_of_name(fast);
  // Where lines of several sessions would share a name, it says the session already.
  if (const std::string suffix = session_suffix(sessions, fast); !rest.ends_with(suffix))
    rest += suffix;
  const std::string id = slow.id + " / " + fast.id + session_suffix(sessions, fast);
  if (fusion) {
    return Pair{slow, fast, fmt::format("{}{}: fused over unfused{}", dtype, kernel_word(b), rest),
                id, plot::Marker::circle};
  }
  return Pair{slow, fast,
              fmt::format("{} {}: matrix over vector{}", dtype, name_of(b.fusion), rest), id,
              plot::Marker::triangle};
}

/// Between two sessions: how much faster the first one is.
std::optional<Pair> between(const Sessions& sessions, const Group& other, const Group& first) {
  if (other.what.fusion != first.what.fusion || other.what.units != first.what.units) {
    return std::nullopt;
  }
  const std::string own = session_name(sessions, first.session, {other.session});
  const std::string theirs = session_name(sessions, other.session, {first.session});
  std::string line = first.name;
  // The line's name says its session already.
  if (const std::string said = ", " + session_name(sessions, first.session, sessions);
      line.ends_with(said)) {
    line.resize(line.size() - said.size());
  }
  const auto place = std::ranges::find(sessions, other.session) - sessions.begin();
  return Pair{
      other, first, fmt::format("{}: {} over {}", line, own, theirs),
      fmt::format("{} / {} of session {}", first.id, other.id, place + 1),
      first.what.fusion == kernels::Fusion::fused ? plot::Marker::diamond : plot::Marker::square};
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

std::string factor_text(double factor) { return units::number(factor, 3) + "x"; }

plot::Mark best_of(const plot::Series& series) {
  const plot::Points& points = *series.points;
  const auto best = std::ranges::max_element(points.y);
  plot::Mark mark;
  mark.x = points.x[static_cast<std::size_t>(best - points.y.begin())];
  mark.y = *best;
  mark.label = "at best " + factor_text(*best);
  mark.kind = plot::Mark::Kind::best;
  mark.colour = series.colour;
  return mark;
}

void add(std::vector<MeasuredLine>& lines, const std::optional<Pair>& pair, XAxis axis) {
  if (!pair) return;
  MeasuredLine line;
  line.series = series_of(*pair, axis);
  if (line.series.points->x.empty()) return;
  line.note = best_of(line.series);
  line.cases = {pair->slow.what, pair->fast.what};
  lines.push_back(std::move(line));
}

}  // namespace

std::vector<MeasuredLine> speedups_of(const Measured& measured, XAxis axis) {
  std::vector<MeasuredLine> lines;
  Sessions sessions;
  for (const ShownSession& shown : measured.sessions) sessions.push_back(shown.session);
  const std::vector<const Group*> latest = newest_of_each(measured.groups);
  for (const Group* slow : latest) {
    for (const Group* fast : latest) {
      if (!comparable(slow->what, fast->what)) continue;
      if (slow->session == fast->session) {
        add(lines, within(sessions, *slow, *fast), axis);
      } else if (fast->session == sessions.front()) {
        add(lines, between(sessions, *slow, *fast), axis);
      }
    }
  }
  return lines;
}

void add_factors_at(plot::Figure& figure, const std::vector<MeasuredLine>& lines,
                    const View& view) {
  // Against FLOP/byte an unfused case stands where all its repeats do.
  const bool told_apart =
      view.x != XAxis::intensity || view.cursor->fusion == kernels::Fusion::fused;
  if (!told_apart) return;
  const double x = figure.cursor->x;
  std::map<std::string, int> lines_of;  // by subject, "fp32" of "fp32: fused over unfused"
  const auto subject = [](const plot::Series& series) {
    return series.name.substr(0, series.name.find(':'));
  };
  int seen = 0;
  for (const plot::Series& series : figure.series) {
    if (!is_noted(series)) continue;
    ++lines_of[subject(series)];
    ++seen;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const plot::Series& series = figure.series[i];
    const plot::Points& points = *series.points;
    const Case& fast = lines[i].cases.back();
    if (!is_noted(series)) continue;
    if (view.x == XAxis::intensity && fast.fusion == kernels::Fusion::unfused) continue;
    const auto found =
        std::ranges::find_if(points.x, [x](double own) { return std::abs(own - x) <= 1e-9 * x; });
    if (found == points.x.end()) continue;
    const double factor = points.y[static_cast<std::size_t>(found - points.x.begin())];
    // Beside others a value says whose it is; a dot that cannot has none.
    std::string label = factor_text(factor);
    if (seen > 1)
      label = lines_of[subject(series)] > 1 ? "" : fmt::format("{} {}", subject(series), label);
    figure.marks.push_back({x, factor, std::move(label), plot::Mark::Kind::probe});
  }
}

}  // namespace ui
