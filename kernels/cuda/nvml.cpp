#include "kernels/cuda/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <optional>
#include <string_view>

namespace kernels::cuda {
namespace {

// From the NVML API reference: nvmlReturn_t 0 is success; nvmlDevice_t is a pointer.
using Init = int (*)();
using Handle = int (*)(const char* bus_id, void** device);
using DriverVersion = int (*)(char* text, unsigned length);
using ClockInfo = int (*)(void* device, int type, unsigned* megahertz);
using PowerUsage = int (*)(void* device, unsigned* milliwatts);
using Temperature = int (*)(void* device, int sensor, unsigned* celsius);
using Reasons = int (*)(void* device, unsigned long long* reasons);

constexpr int clock_of_multiprocessors = 1;  // NVML_CLOCK_SM
constexpr int clock_of_memory = 2;           // NVML_CLOCK_MEM
constexpr int sensor_of_gpu = 0;             // NVML_TEMPERATURE_GPU

template <class Function>
Function symbol(void* library, const char* name) {
  return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

struct Reason {
  unsigned long long bit;
  std::string_view words;
};
// nvmlClocksEventReasons that lower clocks below what the load asks for. Idle and clocks set by the
// user do not.
constexpr std::array<Reason, 6> slowdowns{{{0x4, "power cap"},
                                           {0x8, "hardware slowdown"},
                                           {0x10, "clocks held in step with another GPU"},
                                           {0x20, "thermal limit"},
                                           {0x40, "hardware thermal slowdown"},
                                           {0x80, "external power brake"}}};

std::optional<double> read(int (*function)(void*, int, unsigned*), void* device, int which,
                           double scale) {
  unsigned value = 0;
  if (function == nullptr || function(device, which, &value) != 0) return std::nullopt;
  return value * scale;
}

}  // namespace

std::string throttle_reasons(unsigned long long reasons) {
  std::string text;
  for (const Reason& reason : slowdowns) {
    if ((reasons & reason.bit) == 0) continue;
    text += text.empty() ? "clocks lowered: " : ", ";
    text += reason.words;
  }
  return text;
}

Nvml::Nvml(const std::string& pci_bus_id) : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
  const auto init = symbol<Init>(library_, "nvmlInit_v2");
  const auto handle = symbol<Handle>(library_, "nvmlDeviceGetHandleByPciBusId_v2");
  if (init == nullptr || handle == nullptr || init() != 0) {
    if (library_ != nullptr) dlclose(library_);
    library_ = nullptr;
    return;
  }
  if (handle(pci_bus_id.c_str(), &device_) != 0) device_ = nullptr;
}

Nvml::~Nvml() {
  if (library_ == nullptr) return;
  if (const auto shutdown = symbol<Init>(library_, "nvmlShutdown")) shutdown();
  dlclose(library_);
}

Conditions Nvml::conditions() const {
  Conditions now;
  if (device_ == nullptr) return now;
  const auto clock = symbol<ClockInfo>(library_, "nvmlDeviceGetClockInfo");
  now.clock_hz = read(clock, device_, clock_of_multiprocessors, 1e6);
  now.memory_clock_hz = read(clock, device_, clock_of_memory, 1e6);
  const auto temperature = symbol<Temperature>(library_, "nvmlDeviceGetTemperature");
  now.temperature_c = read(temperature, device_, sensor_of_gpu, 1);
  const auto power = symbol<PowerUsage>(library_, "nvmlDeviceGetPowerUsage");
  unsigned milliwatts = 0;
  if (power != nullptr && power(device_, &milliwatts) == 0) now.power_w = milliwatts * 1e-3;
  // The name since CUDA 12.2, and the one before.
  auto get_reasons = symbol<Reasons>(library_, "nvmlDeviceGetCurrentClocksEventReasons");
  if (get_reasons == nullptr) {
    get_reasons = symbol<Reasons>(library_, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  unsigned long long reasons = 0;
  if (get_reasons != nullptr && get_reasons(device_, &reasons) == 0) {
    now.note = throttle_reasons(reasons);
    now.throttled = !now.note.empty();
  }
  return now;
}

std::string Nvml::driver_version() const {
  const auto version = symbol<DriverVersion>(library_, "nvmlSystemGetDriverVersion");
  std::array<char, 96> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
  if (version == nullptr || version(text.data(), static_cast<unsigned>(text.size()) - 1) != 0) {
    return "";
  }
  return text.data();
}

}  // namespace kernels::cuda
