// `ridgepoint devices`: every device it can measure, what each can run, and why others cannot be
// measured.
#pragma once

#include <string>

#include "app/cli/exit_codes.hpp"
#include "app/output/output.hpp"
#include "kernels/device.hpp"

namespace app {

/// Throws Failure when standard output cannot be written.
Exit devices_command(bool json, Output&);

/// One device for people: facts, then a table of what runs, with numbered reasons and notes.
std::string device_text(const kernels::DeviceInfo&, std::span<const kernels::Kernel>,
                        double free_bytes);

/// The same as one JSON object (text), SI units; unknown facts are null.
std::string devices_json(const kernels::Devices&);

}  // namespace app
