// The part of NVML that is used, as its API reference declares it; a test compares it with the
// header where there is one.
#pragma once

namespace kernels::cuda::nvml {

/// nvmlReturn_t and nvmlDevice_t.
using Return = int;
using Device = void*;
inline constexpr Return success = 0;
inline constexpr Return not_found = 6;
inline constexpr Return insufficient_size = 7;

inline constexpr int clock_of_multiprocessors = 1;  ///< NVML_CLOCK_SM
inline constexpr int clock_of_memory = 2;           ///< NVML_CLOCK_MEM
inline constexpr int sensor_of_gpu = 0;             ///< NVML_TEMPERATURE_GPU

/// nvmlProcessUtilizationSample_t.
struct ProcessSample {
  unsigned pid;
  unsigned long long time_stamp;
  unsigned multiprocessors;  ///< percent
  unsigned memory, encoder, decoder;
};

/// nvmlProcessUtilizationInfo_v1_t.
struct ProcessSampleOfNow {
  unsigned long long time_stamp;
  unsigned pid;
  unsigned multiprocessors;  ///< percent
  unsigned memory, encoder, decoder, jpeg, optical_flow;
};

/// nvmlProcessesUtilizationInfo_v1_t.
struct ProcessSamples {
  unsigned version;
  unsigned count;
  unsigned long long last_seen;
  ProcessSampleOfNow* samples;
};
/// NVML_STRUCT_VERSION(ProcessesUtilizationInfo, 1): the size of the structure, and its version.
inline constexpr unsigned process_samples_version = sizeof(ProcessSamples) | 1U << 24;

/// nvmlProcessInfo_t of version 2 and 3.
struct Process {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance, compute_instance;
};

/// NVML_VALUE_NOT_AVAILABLE, of used_memory.
inline constexpr unsigned long long not_available = ~0ULL;

/// nvmlMemory_t, bytes.
struct Memory {
  unsigned long long total, free, used;
};

/// nvmlGpmMetric_t.
struct GpmMetric {
  unsigned id;
  Return result;
  double value;
  const char *short_name, *long_name, *unit;
};
/// nvmlGpmMetricsGet_t, whose array is longer: the library looks at `count` of it.
struct GpmMetrics {
  unsigned version;
  unsigned count;
  void *earlier, *later;
  GpmMetric metrics[32];
};
inline constexpr unsigned gpm_metrics_version = 1;
/// nvmlGpmSupport_t.
struct GpmSupport {
  unsigned version, supported;
};
inline constexpr unsigned gpm_support_version = 1;
/// nvmlUtilization_t, percent.
struct Utilization {
  unsigned gpu, memory;
};

/// nvmlDeviceGet...: one value of a device, such as unsigned milliwatts.
template <class Value>
using Tells = Return (*)(Device, Value*);
using GpmSupported = Return (*)(Device, GpmSupport*);
using GpmAllocate = Return (*)(void** sample);
using GpmFree = Return (*)(void* sample);
using GpmSample = Return (*)(Device, void* sample);
using GpmGet = Return (*)(GpmMetrics*);
using Init = Return (*)();
using ErrorString = const char* (*)(Return);
using HandleByPciBusId = Return (*)(const char* bus_id, Device*);
using DriverVersion = Return (*)(char* text, unsigned length);
using ClockInfo = Return (*)(Device, int type, unsigned* megahertz);
using Temperature = Return (*)(Device, int sensor, unsigned* celsius);
using ProcessUtilization = Return (*)(Device, ProcessSample*, unsigned* count,
                                      unsigned long long last_seen);
using ProcessesUtilization = Return (*)(Device, ProcessSamples*);
using RunningProcesses = Return (*)(Device, unsigned* count, Process*);

}  // namespace kernels::cuda::nvml
