#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/trials/rows.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/tile/tile_reference.hpp"

namespace kernels::cuda {
namespace {

class TileTrial final : public LaunchTrial {
 public:
  TileTrial(Gpu& gpu, const Case& c, const void* function)
      : LaunchTrial(gpu, c), function_(function), tiles_(c.elements / tile_elements(c.dtype)) {
    wave_ = gpu.resident_blocks(function, tile_threads);
    take(c.elements);
    take(tile_depth(c.dtype) * tile_columns);
    out_ = room_for(tiles_ * tile_rows * tile_columns, result_dtype());
    fill(Contents::case_data, {});
  }

 private:
  Dtype result_dtype() const override { return accumulator_of(case_.dtype); }
  std::size_t tile_bytes() const {
    return tile_rows * tile_columns * info_of(case_.dtype).accumulator_size;
  }
  std::uint64_t unit_tiles() const {
    return case_.units == Units::matrix ? tile_warps * warp_tiles : tile_warps;
  }
  std::uint64_t steps() const override { return now_.fusion == Fusion::fused ? 1 : now_.repeat; }
  std::uint64_t units() const override { return (tiles_ + unit_tiles() - 1) / unit_tiles(); }

  // As many blocks as run at once; each goes on to the next tiles with B still in its registers.
  void enqueue(std::uint64_t step, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const std::uint64_t begin = first * unit_tiles();
    const TileArguments arguments{
        .a = in<Vector>(0) + begin * tile_a_vectors,
        .b = in<void>(1),
        .d = out_.as<unsigned char>() + begin * tile_bytes(),
        .tiles = std::min(tiles_ - begin, count * unit_tiles()),
        .repeat = static_cast<std::uint32_t>(now_.fusion == Fusion::fused ? now_.repeat : 1),
        .accumulate = step > 0};
    launch(function_, std::min(count, wave_), tile_threads, arguments, stream);
  }

  const void* function_;
  std::uint64_t tiles_;
};

const void* tile_function(const Case& c) {
  if (c.units == Units::matrix) {
    static const auto kernels = matrix_kernels();
    const auto kernel = std::ranges::find(kernels, c.dtype, &MatrixKernel::dtype);
    return kernel == kernels.end() ? nullptr : kernel->tile;
  }
  static const auto kernels = tile_vector_kernels();
  // Values that tf32 can hold are fp32 values.
  const Dtype dtype = c.dtype == Dtype::tf32 ? Dtype::fp32 : c.dtype;
  const auto kernel = std::ranges::find(kernels, dtype, &TileKernel::dtype);
  return kernel == kernels.end() ? nullptr : kernel->function;
}

std::unique_ptr<Trial> prepare(const Services& services, const Case& c) {
  const void* const function = tile_function(c);
  if (function == nullptr) throw Unsupported(fmt::format("no tile of {}", name_of(c.dtype)));
  return std::make_unique<TileTrial>(services.gpu, c, function);
}

}  // namespace

extern const FamilyOnGpu tile_on_gpu{
    .family = Family::tile,
    .rows = [](const GpuFacts& gpu) { return kernels_of_tiles(gpu.architecture); },
    .prepare = prepare};

}  // namespace kernels::cuda
