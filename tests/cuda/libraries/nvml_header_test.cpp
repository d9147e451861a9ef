// Our declarations of NVML against its header.
#include <nvml.h>

#include "kernels/cuda/libraries/nvml_calls.hpp"
#include "tests/cuda/fakes/same_call.hpp"

namespace ours = kernels::cuda::nvml;

static_assert(same_call<ours::Init, decltype(&nvmlInit_v2)>);
static_assert(same_call<ours::Init, decltype(&nvmlShutdown)>);
static_assert(same_call<ours::ErrorString, decltype(&nvmlErrorString)>);
static_assert(same_call<ours::HandleByPciBusId, decltype(&nvmlDeviceGetHandleByPciBusId_v2)>);
static_assert(same_call<ours::DriverVersion, decltype(&nvmlSystemGetDriverVersion)>);
static_assert(same_call<ours::ClockInfo, decltype(&nvmlDeviceGetClockInfo)>);
static_assert(same_call<ours::Tells<unsigned>, decltype(&nvmlDeviceGetPowerUsage)>);
static_assert(
    same_call<ours::Tells<unsigned long long>, decltype(&nvmlDeviceGetTotalEnergyConsumption)>);
static_assert(same_call<ours::Temperature, decltype(&nvmlDeviceGetTemperature)>);
static_assert(same_call<ours::ProcessUtilization, decltype(&nvmlDeviceGetProcessUtilization)>);
static_assert(same_call<ours::Tells<ours::Memory>, decltype(&nvmlDeviceGetMemoryInfo)>);
static_assert(sizeof(ours::Memory) == sizeof(nvmlMemory_t));
static_assert(
    same_call<ours::ProcessesUtilization, decltype(&nvmlDeviceGetProcessesUtilizationInfo)>);
static_assert(sizeof(ours::ProcessSamples) == sizeof(nvmlProcessesUtilizationInfo_v1_t));
static_assert(sizeof(ours::ProcessSampleOfNow) == sizeof(nvmlProcessUtilizationInfo_v1_t));
static_assert(ours::process_samples_version == nvmlProcessesUtilizationInfo_v1);
static_assert(
    same_call<ours::RunningProcesses, decltype(&nvmlDeviceGetComputeRunningProcesses_v3)>);
static_assert(sizeof(ours::Process) == sizeof(nvmlProcessInfo_t));
static_assert(sizeof(ours::ProcessSample) == sizeof(nvmlProcessUtilizationSample_t));
static_assert(same_call<ours::Tells<unsigned>, decltype(&nvmlDeviceGetNumGpuCores)>);
static_assert(same_call<ours::Tells<unsigned>, decltype(&nvmlDeviceGetMaxPcieLinkGeneration)>);
static_assert(same_call<ours::GpmSupported, decltype(&nvmlGpmQueryDeviceSupport)>);
static_assert(same_call<ours::GpmGet, decltype(&nvmlGpmMetricsGet)>);
static_assert(sizeof(ours::GpmMetric) == sizeof(nvmlGpmMetric_t));
static_assert(offsetof(ours::GpmMetrics, metrics) == offsetof(nvmlGpmMetricsGet_t, metrics));
static_assert(ours::gpm_metrics_version == NVML_GPM_METRICS_GET_VERSION);
static_assert(sizeof(ours::GpmSupport) == sizeof(nvmlGpmSupport_t));
static_assert(ours::gpm_support_version == NVML_GPM_SUPPORT_VERSION);
static_assert(sizeof(ours::Utilization) == sizeof(nvmlUtilization_t));
static_assert(same_call<ours::Tells<unsigned>, decltype(&nvmlDeviceGetMaxPcieLinkWidth)>);
static_assert(ours::clock_of_multiprocessors == NVML_CLOCK_SM);
static_assert(ours::clock_of_memory == NVML_CLOCK_MEM);
static_assert(ours::sensor_of_gpu == NVML_TEMPERATURE_GPU);
static_assert(static_cast<int>(NVML_SUCCESS) == ours::success);
static_assert(static_cast<int>(NVML_ERROR_INSUFFICIENT_SIZE) == ours::insufficient_size);
