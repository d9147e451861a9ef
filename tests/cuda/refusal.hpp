// Why a device does not prepare a case.
#pragma once

#include <string>

#include "kernels/device.hpp"

namespace tests {

/// Empty: it does.
inline std::string refusal(kernels::Device& device, const kernels::Case& c) {
  try {
    device.prepare(c, {});
  } catch (const kernels::Unsupported& reason) {
    return reason.what();
  }
  return "";
}

}  // namespace tests
