#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/matrix_peak_kernel.hpp"
#include "kernels/cuda/trials/peak_shape.hpp"
#include "kernels/cuda/trials/tile_inputs.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/tile.hpp"

namespace kernels::cuda {
namespace {

constexpr std::uint32_t input_tiles = 64;  // 64 KiB: in the nearest caches at once
constexpr std::uint64_t checked_units = 4;

class MatrixPeakTrial final : public LaunchTrial {
 public:
  MatrixPeakTrial(Gpu& gpu, const Case& c, MatrixPeakKernel kernel, std::uint64_t wave,
                  std::uint64_t units)
      : LaunchTrial(gpu, c, LaunchMode::graph_if_short),
        kernel_(std::move(kernel)),
        wave_(wave),
        units_(units),
        repeat_(c.repeat),
        inputs_(gpu, c.dtype, input_tiles, static_cast<std::uint64_t>(kernel_.b_tiles)),
        out_(gpu.pool().take(output_bytes(units, 1))) {
    remark_ = fmt::format("{}, {} warps at a time", kernel_.words, wave_ * tile_warps);
    inputs_.fill(c.data);
    case_.elements = units_ * unit_tiles(kernel_) * tile_elements(c.dtype);
  }

  /// Tiles of A times tiles of B that a unit multiplies.
  static std::uint64_t unit_tiles(const MatrixPeakKernel& kernel) {
    return static_cast<std::uint64_t>(kernel.a_tiles) * static_cast<std::uint64_t>(kernel.b_tiles);
  }

  double wave_seconds() {
    const std::uint64_t count = std::min(units_, wave_);
    Holds holds;
    return gpu_.timer().warm_region(holds, [&] { enqueue(0, 0, count, gpu_.stream()); });
  }

  /// What is timed, on inputs whose products are exact; then every accumulator of some units, on
  /// such inputs with all the repeats and on those of the case with a few.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    inputs_.fill_exact();
    Check check = check_coverage(gpu_, out_, accumulator_bytes(), [&] { once(stop); });
    if (check.ok) check = compare(out_, units_, 1);
    if (check.ok) check = check_every();
    inputs_.fill(case_.data);
    repeat_ = std::min(case_.repeat, rounded_repeat);
    if (check.ok) check = check_every();
    repeat_ = case_.repeat;
    return check;
  }

 private:
  std::uint32_t accumulator_bytes() const {
    return static_cast<std::uint32_t>(info_of(case_.dtype).accumulator_size);
  }
  double output_bytes(std::uint64_t units, int accumulators) const {
    return static_cast<double>(units) * accumulators * tile_threads * accumulator_bytes();
  }
  std::uint64_t steps() const override { return 1; }
  std::uint64_t units() const override { return units_; }
  std::uint64_t wave() const override { return wave_; }

  void enqueue(std::uint64_t, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    launch_units(first, count, out_, false, stream);
  }

  // As many blocks as run at once; each goes on to the next units with B still at hand.
  void launch_units(std::uint64_t first, std::uint64_t count, const Buffer& out, bool every,
                    cudaStream_t stream) {
    launch(kernel_.function, std::min(count, wave_), tile_threads,
           MatrixPeakArguments{.a = inputs_.a(),
                               .b = inputs_.b(),
                               .out = out.data(),
                               .first_unit = first,
                               .units = count,
                               .tile_mask = input_tiles - 1,
                               .repeat = static_cast<std::uint32_t>(repeat_),
                               .every = every,
                               .layout = kernel_.layout},
           stream);
  }

  // One unit more than a wave: a block that goes on to its second unit is among them.
  Check check_every() {
    const std::uint64_t count = std::min(units_, wave_ + 1);
    const Buffer out = gpu_.pool().take(output_bytes(count, kernel_.accumulators));
    const Check check = check_coverage(gpu_, out, accumulator_bytes(), [&] {
      launch_units(0, count, out, true, gpu_.stream());
      gpu_.timer().finish();
    });
    return check.ok ? compare(out, count, kernel_.accumulators) : check;
  }

