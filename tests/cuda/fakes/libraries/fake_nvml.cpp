#include "tests/cuda/fakes/libraries/fake_nvml.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/cuda/fakes/fake_runtime.hpp"
#include "tests/cuda/fakes/libraries/fake_library.hpp"

namespace fake_nvml {
namespace {

using namespace kernels::cuda::nvml;

Return init() { return state().init; }
Return shutdown() { return success; }
const char* error_string(Return) { return "Insufficient Permissions"; }
Return handle(const char*, Device* device) {
  *device = &state();
  return state().handle;
}
Return index_of(Device, unsigned* index) {
  *index = 3;
  return success;
}
Return driver_version(char* text, unsigned length) {
  std::strncpy(text, "580.82.07", length);
  return success;
}
Return clock_info(Device, int type, unsigned* megahertz) {
  *megahertz = type == clock_of_memory ? state().memory_clock_mhz : state().clock_mhz;
  return state().every;
}
Return power(Device, unsigned* milliwatts) {
  *milliwatts = state().milliwatts;
  return state().every;
}
Return energy(Device, unsigned long long* millijoules) {
  if (!state().watts) return 3;  // NVML_ERROR_NOT_SUPPORTED
  *millijoules = static_cast<unsigned long long>(*state().watts * fake_cuda::now() * 1e3);
  return state().every;
}
Return core_count(Device, unsigned* cores) {
  *cores = state().cores;
  return state().every;
}
Return link_generation(Device, unsigned* generation) {
  *generation = state().link_generation;
  return state().every;
}
Return link_lanes(Device, unsigned* lanes) {
  *lanes = state().link_lanes;
  return state().every;
}
Return memory_info(Device, Memory* memory) {
  *memory = {1 << 28, state().free_bytes, (1 << 28) - state().free_bytes};
  return state().every;
}
Return temperature(Device, int, unsigned* celsius) {
  *celsius = state().celsius;
  return state().every;
}
Return reasons(Device, unsigned long long* bits) {
  *bits = state().reasons;
  return state().every;
}
Return processes(Device, ProcessSample* samples, unsigned* count, unsigned long long last_seen) {
  if (state().every != success) return state().every;
  std::vector<ProcessSample> newer;
  std::ranges::copy_if(state().samples, std::back_inserter(newer),
                       [&](const ProcessSample& s) { return s.time_stamp > last_seen; });
  if (newer.empty()) return 6;  // NVML_ERROR_NOT_FOUND
  const unsigned room = samples == nullptr ? 0 : *count;
  *count = static_cast<unsigned>(newer.size());
  if (room < newer.size()) return insufficient_size;
  std::ranges::copy(newer, samples);
  return success;
}

Return processes_of_now(Device device, ProcessSamples* request) {
  if (request->version != process_samples_version)
    return 25;  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
  std::vector<ProcessSample> samples(request->samples == nullptr ? 0 : request->count);
  const Return result = processes(device, samples.data(), &request->count, request->last_seen);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    request->samples[i] = {
        samples[i].time_stamp, samples[i].pid, samples[i].multiprocessors, 0, 0, 0, 0, 0};
  }
  return result;
}
Return running(Device, unsigned* count, Process* processes) {
  const unsigned room = processes == nullptr ? 0 : *count;
  *count = static_cast<unsigned>(state().running.size());
  if (state().every != success) return state().every;
  if (room < *count) return insufficient_size;
  for (unsigned i = 0; i < *count; ++i) processes[i] = {state().running[i], state().memory, 0, 0};
  return success;
}

Return gpm_supported(Device, GpmSupport* support) {
  support->supported = state().counted ? 1 : 0;
  return success;
}
Return gpm_allocate(void** sample) {
  *sample = new double(0);
  ++state().samples_held;
  return success;
}
Return gpm_free(void* sample) {
  delete static_cast<double*>(sample);
  --state().samples_held;
  return success;
}
Return gpm_sample(Device, void* sample) {
  *static_cast<double*>(sample) = fake_cuda::now();
  return state().gpm;
}
/// As an H200: of less than 0.1 s it reads 0, and of DRAM no number.
Return gpm_get(GpmMetrics* asked) {
  if (asked->version != gpm_metrics_version) return 25;  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
  const double from = *static_cast<double*>(asked->earlier);
  const double to = *static_cast<double*>(asked->later);
  constexpr unsigned of_dram = 10;
  for (unsigned i = 0; i < asked->count; ++i) {
    GpmMetric& one = asked->metrics[i];
    const double young = one.id == of_dram ? NAN : 0;
    one.result = success;
    one.value = to - from < 0.0999 ? young : state().counted(one.id, from, to);
  }
  return success;
}
Return utilization(Device, Utilization* now) {
  *now = {state().gpu_util, 0};
  return state().every;
}

}  // namespace

State& state() {
  static State instance;
  return instance;
}

void install() {
  using fake_library::entry;
  fake_library::installed()["libnvidia-ml.so.1"] = {
      {"nvmlInit_v2", entry(init)},
      {"nvmlShutdown", entry(shutdown)},
      {"nvmlErrorString", entry(error_string)},
      {"nvmlDeviceGetHandleByPciBusId_v2", entry(handle)},
      {"nvmlDeviceGetIndex", entry(index_of)},
      {"nvmlSystemGetDriverVersion", entry(driver_version)},
      {"nvmlDeviceGetClockInfo", entry(clock_info)},
      {"nvmlDeviceGetPowerUsage", entry(power)},
      {"nvmlDeviceGetTotalEnergyConsumption", entry(energy)},
      {"nvmlDeviceGetNumGpuCores", entry(core_count)},
      {"nvmlDeviceGetMemoryInfo", entry(memory_info)},
      {"nvmlGpmQueryDeviceSupport", entry(gpm_supported)},
      {"nvmlGpmSampleAlloc", entry(gpm_allocate)},
      {"nvmlGpmSampleFree", entry(gpm_free)},
      {"nvmlGpmSampleGet", entry(gpm_sample)},
      {"nvmlGpmMetricsGet", entry(gpm_get)},
      {"nvmlDeviceGetUtilizationRates", entry(utilization)},
      {"nvmlDeviceGetMaxPcieLinkGeneration", entry(link_generation)},
      {"nvmlDeviceGetMaxPcieLinkWidth", entry(link_lanes)},
      {"nvmlDeviceGetTemperature", entry(temperature)},
      {"nvmlDeviceGetCurrentClocksEventReasons", entry(reasons)},
      {"nvmlDeviceGetComputeRunningProcesses_v3", entry(running)},
      {"nvmlDeviceGetProcessUtilization", entry(processes)}};
  if (!state().old_calls) {
    fake_library::installed()["libnvidia-ml.so.1"]["nvmlDeviceGetProcessesUtilizationInfo"] =
        entry(processes_of_now);
  }
}

}  // namespace fake_nvml
