#include "ui/screen/window_readings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/watch/windows.hpp"
#include "kernels/counted.hpp"
#include "kernels/units.hpp"
#include "ui/screen/verdict_target.hpp"

namespace ui {

namespace counted = kernels::counted;

std::vector<Reading> window_readings(const engine::Session& session, const engine::Point& window) {
  const double begin = engine::value_of(window, engine::time_value);
  const auto percent = [](std::optional<double> share) {
    return share ? units::percent(*share) : std::string();
  };
  const kernels::Conditions& then = window.conditions;
  const engine::Busiest pipe = engine::busiest_pipe(window);
  const auto memory = engine::memory_share(session, window);
  const std::string bandwidth =
      window.work.bytes > 0 ? units::bytes_per_second(window.bytes_per_second()) : "";
  std::vector<Reading> rows{
      {"time", fmt::format("{:.1f} to {:.1f} s", begin, begin + window.seconds.median)},
      {"limit", engine::is_idle(window) ? "nothing ran" : std::string(limit_of(session, window))},
      {"achieved", window.work.flops > 0 ? units::flops_per_second(window.flops_per_second()) : ""},
      {"bandwidth", memory && !bandwidth.empty()
                        ? fmt::format("{}, {} of the roof", bandwidth, units::percent(*memory))
                        : bandwidth},
      {"intensity", window.work.flops > 0 && window.work.bytes > 0
                        ? units::intensity(window.work.intensity())
                        : ""},
      {session.device.kind == "cpu" ? "cores busy" : "SM busy",
       percent(engine::busy_share(window))},
      {"busiest units",
       pipe.share > 0 ? fmt::format("{}, {}", pipe.counted, units::percent(pipe.share)) : ""},
      {std::string(counted::any_kernel), percent(engine::told(window, counted::any_kernel))},
      {"clock", then.clock_hz ? units::hertz(*then.clock_hz) : ""},
      {"power", then.power_w
                    ? fmt::format("{:.0f} W{}", *then.power_w,
                                  then.power_limited.value_or(false) ? ", at its limit" : "")
                    : ""}};
  std::erase_if(rows, [](const Reading& row) { return row.value.empty(); });
  return rows;
}

std::vector<Reading> window_facts(const engine::Session& session, const engine::Point& window) {
  std::vector<Reading> facts = window_readings(session, window);
  for (Reading& fact : facts) fact.label = units::capitalised(fact.label);
  for (const kernels::Value& value : window.values) {
    const bool said = value.name == engine::time_value || value.name == counted::busy ||
                      value.name == counted::cores_busy || value.name == counted::any_kernel;
    if (said) continue;
    // Beside the share of the measured roof, which is less than the datasheet states.
    const std::string of =
        value.name == counted::dram && session.device.kind != "cpu" ? " of the datasheet" : "";
    facts.push_back({units::capitalised(value.name), engine::value_text(value) + of});
  }
  facts.push_back({"Source", window.source});
  return facts;
}

}  // namespace ui
