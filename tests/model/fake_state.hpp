// A window's state on fake devices, and events as a worker would send them.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/engine/fake_device.hpp"
#include "ui/actions/events.hpp"
#include "ui/actions/intents.hpp"

namespace fake {

inline engine::Place summary(const std::string& id) {
  const Device device(Script{}, id);
  const auto rows = device.kernels();
  return {device.info(), {rows.begin(), rows.end()}, device.free_bytes()};
}

/// The state once these devices are open.
inline ui::AppState opened(const std::vector<std::string>& ids = {"cpu"}) {
  ui::AppState state = ui::new_state();
  engine::DevicesOpened event;
  for (const std::string& id : ids) event.usable.push_back(summary(id));
  ui::apply(state, event);
  return state;
}

/// A measured point at the fake's roofs.
inline engine::Point point(std::uint64_t repeat, kernels::Fusion fusion = kernels::Fusion::fused) {
  engine::Point measured;
  measured.what.fusion = fusion;
  measured.what.elements = 1 << 20;
  measured.what.repeat = repeat;
  measured.work = kernels::work_of(measured.what);
  const double seconds = ideal_seconds(measured.what);
  measured.seconds = {seconds, seconds * 0.99, seconds * 1.01, {seconds}, {}};
  return measured;
}

/// Gives the state measured roofs and points of `repeats` on its device.
inline void measure(ui::AppState& state, const std::vector<std::uint64_t>& repeats) {
  const std::string device = state.spec.device;
  for (const engine::Roof& roof : roofs()) ui::apply(state, engine::RoofMeasured{1, device, roof});
  for (const std::uint64_t repeat : repeats) {
    ui::apply(state, engine::PointMeasured{1, device, point(repeat)});
  }
}

/// The commands of one kind, taken out of the state.
template <class Kind>
std::vector<Kind> take(ui::AppState& state) {
  std::vector<Kind> found;
  for (ui::Command& command : std::exchange(state.commands, {})) {
    if (auto* one = std::get_if<Kind>(&command)) found.push_back(std::move(*one));
  }
  return found;
}

/// A folder that goes away with everything in it.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ridgepoint-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path path;
};

}  // namespace fake
