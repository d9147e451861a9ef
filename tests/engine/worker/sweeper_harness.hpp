// A sweeper on a fake machine, and how tests wait for its events.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "engine/worker/sweeper.hpp"
#include "tests/engine/fake_device.hpp"

namespace fake {

/// Far beyond what any test needs: only a hang reaches it.
inline constexpr std::chrono::seconds hang{60};

class Harness {
 public:
  explicit Harness(Script script = {}, std::string id = "cpu")
      : sweeper(machine_with(with_clock(std::move(script)), std::move(id)), [] {}, clock.timing(),
                {}) {}

  /// A small sweep with all roofs known, so that only points are measured.
  static engine::SweepRequest request(std::vector<std::uint64_t> repeats = {1, 2, 4, 8}) {
    engine::SweepRequest request;
    request.spec.repeats = std::move(repeats);
    request.spec.elements = 1 << 20;
    request.known_roofs = roofs();
    return request;
  }
  /// As large as the memory roof: smaller ones are partly in cache.
  static engine::SweepRequest large_request(std::vector<std::uint64_t> repeats) {
    engine::SweepRequest large = request(std::move(repeats));
    large.spec.elements = 0;
    return large;
  }
  static engine::ProbeRequest probe_request(std::uint64_t repeat, std::uint64_t run = 0) {
    engine::ProbeRequest request;
    request.what.elements = 1 << 20;
    request.what.repeat = repeat;
    request.known_roofs = roofs();
    request.run = run;
    return request;
  }

  /// Takes events until the sweep or probe of this number has finished; all events so far are in
  /// `events`.
  engine::SweepFinished finish(std::uint64_t number) {
    while (true) {
      for (const auto& finished : all<engine::SweepFinished>()) {
        if (finished.sweep == number) return finished;
      }
      take();
    }
  }
  void take() {
    REQUIRE(sweeper.wait(hang));
    for (engine::Event& event : sweeper.drain()) events.push_back(std::move(event));
  }
  /// Takes events until there is one of this kind.
  template <typename Kind>
  Kind next() {
    while (all<Kind>().empty()) take();
    return all<Kind>().front();
  }

  void forget_points() {
    std::erase_if(events, [](const engine::Event& e) {
      return std::holds_alternative<engine::PointMeasured>(e);
    });
  }
  template <typename Kind>
  std::vector<Kind> all() const {
    std::vector<Kind> found;
    for (const engine::Event& event : events) {
      if (const auto* one = std::get_if<Kind>(&event)) found.push_back(*one);
    }
    return found;
  }
  /// As they were reported last, in the order in which they were reported first.
  std::vector<engine::Point> points() const {
    std::vector<engine::Point> found;
    for (const auto& event : all<engine::PointMeasured>()) {
      const auto same = std::ranges::find(found, event.point.id, &engine::Point::id);
      if (same == found.end() || same->probe != event.point.probe)
        found.push_back(event.point);
      else
        *same = event.point;
    }
    return found;
  }
  /// As it was reported each time.
  std::vector<engine::Roof> reports_of(const std::string& roof) const {
    std::vector<engine::Roof> found;
    for (const auto& measured : all<engine::RoofMeasured>())
      if (measured.roof.name == roof && measured.roof.source == engine::RoofSource::measured)
        found.push_back(measured.roof);
    REQUIRE_FALSE(found.empty());
    return found;
  }
  /// Each once, in the order in which they were reported first.
  std::vector<std::string> names_of_roofs() const {
    std::vector<std::string> names;
    for (const auto& measured : all<engine::RoofMeasured>()) {
      if (std::ranges::find(names, measured.roof.name) == names.end())
        names.push_back(measured.roof.name);
    }
    return names;
  }

  Clock clock;
  std::vector<engine::Event> events;
  engine::Sweeper sweeper;  // last member: its worker uses the rest

 private:
  Script with_clock(Script script) {
    script.clock = &clock;
    return script;
  }
};

}  // namespace fake
