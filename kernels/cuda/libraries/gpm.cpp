#include "kernels/cuda/libraries/gpm.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "kernels/counted.hpp"

namespace kernels::cuda {
namespace {

struct Metric {
  unsigned id;  ///< nvmlGpmMetricId_t
  std::string_view name;
  double unit;
};
constexpr double percent = 0.01, mebibytes = 1 << 20;
constexpr std::array metrics{Metric{2, counted::busy, percent},
                             Metric{3, counted::occupancy, percent},
                             Metric{4, counted::integer, percent},
                             Metric{5, counted::tensor, percent},
                             Metric{6, counted::dmma, percent},
                             Metric{7, counted::hmma, percent},
                             Metric{9, counted::imma, percent},
                             Metric{10, counted::dram, percent},
                             Metric{11, counted::fp64, percent},
                             Metric{12, counted::fp32, percent},
                             Metric{13, counted::fp16, percent},
                             Metric{20, counted::pcie_sent, mebibytes},
                             Metric{21, counted::pcie_received, mebibytes},
                             Metric{60, counted::nvlink_received, mebibytes},
                             Metric{61, counted::nvlink_sent, mebibytes}};
static_assert(metrics.size() <= std::size(nvml::GpmMetrics{}.metrics));

}  // namespace

Gpm::Gpm(const SharedLibrary& library, nvml::Device device) : library_(library), device_(device) {
  const auto supported = library.function<nvml::GpmSupported>("nvmlGpmQueryDeviceSupport");
  if (device == nullptr || supported == nullptr)
    throw Unsupported("NVML of this driver has no counters: they need driver 520");
  nvml::GpmSupport support{nvml::gpm_support_version, 0};
  if (supported(device, &support) != nvml::success || support.supported == 0)
    throw Unsupported("this GPU has no counters that NVML can read: they exist from Hopper on");
  earlier_ = allocated();
  later_ = allocated();
  take(earlier_);
}

Gpm::Sample Gpm::allocated() const {
  const auto allocate = library_.function<nvml::GpmAllocate>("nvmlGpmSampleAlloc");
  void* sample = nullptr;
  if (allocate == nullptr || allocate(&sample) != nvml::success || sample == nullptr)
    throw Unsupported("NVML has no memory for a sample of its counters");
  return Sample(sample, {library_.function<nvml::GpmFree>("nvmlGpmSampleFree")});
}

void Gpm::take(const Sample& into) const {
  const auto get = library_.function<nvml::GpmSample>("nvmlGpmSampleGet");
  const nvml::Return code = get == nullptr ? nvml::not_found : get(device_, into.get());
  if (code == nvml::success) return;
  const auto words = library_.function<nvml::ErrorString>("nvmlErrorString");
  throw Unsupported(
      fmt::format("NVML refuses a sample of its counters ({})",
                  words == nullptr ? fmt::format("error {}", code) : std::string(words(code))));
}

std::vector<Value> Gpm::read() {
  take(later_);
  const auto get = library_.function<nvml::GpmGet>("nvmlGpmMetricsGet");
  nvml::GpmMetrics asked{
      nvml::gpm_metrics_version, metrics.size(), earlier_.get(), later_.get(), {}};
  for (std::size_t i = 0; i < metrics.size(); ++i) asked.metrics[i].id = metrics[i].id;
  std::vector<Value> values;
  if (get == nullptr || get(&asked) != nvml::success)
    throw Unsupported("NVML does not tell what its counters say");
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const nvml::GpmMetric& one = asked.metrics[i];
    if (one.result == nvml::success && std::isfinite(one.value))
      values.push_back({std::string(metrics[i].name), one.value * metrics[i].unit});
  }
  std::swap(earlier_, later_);
  return values;
}

}  // namespace kernels::cuda
