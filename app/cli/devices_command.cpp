#include <fmt/format.h>

#include "app/cli/commands.hpp"

namespace app {

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
