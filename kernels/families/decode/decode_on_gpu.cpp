// Family `decode`: one launch over the rows of the packed weights.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/decode/decode.hpp"
#include "kernels/families/decode/decode_arguments.hpp"

namespace kernels::cuda {
namespace {

/// The kernel of so many bits that multiplies the whole batch at a time, or as much as there is one
/// for.
const void* decode_function(const DecodeSize& size) {
  static const std::vector<DecodeKernel> kernels = decode_kernels();
  const int at_once = std::min(static_cast<int>(size.batch), most_at_once);
  const auto kernel = std::ranges::find_if(kernels, [&](const DecodeKernel& one) {
    return one.bits == size.bits && one.batch == at_once;
  });
  if (kernel == kernels.end())
    throw Unsupported(fmt::format("no kernel of {} bits for {} vectors", size.bits, size.batch));
  return kernel->function;
}

class DecodeTrial final : public LaunchTrial {
 public:
  DecodeTrial(Gpu& gpu, const Case& c)
      : LaunchTrial(gpu, c), size_(decode_size(c)), function_(decode_function(size_)) {
    wave_ = gpu.resident_blocks(function_, decode_threads);
    give(packed_elements(size_), packed_dtype(size_));
    give(size_.scales(), Dtype::bf16);
    give(size_.batch * size_.columns, Dtype::fp32);
    out_ = room_for(size_.batch * size_.rows);
  }

 private:
  /// An input of an element type of its own, filled.
  void give(std::uint64_t elements, Dtype dtype) {
    dtypes_.push_back(dtype);
    inputs_.push_back({room_for(elements, dtype), elements, gpu_.next_seed()});
    if (elements > 0) gpu_.fill(inputs_.back().buffer.data(), dtype, elements, inputs_.back().seed);
  }

  std::uint64_t units() const override {
    return (size_.rows + decode_block_rows - 1) / decode_block_rows;
  }
  void enqueue(std::uint64_t, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    launch(function_, count, decode_threads,
           DecodeArguments{.weights = in<Vector>(decode_weights),
                           .scales = in<std::uint16_t>(decode_scales),
                           .x = in<float>(decode_vectors),
                           .y = out_.as<float>(),
                           .rows = size_.rows,
                           .first = first * decode_block_rows,
                           .columns = static_cast<std::uint32_t>(size_.columns),
                           .batch = static_cast<std::uint32_t>(size_.batch)},
           stream);
  }

  // They are random from the beginning.
  void fill(Contents, const std::stop_token&) override {}
  double input(std::size_t which, std::uint64_t index) const override {
    return random_element(dtypes_[which], inputs_[which].seed, index);
  }

  DecodeSize size_;
  const void* function_;
  std::vector<Dtype> dtypes_;  // of the inputs
};

}  // namespace

extern const FamilyOnGpu decode_on_gpu{
    .family = Family::decode,
    .note = "a warp for four rows; unpacked to fp32, no tensor cores",
    .prepare = prepare_with<DecodeTrial>};

}  // namespace kernels::cuda
