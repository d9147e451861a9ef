#include "engine/roofs/roof_facts.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "kernels/units.hpp"

namespace engine {
namespace {

/// How the rate of a roof follows from another's of the datasheet.
struct Rule {
  std::string_view ending;  ///< of the roof's name
  std::string_view other;   ///< instead of it: the name in the datasheet
  double share = 1;
  std::string_view note{};
  bool gpu_only = false;
};

constexpr std::array<Rule, 4> rules{{
    {" library", " matrix"},
    {" library", " FMA"},  // of a dtype without matrix units, as fp32
    {" mma.sync", " matrix", 1, "the peak of the units, by any instruction: ", false},
    // Many CPUs add on ports of their own, beside those that multiply: no half there.
    {" mul+add", " FMA", 0.5, "half of the FMA peak, one FLOP per instruction: ", true},
}};

}  // namespace

std::string_view stated_title(const kernels::DeviceInfo& device) {
  return device.kind == "cpu" ? "theoretical" : "datasheet";
}

std::string rate_text(double rate, RoofKind kind, bool integer) {
  if (!(rate > 0)) return "-";
  switch (kind) {
    case RoofKind::bandwidth:
      return units::bytes_per_second(rate);
    case RoofKind::compute:
      return units::flops_per_second(rate, integer);
    case RoofKind::overhead:
      break;
  }
  return units::seconds(1 / rate);
}

std::string rate_text(const Roof& roof, double rate) {
  return rate_text(rate, roof.kind, roof.dtype && kernels::info_of(*roof.dtype).integer);
}

std::string rate_text(const Roof& roof) { return rate_text(roof, roof.rate); }

Stated stated_for(const Session& session, const std::string& roof) {
  constexpr std::string_view on_zeros = ", zeros";
  const std::string name =
      roof.ends_with(on_zeros) ? roof.substr(0, roof.size() - on_zeros.size()) : roof;
  const auto stated = [&](std::string_view one) {
    return roof_named(session.roofs, one, RoofSource::datasheet);
  };
  if (const Roof* same = stated(name)) return {same->rate, same->cite};
  if (name.starts_with("DRAM ")) {
    const Roof* memory = bandwidth_roof(session, RoofSource::datasheet);
    return memory != nullptr ? Stated{memory->rate, memory->cite} : Stated{};
  }
  for (const Rule& rule : rules) {
    if (!name.ends_with(rule.ending) || (rule.gpu_only && session.device.kind != "cuda")) continue;
    const std::string dtype = name.substr(0, name.size() - rule.ending.size());
    const Roof* other = stated(dtype + std::string(rule.other));
    if (other == nullptr) continue;
    return {rule.share * other->rate, std::string(rule.note) + other->cite};
  }
  return {};
}

std::string_view core_word(const kernels::DeviceInfo& device) {
  return device.kind == "cuda" ? "SM" : "core";
}

std::string per_clock_title(const kernels::DeviceInfo& device) {
  return fmt::format("per clk/{}", core_word(device));
}

std::string per_clock_text(const kernels::DeviceInfo& device, const Roof& roof) {
  const double clock = roof.conditions.clock_hz.value_or(0);
  if (roof.kind == RoofKind::overhead || !(clock > 0) || device.multiprocessors <= 0) return "";
  const bool integer = roof.dtype && kernels::info_of(*roof.dtype).integer;
  const char* what = roof.kind == RoofKind::bandwidth ? "B" : integer ? "OP" : "FLOP";
  return fmt::format("{} {}", units::number(roof.rate / clock / device.multiprocessors, 3), what);
}

}  // namespace engine
