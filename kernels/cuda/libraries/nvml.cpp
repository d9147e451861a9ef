#include "kernels/cuda/libraries/nvml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "kernels/counted.hpp"
#include "kernels/cuda/libraries/nvml_calls.hpp"
#include "kernels/cuda/runtime/host_time.hpp"

namespace kernels::cuda {
namespace {

// Energy counters step every 20 to 100 ms: over less their difference tells no power.
constexpr double shortest_average = 0.2;

// Longer without a reading, and an average covers what ran before.
constexpr double longest_average = 1;
// NVML makes samples of processes less often than it is read.
constexpr double load_lasts = 1;
// As many names tell who is on the GPU.
constexpr std::size_t most_names = 3;

struct Reason {
  unsigned long long bit;
  std::string_view words;
};
// nvmlClocksEventReasons that lower clocks below what the load asks for. Idle and clocks set by the
// user do not.
constexpr unsigned long long power_cap = 0x4;
constexpr std::array<Reason, 6> slowdowns{{{power_cap, "power limit"},
                                           {0x8, "hardware slowdown"},
                                           {0x10, "clocks synchronised with another GPU"},
                                           {0x20, "thermal limit"},
                                           {0x40, "hardware thermal slowdown"},
                                           {0x80, "external power brake"}}};

// Byte/s of a lane each way, by generation: PCI Express Base Specification. 8 of 10 bits carry data
// in the first two, 128 of 130 in the next three; 236 of 256 byte carry packets in the sixth.
constexpr std::array lane_rates{2.5e9 * 8 / 10 / 8,   5e9 * 8 / 10 / 8,     8e9 * 128 / 130 / 8,
                                16e9 * 128 / 130 / 8, 32e9 * 128 / 130 / 8, 64e9 * 236 / 256 / 8};

/// "python3 (process 4711)"; the number alone where the system does not tell the name.
std::string name_of_process(unsigned pid) {
  std::ifstream file(fmt::format("/proc/{}/comm", pid));
  std::string name;
  std::getline(file, name);
  return name.empty() ? fmt::format("process {}", pid) : fmt::format("{} (process {})", name, pid);
}

/// In a container, NVML gives the numbers that processes have on the host, which are others here.
bool in_first_pid_namespace() {
  std::error_code none;
  const auto link = std::filesystem::read_symlink("/proc/self/ns/pid", none);
  return link == "pid:[4026531836]";  // PROC_PID_INIT_INO of Linux, include/linux/proc_ns.h
}

std::optional<double> read(nvml::ClockInfo function, void* device, int which, double scale) {
  unsigned value = 0;
  if (function == nullptr || function(device, which, &value) != nvml::success) return std::nullopt;
  return value * scale;
}

// What of a device's answers is missing, in a sentence; empty when all are there.
std::string missing(const Conditions& now) {
  std::vector<std::string_view> names;
  const auto add = [&](bool there, std::string_view name) {
    if (!there) names.push_back(name);
  };
  add(now.clock_hz.has_value(), "SM clock");
  add(now.memory_clock_hz.has_value(), "memory clock");
  add(now.power_w.has_value(), "power");
  add(now.temperature_c.has_value(), "temperature");
  add(now.throttled.has_value(), "throttle reasons");
  return names.empty() ? "" : fmt::format("NVML does not report: {}", fmt::join(names, ", "));
}

}  // namespace

Conditions clock_reasons(unsigned long long reasons) {
  Conditions now;
  now.power_limited = (reasons & power_cap) != 0;
  now.throttled = false;
  for (const Reason& reason : slowdowns) {
    if ((reasons & reason.bit) == 0) continue;
    now.throttled = *now.throttled || reason.bit != power_cap;
    now.note += now.note.empty() ? "clocks lowered: " : ", ";
    now.note += reason.words;
  }
  return now;
}

Nvml::Nvml(const std::string& pci_bus_id)
    : library_({"libnvidia-ml.so.1"}), silence_(connect(pci_bus_id)) {}

Nvml::~Nvml() {
  if (!started_) return;
  if (const auto shutdown = library_.function<nvml::Init>("nvmlShutdown")) shutdown();
}

std::string Nvml::connect(const std::string& pci_bus_id) {
  constexpr std::string_view nothing = "no clocks, power, temperature or throttle reasons";
  if (!library_.is_open()) {
    return fmt::format(
        "NVML (libnvidia-ml.so.1) was not found: {}; install the driver's management library",
        nothing);
  }
  const auto words = library_.function<nvml::ErrorString>("nvmlErrorString");
  const auto refused = [&](nvml::Return code) {
    return fmt::format("NVML refuses ({}): {}",
                       words == nullptr ? fmt::format("error {}", code) : words(code), nothing);
  };
  const auto init = library_.function<nvml::Init>("nvmlInit_v2");
  const auto handle = library_.function<nvml::HandleByPciBusId>("nvmlDeviceGetHandleByPciBusId_v2");
  if (init == nullptr || handle == nullptr) {
    return fmt::format("NVML is too old: {}; update the driver", nothing);
  }
  if (const nvml::Return code = init(); code != nvml::success) return refused(code);
  started_ = true;
  if (const nvml::Return code = handle(pci_bus_id.c_str(), &device_); code != nvml::success) {
    device_ = nullptr;
    return refused(code);
  }
  return "";
}

Conditions Nvml::conditions() {
  Conditions now;
  now.note = silence_;
  if (device_ == nullptr) return now;
  add_slow(now);
  now.clock_hz = clock();
  now.power_w = power();
  if (const auto load = other_load()) {
    last_load_ = load;
    last_load_at_ = host_seconds();
  }
  if (host_seconds() - last_load_at_ < load_lasts) now.other_load = last_load_;
  now.others = others();
  const std::string absent = missing(now);
  if (!now.note.empty() && !absent.empty()) now.note += "; ";
  now.note += absent;
  return now;
}

std::optional<double> Nvml::clock() const {
  if (device_ == nullptr) return std::nullopt;
  return read(library_.function<nvml::ClockInfo>("nvmlDeviceGetClockInfo"), device_,
              nvml::clock_of_multiprocessors, 1e6);
}

Conditions Nvml::slow_conditions() const {
  Conditions now;
  if (device_ == nullptr) return now;
  add_slow(now);
  now.power_w = power_usage();
  return now;
}

void Nvml::add_slow(Conditions& now) const {
  // The name since CUDA 12.2; where that is missing or refuses, the one before.
  auto bits = told<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons");
  if (!bits) bits = told<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons");
  if (bits) now = clock_reasons(*bits);
  now.memory_clock_hz = read(library_.function<nvml::ClockInfo>("nvmlDeviceGetClockInfo"), device_,
                             nvml::clock_of_memory, 1e6);
  now.temperature_c = read(library_.function<nvml::Temperature>("nvmlDeviceGetTemperature"),
                           device_, nvml::sensor_of_gpu, 1);
}

std::optional<double> Nvml::free_bytes() const {
  const auto now = told<nvml::Memory>("nvmlDeviceGetMemoryInfo");
  return now ? std::optional(static_cast<double>(now->free)) : std::nullopt;
}

// Of the time since a reading at least so long ago; until the next one the same.
std::optional<double> Nvml::average_power() {
  const double now = host_seconds(), time = now - energy_at_;
  if (energy_before_ && time < shortest_average) return average_power_;
  const std::optional<double> after =
      told<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", 1e-3);
  average_power_.reset();
  if (energy_before_ && after && *after > *energy_before_ && time < longest_average)
    average_power_ = (*after - *energy_before_) / time;
  energy_before_ = after;
  energy_at_ = now;
  return average_power_;
}

std::optional<double> Nvml::power() {
  if (const auto average = average_power()) return average;
  return power_usage();
}

std::optional<double> Nvml::power_usage() const {
  return told<unsigned>("nvmlDeviceGetPowerUsage", 1e-3);
}

// The call since driver 545; nothing where there is none.
std::optional<std::vector<nvml::ProcessSampleOfNow>> Nvml::samples_since(
    unsigned long long time_stamp) const {
  const auto get =
      library_.function<nvml::ProcessesUtilization>("nvmlDeviceGetProcessesUtilizationInfo");
  if (get == nullptr) return std::nullopt;
  nvml::ProcessSamples request{nvml::process_samples_version, 0, time_stamp, nullptr};
  std::vector<nvml::ProcessSampleOfNow> samples;
  if (get(device_, &request) != nvml::insufficient_size) return samples;
  samples.resize(request.count);
  request.samples = samples.data();
  if (get(device_, &request) != nvml::success) return samples = {};
  samples.resize(std::min<std::size_t>(samples.size(), request.count));
  return samples;
}

// The call before it, which fails on Blackwell.
std::vector<nvml::ProcessSampleOfNow> Nvml::older_samples_since(
    unsigned long long time_stamp) const {
  const auto get = library_.function<nvml::ProcessUtilization>("nvmlDeviceGetProcessUtilization");
  unsigned count = 0;
  if (get == nullptr || get(device_, nullptr, &count, time_stamp) != nvml::insufficient_size) {
    return {};
  }
  std::vector<nvml::ProcessSample> samples(count);
  if (get(device_, samples.data(), &count, time_stamp) != nvml::success) return {};
  samples.resize(std::min<std::size_t>(samples.size(), count));
  std::vector<nvml::ProcessSampleOfNow> same;
  for (const nvml::ProcessSample& sample : samples) {
    same.push_back({.time_stamp = sample.time_stamp,
                    .pid = sample.pid,
                    .multiprocessors = sample.multiprocessors,
                    .memory = sample.memory,
                    .encoder = sample.encoder,
                    .decoder = sample.decoder,
                    .jpeg = 0,
                    .optical_flow = 0});
  }
  return same;
}

// The mean of each process, then their sum. In a container NVML tells the pids of the host: where
// this process is not among them, nobody can tell which load is ours.
std::optional<double> Nvml::other_load() {
  auto samples = samples_since(last_sample_);
  if (!samples) samples = older_samples_since(last_sample_);
  std::map<unsigned, std::pair<double, int>> by_process;
  for (const nvml::ProcessSampleOfNow& sample : *samples) {
    auto& [sum, count] = by_process[sample.pid];
    sum += sample.multiprocessors / 100.0;
    ++count;
    last_sample_ = std::max(last_sample_, sample.time_stamp);
  }
  const auto own = by_process.find(static_cast<unsigned>(getpid()));
  if (own == by_process.end()) return std::nullopt;
  by_process.erase(own);
  double load = 0;
  for (const auto& [pid, sum_and_count] : by_process) {
    load += sum_and_count.first / sum_and_count.second;
  }
  return std::min(load, 1.0);
}

std::vector<nvml::Process> Nvml::running() const {
  const auto get =
      library_.function<nvml::RunningProcesses>("nvmlDeviceGetComputeRunningProcesses_v3");
  unsigned count = 0;
  if (get == nullptr || get(device_, &count, nullptr) != nvml::insufficient_size) return {};
  std::vector<nvml::Process> running(count);
  if (get(device_, &count, running.data()) != nvml::success) return {};
  running.resize(std::min<std::size_t>(running.size(), count));
  return running;
}

std::vector<Value> Nvml::memory_of_processes() const {
  std::vector<Value> memory;
  if (device_ == nullptr) return memory;
  const bool names_are_ours = in_first_pid_namespace();
  double of_the_rest = 0;
  const std::vector<nvml::Process> all = running();
  for (const nvml::Process& one : all) {
    const bool told = one.used_memory != nvml::not_available;
    const double bytes = told ? static_cast<double>(one.used_memory) : 0;
    if (memory.size() == most_names) {
      of_the_rest += bytes;
      continue;
    }
    memory.push_back(
        {counted::memory_of(names_are_ours ? name_of_process(one.pid)
                                           : fmt::format("process {} of the host", one.pid)),
         bytes});
  }
  if (all.size() > most_names)
    memory.push_back({counted::memory_of(fmt::format("{} more processes", all.size() - most_names)),
                      of_the_rest});
  return memory;
}

// Where this process is not among them, the numbers are those of the host, and one may be ours.
std::string Nvml::others() const {
  std::vector<nvml::Process> running = this->running();
  if (std::erase_if(running, [own = static_cast<unsigned>(getpid())](const nvml::Process& one) {
        return one.pid == own;
      }) == 0)
    return "";
  std::vector<std::string> names;
  for (const nvml::Process& one : running) {
    if (names.size() < most_names) names.push_back(name_of_process(one.pid));
  }
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (running.size() > names.size())
    text += fmt::format(" and {} more", running.size() - names.size());
  return text;
}

int Nvml::all_cores() const {
  return static_cast<int>(told<unsigned>("nvmlDeviceGetNumGpuCores").value_or(0));
}

double Nvml::all_memory_bytes() const {
  const auto now = told<nvml::Memory>("nvmlDeviceGetMemoryInfo");
  return now ? static_cast<double>(now->total) : 0;
}

double Nvml::link_rate() const {
  const auto generation = told<unsigned>("nvmlDeviceGetMaxPcieLinkGeneration");
  const auto lanes = told<unsigned>("nvmlDeviceGetMaxPcieLinkWidth");
  const bool known = generation && lanes && *generation >= 1 && *generation <= lane_rates.size();
  return known ? lane_rates[*generation - 1] * *lanes : 0;
}

std::optional<double> Nvml::any_kernel() const {
  const auto now = told<nvml::Utilization>("nvmlDeviceGetUtilizationRates");
  return now ? std::optional(now->gpu / 100.0) : std::nullopt;
}

std::optional<int> Nvml::index() const {
  const auto index = told<unsigned>("nvmlDeviceGetIndex");
  return index ? std::optional(static_cast<int>(*index)) : std::nullopt;
}

std::unique_ptr<Gpm> Nvml::counters() const {
  if (device_ == nullptr) throw Unsupported(silence_);
  return std::make_unique<Gpm>(library_, device_);
}

std::string Nvml::driver_version() const {
  const auto version = library_.function<nvml::DriverVersion>("nvmlSystemGetDriverVersion");
  std::array<char, 96> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
  if (!started_ || version == nullptr ||
      version(text.data(), static_cast<unsigned>(text.size()) - 1) != nvml::success) {
    return "";
  }
  return text.data();
}

}  // namespace kernels::cuda
