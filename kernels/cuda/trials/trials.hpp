// One case on one GPU, by family. A trial must not outlive its Gpu.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/cuda/runtime/runner.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// What all trials share: the case as launches, timed by a Runner.
class LaunchTrial : public Trial, protected Workload {
 public:
  Sample run(std::stop_token stop) final;
  Sample run_for(double seconds, std::stop_token stop) final;
  Work work() const override { return work_of(case_, "cuda"); }
  bool cold() const final;
  /// A copy of 512 MiB takes an H200 125 us, and events with a launch between them some us on their
  /// own: what comes from DRAM is timed over as many rounds as 1 ms takes.
  double shortest_region() const override { return cold() ? 1e-3 : 100e-6; }

  /// One untimed run from start to end.
  void once(std::stop_token stop) { runner_.once(stop); }
  /// Decides how the case is launched, where that is still open: before a check that runs less of
  /// it.
  void settle(std::stop_token stop) { runner_.settle(stop); }

 protected:
  LaunchTrial(Gpu&, const Case&, LaunchMode);

  Gpu& gpu_;
  Case case_;
  std::string note_;           // Sample::note
  std::string remark_;         // of the trial itself, for Sample::remark
  std::vector<Value> values_;  // Sample::values

 private:
  Sample sample(double seconds) const;

  Runner runner_;
};

/// Each throws Unsupported with the reason.
std::unique_ptr<Trial> make_chain(Gpu&, const Case&);
std::unique_ptr<Trial> make_tile(Gpu&, const Case&);
std::unique_ptr<Trial> make_divergence(Gpu&, const Case&);
std::unique_ptr<Trial> make_stream(Gpu&, const Case&);
std::unique_ptr<Trial> make_vector_peak(Gpu&, const Case&);
std::unique_ptr<Trial> make_matrix_peak(Gpu&, const Case&);
std::unique_ptr<Trial> make_launch(Gpu&, const Case&);
std::vector<ShapeAxis> launch_axes();

/// Operand as the kernels take it: rounded to the arithmetic dtype, doubled for packed pairs.
std::uint64_t operand_bits(Dtype arithmetic, double value);

}  // namespace kernels::cuda
