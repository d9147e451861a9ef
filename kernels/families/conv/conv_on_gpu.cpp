// Family `conv` by cuDNN: tensors as everybody has them, images before channels before rows and
// columns.
#include <fmt/format.h>

#include "kernels/cuda/libraries/convolution.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/conv/conv.hpp"

namespace kernels::cuda {
namespace {

class ConvTrial final : public LaunchTrial {
 public:
  ConvTrial(Gpu& gpu, Cudnn& library, const Case& c)
      : LaunchTrial(gpu, c, LaunchMode::held),
        size_(conv_size(c)),
        convolution_(library, size_, algorithm_of(c), workspace_after_tensors(library)) {
    workspace_ = gpu.pool().take(static_cast<double>(convolution_.workspace_bytes()));
    note_ = fmt::format("{}, {}", library.name(), convolution_.algorithm());
    fill(Contents::case_data, {});
  }

 private:
  /// The library loads kernels of its own, too. Its handle comes first, because that takes memory.
  double workspace_after_tensors(Cudnn& library) {
    constexpr double most_of_free = 0.9;
    take(size_.batch * size_.channels * size_.size * size_.size);
    take(size_.filters * size_.channels * conv_taps);
    out_ = room_for(size_.batch * size_.filters * size_.size * size_.size);
    library.handle();
    return most_of_free * gpu_.pool().free_bytes();
  }

  void enqueue(std::uint64_t, std::uint64_t, std::uint64_t, cudaStream_t stream) override {
    convolution_.run(in<void>(0), in<void>(1), out_.data(), workspace_.data(), stream);
  }

  double growth() const override {
    return convolution_.is_transformed() ? usual_winograd_growth : 0;
  }
  void spoil_more() override { poison(gpu_, workspace_, 0xff); }

  ConvSize size_;
  Convolution convolution_;
  Buffer workspace_;
};

/// That cuDNN can be asked for, by its own names.
std::vector<std::string> algorithms() {
  std::vector<std::string> names(cudnn::algorithms.begin(), cudnn::algorithms.end());
  names.erase(names.begin() + cudnn::direct);
  return names;
}

/// Our own, of which there are none, and the library's.
std::vector<Kernel> rows(const GpuFacts& gpu) {
  const Case c = conv_case({}, Data::random);
  Kernel own{.family = c.family, .op = c.op(), .dtype = c.dtype, .units = c.units};
  Kernel theirs = answered(own, gpu.cudnn.why_not(), gpu.cudnn.name());
  theirs.by = By::library;
  if (theirs.runs) theirs.algorithms = algorithms();
  own.runs = false;
  own.why_not = "our own convolutions run on a CPU alone; a GPU runs those of cuDNN";
  return {own, theirs};
}

}  // namespace

extern const FamilyOnGpu conv_on_gpu{
    .family = Family::conv,
    .rows = rows,
    .axes = [](const Case&, const GpuFacts&) -> std::vector<ShapeAxis> {
      return {{std::string(algorithm_axis), algorithms()}};
    },
    .prepare = [](const Services& services, const Case& c) -> std::unique_ptr<Trial> {
      return std::make_unique<ConvTrial>(services.gpu, services.cudnn, c);
    }};

}  // namespace kernels::cuda
