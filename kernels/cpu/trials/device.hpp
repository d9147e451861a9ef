// The CPU as a Device.
#pragma once

#include <filesystem>
#include <vector>

#include "kernels/cpu/machine/machine.hpp"
#include "kernels/cpu/machine/watch.hpp"
#include "kernels/cpu/trials/tables.hpp"
#include "kernels/device.hpp"

namespace kernels::cpu {

class CpuDevice final : public Device {
 public:
  /// The machine whose /proc and /sys lie below `root`.
  explicit CpuDevice(const std::filesystem::path& root);
  /// Only these cores and kernels.
  CpuDevice(const std::filesystem::path& root, const std::vector<int>& cores, const Abilities&,
            Selection);

  const DeviceInfo& info() const override { return info_; }
  std::span<const Kernel> kernels() const override { return kernels_; }
  std::vector<ShapeAxis> shape_axes(const Case&) const override;
  std::unique_ptr<Trial> prepare(const Case&, std::stop_token) override;
  void watch() override;
  Conditions conditions() override;
  std::unique_ptr<ActivityReader> activity(Counters) override;
  double free_bytes() const override;
  double seconds_compiling() const override;

 private:
  Readings readings();

  std::filesystem::path root_;
  WatchedProcessors watched_;
  Selection selection_;
  std::vector<Kernel> kernels_;
  DeviceInfo info_;
  Machine machine_;
  Readings since_;  // watch()
};

}  // namespace kernels::cpu
