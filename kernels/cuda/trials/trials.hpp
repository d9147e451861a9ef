// One case on one GPU, by family. A trial must not outlive its Gpu.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/check.hpp"
#include "kernels/cuda/libraries/cublaslt.hpp"
#include "kernels/cuda/libraries/cudnn.hpp"
#include "kernels/cuda/operators/generated.hpp"
#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/cuda/runtime/runner.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/device.hpp"
#include "kernels/families/pointwise/pointwise_reference.hpp"

namespace kernels::cuda {

/// What all trials share: the case as launches, timed by a Runner, and how its results are checked.
class LaunchTrial : public Trial, protected Workload, protected Checkable {
 public:
  Sample run(std::stop_token stop) override;
  Sample run_for(double seconds, std::stop_token stop) override;
  Work work() const override { return work_of(case_, "cuda"); }
  Check verify(std::stop_token stop) override;
  bool cold() const final;
  /// A copy of 512 MiB takes an H200 125 us, and events with a launch between them some us on their
  /// own: what comes from DRAM is timed over as many rounds as 1 ms takes.
  double shortest_region() const override { return cold() ? 1e-3 : 100e-6; }

  /// One untimed run from start to end.
  virtual void once(std::stop_token stop) { runner_.once(stop); }
  /// Decides how the case is launched, where that is still open: before a check that runs less of
  /// it.
  void settle(std::stop_token stop) override { runner_.settle(stop); }
  /// Whole waves of units for a run of about 1 ms: launch and tail, some us, then cost below 1 %.
  /// At most 64, which bounds the output. Times one wave.
  std::uint64_t peak_waves();

 protected:
  LaunchTrial(Gpu&, const Case&, LaunchMode = LaunchMode::graph_if_short);

  struct Tensor {
    Buffer buffer;
    std::uint64_t elements = 0, seed = 0;
    std::optional<Pattern> pattern{};  ///< that it holds
  };
  /// Allocates an input of elements of the case; fill() fills it.
  void take(std::uint64_t elements);
  /// Allocates a result, or what lies between two steps.
  Buffer room_for(std::uint64_t elements, Dtype) const;
  Buffer room_for(std::uint64_t elements) const { return room_for(elements, case_.dtype); }
  template <class T>
  const T* in(std::size_t which) const {
    return which < inputs_.size() ? inputs_[which].buffer.as<const T>() : nullptr;
  }

  std::uint64_t steps() const override { return 1; }
  std::uint64_t units() const override { return 1; }
  std::uint64_t wave() const override { return wave_; }

  /// Where a step writes, of steps that go to and fro between two results.
  const Buffer& written_by(std::uint64_t step) const { return step % 2 == 0 ? out_ : other_; }
  /// Where the result lies.
  virtual const Buffer& result() const { return out_; }
  /// Spoils what an earlier run left elsewhere: that is no result either.
  virtual void spoil_more() {}

  const Case& timed() const final { return case_; }
  Operands operands() const override { return operands_; }
  double function_error() const final { return cuda_error; }
  /// Exact: of tiles, whose products are 1 and -1.
  void fill(Contents, const std::stop_token&) override;
  double input(std::size_t which, std::uint64_t index) const override;
  std::uint64_t seed() const override { return inputs_.empty() ? 1 : inputs_.front().seed; }
  Covered run_poisoned(const Case&, const Operands&, const std::stop_token&) final;
  std::vector<double> read(const Window&) const final;

  Gpu& gpu_;
  Case case_;
  Case now_;                // what runs: during a check it can be less
  Operands operands_;       // that it runs with
  std::uint64_t wave_ = 1;  // units at a time
  std::vector<Tensor> inputs_;
  Buffer out_, other_;  // the other one: of steps that go to and fro
  Contents holds_ = Contents::case_data;
  std::string note_;           // Sample::note
  std::string remark_;         // of the trial itself, for Sample::remark
  std::vector<Value> values_;  // Sample::values

 private:
  Sample sample(double seconds) const;
  Pattern pattern_of(std::size_t which) const;

  const Buffer* last_ = nullptr;  // the result of run_poisoned()
  Runner runner_;
};

/// What a GPU offers, as far as rows and axes depend on it.
struct GpuFacts {
  Architecture architecture;
  int multiprocessors;
  const CublasLt& cublaslt;
  const Cudnn& cudnn;
};
/// What trials are made of; all outlive them.
struct Services {
  Gpu& gpu;
  CublasLt& cublaslt;
  Cudnn& cudnn;
  GeneratedKernels& generated;
};

/// What a GPU does of one family: its row in the list, beside its trial. Has `note` or `rows`.
struct FamilyOnGpu {
  Family family;
  /// What its only row says, of the usual op in `dtype`; null: `rows` makes them.
  const char* note = nullptr;
  Dtype dtype = Dtype::fp32;
  /// What it runs, and why not the rest.
  std::vector<Kernel> (*rows)(const GpuFacts&) = nullptr;
  /// What can be chosen of the shape of a case, defaults first; null: nothing.
  std::vector<ShapeAxis> (*axes)(const Case&, const GpuFacts&) = nullptr;
  /// Throws Unsupported with the reason, DeviceLost.
  std::unique_ptr<Trial> (*prepare)(const Services&, const Case&) = nullptr;
};

/// Makes a trial of a class that is made of a GPU and a case.
template <class OfFamily>
std::unique_ptr<Trial> prepare_with(const Services& services, const Case& c) {
  return std::make_unique<OfFamily>(services.gpu, c);
}

/// The same of a class that runs a chain of fma in fp32. Throws Unsupported.
template <class OfFamily>
std::unique_ptr<Trial> prepare_on_chain(const Services& services, const Case& c) {
  const ChainKernels kernels = fp32_kernels();
  const auto fma = std::ranges::find(kernels, Op::fma, &ChainKernel::op);
  if (fma == kernels.end()) throw Unsupported("this build has no chain of fma in fp32");
  return std::make_unique<OfFamily>(services.gpu, c, *fma);
}

/// Of the family `peak`: on matrix units, and by cuBLASLt.
std::unique_ptr<Trial> prepare_matrix_peak(const Services&, const Case&);
std::unique_ptr<Trial> prepare_gemm(const Services&, const Case&);
/// Of the family `pointwise`: forward and backward.
std::unique_ptr<Trial> prepare_gradient(const Services&, const Case&);

/// Operand as the kernels take it: rounded to the arithmetic dtype, doubled for packed pairs.
std::uint64_t operand_bits(Dtype arithmetic, double value);

}  // namespace kernels::cuda
