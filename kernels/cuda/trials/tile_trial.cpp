#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/bodies/mma_layout.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/tile_inputs.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/reference.hpp"
#include "kernels/families/tile.hpp"

namespace kernels::cuda {
namespace {

// Compared with the reference; each is 16 x 32 x k products on the host.
constexpr std::uint64_t checked_tiles = 32;

class TileTrial final : public LaunchTrial {
 public:
  TileTrial(Gpu& gpu, const Case& c, const void* function)
      : LaunchTrial(gpu, c, LaunchMode::graph_if_short),
        function_(function),
        tiles_(c.elements / tile_elements(c.dtype)),
        repeat_(c.repeat),
        inputs_(gpu, c.dtype, tiles_, 1),
        d_(gpu.pool().take(static_cast<double>(tiles_) * static_cast<double>(tile_bytes()))),
        resident_(gpu.resident_blocks(function, tile_threads)) {
    inputs_.fill(c.data);
  }

  /// All the repeats on inputs whose products are exact, and a few on those of the case, where
  /// rounding must stay within its bound; then all on those, for their error.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    inputs_.fill_exact();
    Check check = check_run(stop);
    inputs_.fill(case_.data);
    repeat_ = std::min(case_.repeat, rounded_repeat);
    if (check.ok) check = check_run(stop);
    repeat_ = case_.repeat;
    if (check.ok && repeat_ > rounded_repeat) check = check_run(stop);
    return check;
  }

 private:
  std::size_t tile_bytes() const {
    return tile_rows * tile_columns * info_of(case_.dtype).accumulator_size;
  }
  std::uint64_t unit_tiles() const {
    return case_.units == Units::matrix ? tile_warps * warp_tiles : tile_warps;
  }
  std::uint64_t steps() const override { return case_.fusion == Fusion::fused ? 1 : repeat_; }
  std::uint64_t units() const override { return (tiles_ + unit_tiles() - 1) / unit_tiles(); }
  std::uint64_t wave() const override { return resident_; }

  // As many blocks as run at once; each goes on to the next tiles with B still in its registers.
  void enqueue(std::uint64_t step, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const std::uint64_t begin = first * unit_tiles();
    const TileArguments arguments{
        .a = inputs_.a() + begin * tile_a_vectors,
        .b = inputs_.b(),
        .d = d_.as<unsigned char>() + begin * tile_bytes(),
        .tiles = std::min(tiles_ - begin, count * unit_tiles()),
        .repeat = static_cast<std::uint32_t>(case_.fusion == Fusion::fused ? repeat_ : 1),
        .accumulate = step > 0};
    launch(function_, std::min(count, resident_), tile_threads, arguments, stream);
  }

  Check check_run(std::stop_token stop) {
    const auto accumulator = info_of(case_.dtype).accumulator_size;
    Check check =
        check_coverage(gpu_, d_, static_cast<std::uint32_t>(accumulator), [&] { once(stop); });
    double error = 0;
    for (const Window& window : sample_windows(tiles_, checked_tiles, inputs_.seed())) {
      for (std::uint64_t i = 0; i < window.count && check.ok; ++i) {
        const std::uint64_t tile = window.first + i;
        const auto d =
            read_bytes(gpu_, d_.as<const unsigned char>() + tile * tile_bytes(), tile_bytes());
        check = check_tile(inputs_.reference(case_.units, tile, 0, repeat_), case_.dtype, d.data(),
                           tile);
        error = std::max(error, check.error);
      }
    }
    check.error = error;
    return check;
  }

  const void* function_;
  std::uint64_t tiles_;
  std::uint64_t repeat_;  // fewer than the case's while rounding is checked
  TileInputs inputs_;
  Buffer d_;
  std::uint64_t resident_;
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

}  // namespace

std::unique_ptr<Trial> make_tile(Gpu& gpu, const Case& c) {
  const void* const function = tile_function(c);
  if (function == nullptr) throw Unsupported(fmt::format("no tile of {}", name_of(c.dtype)));
  return std::make_unique<TileTrial>(gpu, c, function);
}

}  // namespace kernels::cuda
