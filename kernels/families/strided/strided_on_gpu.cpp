#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/strided/strided.hpp"
#include "kernels/families/strided/strided_arguments.hpp"

namespace kernels::cuda {
namespace {

/// Byte that the L2 and the memory of an NVIDIA GPU move at a time: CUDA C++ Best Practices Guide,
/// "Coalesced Access to Global Memory".
constexpr double sector_bytes = 32;

class StridedTrial final : public LaunchTrial {
 public:
  StridedTrial(Gpu& gpu, const Case& c) : LaunchTrial(gpu, c) {
    wave_ = gpu.resident_blocks(strided_function(), strided_threads);
    take(span_words(c));
    fill(Contents::case_data, {});
    out_ = room_for(groups_of(c), Dtype::int32);
    values_ = strided_values(c, sector_bytes);
  }

 private:
  Dtype result_dtype() const override { return Dtype::int32; }
  std::uint64_t steps() const override { return case_.repeat; }
  std::uint64_t units() const override {
    return (groups_of(case_) + strided_warps - 1) / strided_warps;
  }
  void enqueue(std::uint64_t, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const StridedArguments arguments{.words = in<std::uint32_t>(0) + offset_of(case_),
                                     .sums = out_.as<std::uint32_t>(),
                                     .groups = groups_of(case_),
                                     .first_group = first * strided_warps,
                                     .stride = stride_of(case_)};
    launch(strided_function(), count, strided_threads, arguments, stream);
  }
};

}  // namespace

extern const FamilyOnGpu strided_on_gpu{
    .family = Family::strided,
    .note = "neighbouring threads read words that lie a stride apart",
    .prepare = prepare_with<StridedTrial>};

}  // namespace kernels::cuda
