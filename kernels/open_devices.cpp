#include "kernels/backends.hpp"
#include "kernels/device.hpp"

namespace kernels {

Devices open_devices() {
  Devices devices;
  open_cuda(devices);
  devices.usable.push_back(open_cpu());
  return devices;
}

}  // namespace kernels
