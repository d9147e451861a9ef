// Clocks, power, temperature, throttle reasons and the load of others from NVIDIA's management
// library, found at run time: neither its header nor the library is on every machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/libraries/nvml_calls.hpp"
#include "kernels/cuda/libraries/shared_library.hpp"
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

  /// Begins the time that the power and `other_load` of conditions() cover.
  void watch();
  /// Power is the average since watch() where the device counts energy, else that of now. The note
  /// has the throttle reasons, and a sentence for what is absent.
  Conditions conditions() const;
  /// Bytes of device memory that nobody uses; nothing where NVML does not tell.
  std::optional<double> free_bytes() const;
  /// Version of the kernel driver, "580.82.07"; empty when unknown.
  std::string driver_version() const;
  /// fp32 cores of the whole GPU, and bytes of its memory, even where CUDA sees a slice of it; 0
  /// where NVML does not tell.
  int all_cores() const;
  double all_memory_bytes() const;
  /// The path of the file that was loaded; empty without one.
  const std::string& file() const { return library_.file(); }

 private:
  std::string connect(const std::string& pci_bus_id);
  std::optional<double> energy() const;
  std::optional<double> power() const;
  std::optional<unsigned long long> reasons() const;
  std::vector<nvml::ProcessSample> samples_since(unsigned long long time_stamp) const;
  unsigned long long newest_sample() const;
  std::optional<double> other_load() const;

  SharedLibrary library_;
  bool started_ = false;
  void* device_ = nullptr;
  std::string silence_;  // why it tells nothing; empty when it does
  double watched_since_ = 0;
  std::optional<double> energy_before_;
  unsigned long long last_sample_ = 0;  // time stamp of the newest sample before watch()
};

/// The words for a set of throttle reasons (nvmlClocksEventReasons); empty when none slows the
/// device.
std::string throttle_reasons(unsigned long long reasons);

}  // namespace kernels::cuda
