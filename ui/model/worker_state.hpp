// What is known of the devices and of what the worker does with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/worker/worker.hpp"

namespace ui {

/// What the worker does now.
struct Running {
  bool sweep = false;
  bool probe = false;
  bool by_user = false;            ///< the sweep was asked for; false: the window began with it
  std::uint64_t sweep_number = 0;  ///< as the worker counts what it is asked for
  std::uint64_t probe_number = 0;
  std::string device;        ///< id of the device that is swept
  std::string lab;           ///< the lab whose sweep it is, or was last
  std::string probe_device;  ///< id of the device that is probed
  engine::Progress progress{};

  bool any() const { return sweep || probe; }
  /// The roofs of this device are being measured.
  bool measures_roofs_of(const std::string& id) const {
    return sweep && device == id && engine::measures_roofs(lab);
  }
  /// Id of the device that is busy: the sweep's, else the probe's.
  const std::string& busy_device() const { return sweep ? device : probe_device; }
};

inline constexpr double rest_before_probe =
    0.1;  ///< s that the slider rests before its point is measured
inline constexpr double rest_before_restart =
    0.3;  ///< s after a change before a running sweep starts again

/// All labs, one after the other.
struct Tour {
  std::vector<const engine::Lab*> waiting;  ///< those that are still to run, the next one last
  std::size_t labs = 0;                     ///< of the whole tour; 0: there is none
};

struct WorkerState {
  bool looking = true;          ///< devices are still being opened
  bool run_when_ready = false;  ///< start the sweep as soon as a device is known
  std::vector<engine::Place> devices;
  std::vector<kernels::Unavailable> unavailable;
  Running running;
  Tour tour;
  std::optional<double> probe_due;    ///< when the slider will have rested
  std::optional<double> restart_due;  ///< when a changed sweep starts again
};

}  // namespace ui
