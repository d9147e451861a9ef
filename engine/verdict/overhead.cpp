#include "engine/verdict/overhead.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Launched;

Launched other_way(Launched launched) {
  if (launched == Launched::graph) return Launched::stream;
  return launched == Launched::stream ? Launched::graph : Launched::unknown;
}

// Every GPU that can launch graphs moves them in less than a tenth of a launch.
constexpr double few_bytes = 64 * 1024;

/// Each launch of a point, s.
double launch_seconds(const Point& point) {
  return point.seconds.median / std::max(point.work.launches, 1.0);
}

/// Whether a launch of a chain has so little to do that its time is overhead.
bool is_brief(const Point& point) {
  constexpr std::uint64_t few_ops = 4;  // one after the other: some ten clocks
  const bool few = point.what.fusion == kernels::Fusion::unfused || point.what.repeat <= few_ops;
  return point.what.family == kernels::Family::chain && few &&
         point.work.bytes <= few_bytes * std::max(point.work.launches, 1.0);
}

/// The shortest brief launch of the kernel of a case; null: none, as of all that is no chain.
const Point* shortest_launch(const Session& session, const kernels::Case& what, Launched launched) {
  const auto kernel = [](const kernels::Case& one) {
    return std::tie(one.family, one.ops, one.dtype, one.units, one.by);
  };
  const Point* shortest = nullptr;
  for (const Point& other : session.points) {
    if (other.status != Status::ok || kernel(other.what) != kernel(what) || !is_brief(other) ||
        launched_of(session, other) != launched)
      continue;
    if (shortest == nullptr || launch_seconds(other) < launch_seconds(*shortest)) shortest = &other;
  }
  return shortest;
}

}  // namespace

Overhead overhead_of(const Session& session, const kernels::Case& what, Launched launched) {
  Overhead overhead;
  overhead.launched = launched;
  overhead.adds = launched == Launched::graph || session.device.kind == "cpu";
  const Roof* roof = overhead_roof(session, what, launched);
  if (roof != nullptr) overhead.kernel_at = "its smallest size";
  if (roof == nullptr) roof = launch_roof(session, launched);
  if (roof == nullptr || !(roof->rate > 0)) {
    // Older sessions did not measure what a graph launches in.
    const Point* shortest =
        launched == Launched::graph ? shortest_launch(session, what, launched) : nullptr;
    if (shortest == nullptr) return overhead;
    overhead.seconds = launch_seconds(*shortest);
    overhead.kernel_at = fmt::format("{} elements", shortest->what.elements);
    return overhead;
  }
  overhead.seconds = 1 / roof->rate;
  overhead.roof = roof->name;
  overhead.flag = flag_of(*roof);
  return overhead;
}

Overhead overhead_of(const Session& session, const Point& point) {
  return overhead_of(session, point.what, launched_of(session, point));
}

Launched usual_launch(const kernels::DeviceInfo& device, const kernels::Case& what,
                      double seconds) {
  if (device.kind == "cpu") return Launched::threads;
  if (device.kind != "cuda") return Launched::unknown;
  const bool graph = what.by != kernels::By::library && seconds < kernels::short_launch;
  return graph ? Launched::graph : Launched::stream;
}

std::string_view launched_in_words(Launched launched) {
  constexpr std::array<std::string_view, 4> words{"", "on all threads", "in a stream",
                                                  "in a CUDA graph"};
  return words.at(static_cast<std::size_t>(launched));
}

double other_way_seconds(const Session& session, const kernels::Case& what, Launched launched) {
  const Launched other = other_way(launched);
  return other == Launched::unknown ? 0 : overhead_of(session, what, other).seconds;
}

std::string overhead_in_words(const Session& session, const kernels::Case& what,
                              const kernels::Work& work, const Overhead& overhead) {
  if (overhead.seconds <= 0) return "";
  const std::string seconds = units::seconds(overhead.seconds);
  std::string text = fmt::format("An empty kernel takes {}", seconds);
  if (!overhead.kernel_at.empty()) {
    const std::string whose =
        work.launches > 1 ? fmt::format("Each of its {} launches", work.launches) : "This kernel";
    text = fmt::format("{} takes {} at {}", whose, seconds, overhead.kernel_at);
  }
  if (const std::string_view how = launched_in_words(overhead.launched); !how.empty())
    text += fmt::format(", launched {}", how);
  if (const double other = other_way_seconds(session, what, overhead.launched); other > 0) {
    text += fmt::format("; {} a launch costs {}", launched_in_words(other_way(overhead.launched)),
                        units::seconds(other));
  }
  return text + ".";
}

}  // namespace engine
