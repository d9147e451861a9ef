#include <algorithm>
#include <vector>

#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/divergence/divergence.hpp"

namespace kernels::cuda {
namespace {

class DivergenceTrial final : public LaunchTrial {
 public:
  DivergenceTrial(Gpu& gpu, const Case& c) : LaunchTrial(gpu, c), path_(room_for(c.elements)) {
    wave_ = gpu.resident_blocks(divergence_function(), block_threads);
    take(c.elements);
    out_ = room_for(c.elements);
    std::vector<float> paths(c.elements);
    for (std::uint64_t i = 0; i < c.elements; ++i)
      paths[i] = static_cast<float>(path_of(i, paths_of(c)));
    gpu.write(path_.data(), paths.data(), paths.size() * sizeof(float));
    fill(Contents::case_data, {});
  }

 private:
  std::uint64_t units() const override {
    return (case_.elements + block_threads - 1) / block_threads;
  }
  void enqueue(std::uint64_t, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const std::uint64_t begin = first * block_threads;
    const DivergenceArguments arguments{
        .in = in<float>(0) + begin,
        .path = path_.as<const float>() + begin,
        .out = out_.as<float>() + begin,
        .elements = std::min<std::uint64_t>(case_.elements - begin, count * block_threads),
        .repeat = static_cast<std::uint32_t>(case_.repeat)};
    launch(divergence_function(), count, block_threads, arguments, stream);
  }

  Buffer path_;
};

std::vector<Kernel> rows(const GpuFacts&) {
  return {{.family = Family::divergence, .op = Op::branches, .note = "a thread per element"},
          {.family = Family::divergence,
           .op = Op::masked,
           .runs = false,
           .why_not = "a GPU masks the threads of a warp in hardware: use branches"}};
}

}  // namespace

extern const FamilyOnGpu divergence_on_gpu{
    .family = Family::divergence, .rows = rows, .prepare = prepare_with<DivergenceTrial>};

}  // namespace kernels::cuda
