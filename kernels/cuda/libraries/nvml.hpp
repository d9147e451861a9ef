// Clocks, power, temperature, throttle reasons and the load of others from NVIDIA's management
// library, found at run time: neither its header nor the library is on every machine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/libraries/gpm.hpp"
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

  /// The state of the device now, which takes 5 to 20 ms (an H200). Power is the average of the
  /// last 0.2 s or more where the device counts energy and was asked not long before, else that of
  /// now; `other_load` is of the time since the last call. The note has what lowers the clock, and
  /// a sentence for what is absent. Of one thread.
  Conditions conditions();
  /// The clock of the multiprocessors now, Hz; one short call.
  std::optional<double> clock() const;
  /// What changes slowly: power as NVML averages it, temperature, the clock of the memory, and what
  /// lowers that of the multiprocessors.
  Conditions slow_conditions() const;
  /// Bytes of device memory that nobody uses; nothing where NVML does not tell.
  std::optional<double> free_bytes() const;
  /// Version of the kernel driver, "580.82.07"; empty when unknown.
  std::string driver_version() const;
  /// fp32 cores of the whole GPU, and bytes of its memory, even where CUDA sees a slice of it; 0
  /// where NVML does not tell.
  int all_cores() const;
  double all_memory_bytes() const;
  /// Byte/s that the PCIe link between this device and this machine can move each way, of the data
  /// of a link at its best; 0 where NVML does not tell.
  double link_rate() const;
  /// The share of the last moments in which any kernel ran (GPU-Util); nothing where NVML does not
  /// tell.
  std::optional<double> any_kernel() const;
  /// Bytes of device memory of each process that computes, as far as this user may see them, by
  /// counted::memory_of(); 0 where NVML does not tell.
  std::vector<Value> memory_of_processes() const;
  /// The index that NVML and its tools have for it; nothing where NVML does not tell.
  std::optional<int> index() const;
  /// Its counters. Throws Unsupported with why there are none.
  std::unique_ptr<Gpm> counters() const;
  /// The path of the file that was loaded; empty without one.
  const std::string& file() const { return library_.file(); }

 private:
  /// What a function tells of the device; nothing where there is none of either, or it refuses.
  template <class Value>
  std::optional<Value> told(const char* name) const {
    Value value{};
    const auto function = library_.function<nvml::Tells<Value>>(name);
    if (device_ == nullptr || function == nullptr || function(device_, &value) != nvml::success)
      return std::nullopt;
    return value;
  }

  /// The same as a number, in units of `unit`.
  template <class Value>
  std::optional<double> told(const char* name, double unit) const {
    const std::optional<Value> value = told<Value>(name);
    return value ? std::optional(static_cast<double>(*value) * unit) : std::nullopt;
  }

  std::string connect(const std::string& pci_bus_id);
  /// What changes slowly, without power.
  void add_slow(Conditions&) const;
  std::optional<double> average_power();
  std::optional<double> power();
  std::optional<double> power_usage() const;
  std::optional<std::vector<nvml::ProcessSampleOfNow>> samples_since(unsigned long long) const;
  std::vector<nvml::ProcessSampleOfNow> older_samples_since(unsigned long long) const;
  std::optional<double> other_load();
  std::vector<nvml::Process> running() const;
  std::string others() const;

  SharedLibrary library_;
  bool started_ = false;
  void* device_ = nullptr;
  std::string silence_;   // why it tells nothing; empty when it does
  double energy_at_ = 0;  // when energy_before_ was read
  std::optional<double> energy_before_;
  std::optional<double> average_power_;
  std::optional<double> last_load_;
  double last_load_at_ = 0;
  unsigned long long last_sample_ = 0;  // time stamp of the newest one that was seen
};

/// What a set of reasons for lower clocks (nvmlClocksEventReasons) says: a power limit is the
/// normal state under heavy load; heat, a power brake and a failing supply throttle. The note has
/// the words.
Conditions clock_reasons(unsigned long long reasons);

}  // namespace kernels::cuda
