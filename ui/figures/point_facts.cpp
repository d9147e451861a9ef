#include "ui/figures/point_facts.hpp"

#include <fmt/format.h>

#include <array>

#include "engine/labs/lab.hpp"
#include "engine/roofs/roof_facts.hpp"
#include "engine/verdict/doubts.hpp"
#include "kernels/units.hpp"

namespace ui {
namespace {

/// One of the texts of each doubt, in a list.
std::string texts_of(const engine::Session& session, const engine::Point& point,
                     std::string engine::Doubt::*text) {
  std::string list;
  for (const engine::Doubt& doubt : doubts_of(session, point))
    list += (list.empty() ? "" : ", ") + doubt.*text;
  return list;
}

}  // namespace

bool in_sweep(const engine::Point& point) { return !engine::measures_roofs(point.lab); }

bool is_swept(const engine::Point& point) { return in_sweep(point) && !point.probe; }

double per_clock_per_core(double rate, const kernels::Conditions& conditions,
                          const kernels::DeviceInfo& device) {
  const double clock = conditions.clock_hz.value_or(0);
  return rate > 0 && clock > 0 && device.multiprocessors > 0 ? rate / clock / device.multiprocessors
                                                             : 0;
}

std::string per_clock_text(double rate, std::string_view what,
                           const kernels::Conditions& conditions,
                           const kernels::DeviceInfo& device) {
  const double value = per_clock_per_core(rate, conditions, device);
  return value > 0
             ? fmt::format("{} {}/clk/{}", units::number(value, 3), what, engine::core_word(device))
             : "";
}

std::string ops_text(std::uint64_t n) { return fmt::format("{} {}", n, n == 1 ? "op" : "ops"); }

std::string_view word_for(engine::Status status) {
  static constexpr std::array<std::string_view, 3> words{"measured", "skipped", "failed"};
  return words.at(static_cast<std::size_t>(status));
}

bool is_flagged(const engine::Session& session, const engine::Point& point) {
  return !doubts_of(session, point).empty();
}

std::string flags_of(const engine::Session& session, const engine::Point& point) {
  return texts_of(session, point, &engine::Doubt::reason);
}

std::string short_flags_of(const engine::Session& session, const engine::Point& point) {
  return texts_of(session, point, &engine::Doubt::word);
}

}  // namespace ui
