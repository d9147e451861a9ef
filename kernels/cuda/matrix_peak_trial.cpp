#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/inspect.hpp"
#include "kernels/cuda/mma_layout.hpp"
#include "kernels/cuda/peak_shape.hpp"
#include "kernels/cuda/tile_inputs.hpp"
#include "kernels/cuda/trials.hpp"

namespace kernels::cuda {
namespace {

constexpr std::uint32_t input_tiles = 64;  // 64 KiB: in the nearest caches at once
constexpr std::uint64_t checked_threads = 256;
constexpr int block_tiles = tile_warps * warp_tiles;

class MatrixPeakTrial final : public LaunchTrial {
 public:
  MatrixPeakTrial(Gpu& gpu, const Case& c, const void* function, std::uint64_t blocks)
      : LaunchTrial(gpu, c, LaunchMode::graph_if_short),
        function_(function),
        blocks_(blocks),
        resident_(gpu.resident_blocks(function, tile_threads)),
        inputs_(gpu, c.dtype, input_tiles),
        out_(gpu.pool().take(static_cast<double>(blocks_) * tile_threads *
                             static_cast<double>(info_of(c.dtype).accumulator_size))) {
    case_.elements = blocks_ * block_tiles * tile_elements(c.dtype);
  }

  double wave_seconds() {
    const std::uint64_t count = std::min(blocks_, resident_);
    return gpu_.timer().warm_region([&] { enqueue(0, 0, count, gpu_.stream()); });
  }

  Check verify(std::stop_token stop) override {
    gpu_.activate();
    const auto bytes = static_cast<std::uint32_t>(info_of(case_.dtype).accumulator_size);
    std::vector<TileOperands> tiles;
    for (std::uint64_t t = 0; t < input_tiles; ++t) tiles.push_back(inputs_.operands(t));
    Check check{true, ""};
    for (int pick = 0; pick < warp_tiles * mma_accumulators && check.ok; ++pick) {
      pick_ = static_cast<std::uint32_t>(pick);
      check = check_coverage(gpu_, out_, bytes, [&] { once(stop); });
      if (check.ok) check = compare(tiles, pick);
    }
    pick_ = 0;
    return check;
  }

 private:
  std::uint64_t steps() const override { return 1; }
  std::uint64_t units() const override { return blocks_; }
  std::uint64_t wave() const override { return resident_; }

  void enqueue(std::uint64_t, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    launch(function_, count, tile_threads,
           MatrixPeakArguments{.a = inputs_.a(),
                               .b = inputs_.b(),
                               .out = out_.data(),
                               .first_block = first,
                               .tile_mask = input_tiles - 1,
                               .repeat = static_cast<std::uint32_t>(case_.repeat),
                               .pick = pick_},
           stream);
  }

  // Accumulator `pick` of sampled threads: which element of which tile it is says mma_layout.
  Check compare(const std::vector<TileOperands>& tiles, int pick) const {
    const std::size_t bytes = info_of(case_.dtype).accumulator_size;
    const int in_tile = pick % mma_accumulators;
    const int fragment = in_tile / 4;
    for (const Window& window :
         sample_windows(blocks_ * tile_threads, checked_threads, inputs_.seed())) {
      const auto got =
          read_bytes(out_.as<const unsigned char>() + window.first * bytes, window.count * bytes);
      for (std::uint64_t i = 0; i < window.count; ++i) {
        const std::uint64_t thread = window.first + i;
        const auto lane = static_cast<int>(thread % 32);
        const std::uint64_t tile =
            (thread / 32 * warp_tiles + static_cast<std::uint64_t>(pick / mma_accumulators)) &
            (input_tiles - 1);
        const TileElement expected =
            tile_element(tiles[tile], case_.repeat, Units::matrix, mma_row(lane, in_tile % 4 / 2),
                         mma_d_column(lane, fragment, in_tile % 2));
        const double value = accumulator_value(case_.dtype, got, i);
        if (!(std::fabs(value - expected.value) <= expected.tolerance)) {
          return {false, fmt::format("thread {}, accumulator {}: expected {} within {}, got {}",
                                     thread, pick, expected.value, expected.tolerance, value)};
        }
      }
    }
    return {true, ""};
  }

  const void* function_;
  std::uint64_t blocks_;
  std::uint64_t resident_;
  std::uint32_t pick_ = 0;
  TileInputs inputs_;
  Buffer out_;
};

}  // namespace

std::unique_ptr<Trial> make_matrix_peak(Gpu& gpu, const Case& c) {
  static const auto kernels = matrix_kernels();
  const auto kernel = std::ranges::find(kernels, c.dtype, &MatrixKernel::dtype);
  if (kernel == kernels.end())
    throw Unsupported(fmt::format("no matrix peak of {}", name_of(c.dtype)));
  const std::uint64_t resident = gpu.resident_blocks(kernel->peak, tile_threads);
  std::uint64_t blocks = resident;
  if (c.elements > 0) {
    const std::uint64_t each = block_tiles * tile_elements(c.dtype);
    blocks = (c.elements + each - 1) / each;
  } else {
    const double seconds = MatrixPeakTrial(gpu, c, kernel->peak, resident).wave_seconds();
    blocks = peak_waves(seconds) * resident;
  }
  return std::make_unique<MatrixPeakTrial>(gpu, c, kernel->peak, blocks);
}

}  // namespace kernels::cuda
