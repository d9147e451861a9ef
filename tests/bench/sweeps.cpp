#include "tests/bench/sweeps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace bench {

engine::Session sweep(engine::Sweeper& sweeper, const engine::SweepRequest& request) {
  const std::uint64_t number = sweeper.start(request);
  engine::Session session;
  session.device.id = request.spec.device;  // only the first sweep is told of the device
  session.roofs = request.known_roofs;
  while (true) {
    sweeper.wait(std::chrono::seconds(1));
    for (const engine::Event& event : sweeper.drain()) {
      engine::apply(session, event);
      if (const auto* opened = std::get_if<engine::DevicesOpened>(&event))
        session.device = opened->usable.back().info;
      if (const auto* warning = std::get_if<engine::Warning>(&event))
        fmt::print(stderr, "  {}\n", warning->text);
      const auto* finished = std::get_if<engine::SweepFinished>(&event);
      if (finished == nullptr || finished->sweep != number) continue;
      if (finished->end != engine::End::complete) throw std::runtime_error(finished->why);
      return session;
    }
  }
}

std::vector<const engine::Point*> points_of(const engine::Session& session) {
  std::vector<const engine::Point*> points;
  for (const engine::Point& point : session.points) {
    const bool measured = point.status == engine::Status::ok && !point.probe;
    if (measured && point.what.family == kernels::Family::chain) points.push_back(&point);
  }
  std::ranges::sort(points, {}, [](const engine::Point* point) { return point->what.repeat; });
  return points;
}

const engine::Roof& roof_of(const engine::Session& session, const std::string& name) {
  const auto roof = std::ranges::find_if(session.roofs, [&](const engine::Roof& one) {
    return one.name == name && one.source == engine::RoofSource::measured;
  });
  if (roof == session.roofs.end()) throw std::runtime_error("no roof " + name + " was measured");
  return *roof;
}

}  // namespace bench