  // The first units, the last and some between them, of which `stored` accumulators are in `out`.
  Check compare(const Buffer& out, std::uint64_t units, int stored) const {
    Check check{true, ""};
    for (const Window& window : sample_windows(units, checked_units, inputs_.seed())) {
      for (std::uint64_t i = 0; i < window.count && check.ok; ++i) {
        check = compare_unit(out, window.first + i, stored);
      }
    }
    return check;
  }

  Check compare_unit(const Buffer& out, std::uint64_t unit, int stored) const {
    const std::size_t count = static_cast<std::size_t>(stored) * tile_threads;
    const std::size_t bytes = count * accumulator_bytes();
    const auto got = read_bytes(gpu_, out.as<const unsigned char>() + unit * bytes, bytes);
    std::map<std::pair<int, int>, TileReference> references;
    for (std::size_t at = 0; at < count; ++at) {
      const int thread = static_cast<int>(at) % tile_threads;
      const int accumulator = static_cast<int>(at) / tile_threads;
      const AccumulatorPlace place = kernel_.place(thread, accumulator);
      const auto [found, fresh] = references.try_emplace({place.a_tile, place.b_tile});
      if (fresh) found->second = reference(unit, place);
      const auto in_d = static_cast<std::size_t>(place.row) * tile_columns +
                        static_cast<std::size_t>(place.column);
      const double expected = found->second.value[in_d];
      const double tolerance = found->second.tolerance[in_d];
      const double value = accumulator_value(case_.dtype, got, at);
      if (!(std::fabs(value - expected) <= tolerance)) {
        return {false, fmt::format("unit {}, thread {}, accumulator {}: expected {} within {}, "
                                   "got {}",
                                   unit, thread, accumulator, expected, tolerance, value)};
      }
    }
    return {true, ""};
  }

  TileReference reference(std::uint64_t unit, const AccumulatorPlace& place) const {
    const std::uint64_t a_tile = unit * static_cast<std::uint64_t>(kernel_.a_tiles) +
                                 static_cast<std::uint64_t>(place.a_tile);
    return inputs_.reference(Units::matrix, a_tile & (input_tiles - 1),
                             static_cast<std::uint64_t>(place.b_tile), repeat_);
  }

  MatrixPeakKernel kernel_;
  std::uint64_t wave_;  // units at a time
  std::uint64_t units_;
  std::uint64_t repeat_;  // fewer than the case's while rounding is checked
  TileInputs inputs_;
  Buffer out_;
};

// Units that run at a time when the shape asks for so many warps per multiprocessor.
std::uint64_t wave_of(Gpu& gpu, const MatrixPeakKernel& kernel, const ShapeValues& shape) {
  const std::uint64_t resident = gpu.resident_blocks(kernel.function, tile_threads);
  const int warps = shape.number("warps per SM", 0);
  if (warps == 0) return resident;
  const auto wanted =
      static_cast<std::uint64_t>(warps / tile_warps) * static_cast<unsigned>(gpu.multiprocessors());
  if (wanted > resident) {
    throw Unsupported(fmt::format("{}: {} warps do not fit a multiprocessor", kernel.words, warps));
  }
  return wanted;
}

}  // namespace

std::unique_ptr<Trial> make_matrix_peak(Gpu& gpu, const Case& c) {
  const ShapeValues shape(c, gpu.architecture());
  const MatrixPeakKernel kernel = matrix_peak_kernel(c, shape, gpu.architecture());
  const std::uint64_t wave = wave_of(gpu, kernel, shape);
  std::uint64_t units = wave;
  if (c.elements > 0) {
    const std::uint64_t each = MatrixPeakTrial::unit_tiles(kernel) * tile_elements(c.dtype);
    units = (c.elements + each - 1) / each;
  } else {
    units *= peak_waves(MatrixPeakTrial(gpu, c, kernel, wave, wave).wave_seconds());
  }
  return std::make_unique<MatrixPeakTrial>(gpu, c, kernel, wave, units);
}

}  // namespace kernels::cuda
