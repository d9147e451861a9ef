// Clocks, power, temperature and throttle reasons from NVIDIA's management library, loaded at run
// time: neither its header nor the library is on every machine.
#pragma once

#include <string>

#include "kernels/device.hpp"

namespace kernels::cuda {

class Nvml {
 public:
  /// `pci_bus_id` as cudaDeviceGetPCIBusId gives it. Never throws: without the library, or where it
  /// does not know the device, everything is absent.
  explicit Nvml(const std::string& pci_bus_id);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  Conditions conditions() const;
  /// Version of the kernel driver, "580.82.07"; empty when unknown.
  std::string driver_version() const;

 private:
  void* library_ = nullptr;
  void* device_ = nullptr;
};

/// The words for a set of throttle reasons (nvmlClocksEventReasons); empty when none slows the
/// device.
std::string throttle_reasons(unsigned long long reasons);

}  // namespace kernels::cuda
