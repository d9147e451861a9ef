#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/commands.hpp"
#include "engine/roofs/roofs.hpp"
#include "engine/session/session_file.hpp"

namespace app {
namespace {

using nlohmann::json;

json text_or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json json_of(const kernels::Kernel& kernel) {
  return {{"kernel", kernels::name_of(kernel.family)}, {"op", kernels::name_of(kernel.op)},
          {"dtype", kernels::name_of(kernel.dtype)},   {"units", kernels::name_of(kernel.units)},
          {"by", kernels::name_of(kernel.by)},         {"runs", kernel.runs},
          {"algorithms", kernel.algorithms},           {"why_not", text_or_null(kernel.why_not)},
          {"note", text_or_null(kernel.note)}};
}

/// The session file's object of a device, with what only this command tells.
json json_of(const kernels::Device& device) {
  engine::Session bare;
  bare.device = device.info();
  json object = json::parse(engine::to_json(bare))["device"];
  object["free_bytes"] = device.free_bytes();
  object["kernels"] = json::array();
  for (const kernels::Kernel& kernel : device.kernels()) {
    object["kernels"].push_back(json_of(kernel));
  }
  return object;
}

/// Where the datasheets lie that roofs compare with; null when nowhere.
json assets() {
  try {
    return engine::assets_folder().string();
  } catch (const engine::BadInput&) {
    return nullptr;
  }
}

std::string devices_json(const kernels::Devices& devices) {
  json all = {{"devices", json::array()}, {"unavailable", json::array()}};
  for (const auto& device : devices.usable) all["devices"].push_back(json_of(*device));
  for (const kernels::Unavailable& gone : devices.unavailable) {
    all["unavailable"].push_back({{"id", gone.id}, {"why", gone.why}});
  }
  all["assets"] = assets();
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

Exit devices_command(bool json, Output& output) {
  const kernels::Devices devices = kernels::open_devices();
  if (json) {
    output.write(devices_json(devices));
  } else {
    for (const auto& device : devices.usable) {
      output.say(device_text(device->info(), device->kernels(), device->free_bytes()) + "\n");
    }
    for (const kernels::Unavailable& gone : devices.unavailable) {
      output.say(fmt::format("{}: cannot be measured: {}\n", gone.id, gone.why));
    }
  }
  return output.finish();
}

}  // namespace app
