#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/matrix_peak_kernel.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/tile/tile_reference.hpp"

namespace kernels::cuda {
namespace {

constexpr std::uint32_t input_tiles = 64;  // 64 KiB: in the nearest caches at once
constexpr std::uint64_t checked_units = 4;

class MatrixPeakTrial final : public LaunchTrial {
 public:
  MatrixPeakTrial(Gpu& gpu, const Case& c, MatrixPeakKernel kernel, std::uint64_t wave,
                  std::uint64_t units)
      : LaunchTrial(gpu, c), kernel_(std::move(kernel)), units_(units) {
    wave_ = wave;
    take(input_tiles * tile_elements(c.dtype));
    take(static_cast<std::uint64_t>(kernel_.b_tiles) * b_elements());
    out_ = room_for(units * tile_threads, result_dtype());
    remark_ = fmt::format("{}, {} warps at a time", kernel_.words, wave_ * tile_warps);
    fill(Contents::case_data, {});
    case_.elements = now_.elements = units_ * unit_tiles(kernel_) * tile_elements(c.dtype);
  }

  /// Tiles of A times tiles of B that a unit multiplies.
  static std::uint64_t unit_tiles(const MatrixPeakKernel& kernel) {
    return static_cast<std::uint64_t>(kernel.a_tiles) * static_cast<std::uint64_t>(kernel.b_tiles);
  }

  /// What is timed, on inputs whose products are exact; then every accumulator of some units, on
  /// such inputs with all the repeats and on those of the case with a few.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    fill(Contents::exact, stop);
    Check check = check_coverage(gpu_, out_, size_of(result_dtype()), [&] { once(stop); });
    if (check.ok) check = compare(out_, units_, 1);
    if (check.ok) check = check_every();
    fill(Contents::case_data, stop);
    now_.repeat = std::min(case_.repeat, rounded_repeat);
    if (check.ok) check = check_every();
    now_.repeat = case_.repeat;
    return check;
  }

 private:
  Dtype result_dtype() const override { return accumulator_of(case_.dtype); }
  std::uint64_t b_elements() const { return tile_depth(case_.dtype) * tile_columns; }
  std::uint64_t units() const override { return units_; }

  void enqueue(std::uint64_t, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    launch_units(first, count, out_, false, stream);
  }

  // As many blocks as run at once; each goes on to the next units with B still at hand.
  void launch_units(std::uint64_t first, std::uint64_t count, const Buffer& out, bool every,
                    cudaStream_t stream) {
    launch(kernel_.function, std::min(count, wave_), tile_threads,
           MatrixPeakArguments{.a = in<Vector>(0),
                               .b = in<void>(1),
                               .out = out.data(),
                               .first_unit = first,
                               .units = count,
                               .tile_mask = input_tiles - 1,
                               .repeat = static_cast<std::uint32_t>(now_.repeat),
                               .every = every,
                               .layout = kernel_.layout},
           stream);
  }

  // One unit more than a wave: a block that goes on to its second unit is among them.
  Check check_every() {
    const std::uint64_t count = std::min(units_, wave_ + 1);
    const auto stored = static_cast<std::uint64_t>(kernel_.accumulators) * tile_threads;
    const Buffer out = room_for(count * stored, result_dtype());
    const Check check = check_coverage(gpu_, out, size_of(result_dtype()), [&] {
      launch_units(0, count, out, true, gpu_.stream());
      gpu_.timer().finish();
    });
    return check.ok ? compare(out, count, kernel_.accumulators) : check;
  }

  // The first units, the last and some between them, of which `stored` accumulators are in `out`.
  Check compare(const Buffer& out, std::uint64_t units, int stored) const {
    Check check{true, ""};
    for (const Window& window : sampled_windows(*this, units, checked_units)) {
      for (std::uint64_t i = 0; i < window.count && check.ok; ++i) {
        check = compare_unit(out, window.first + i, stored);
      }
    }
    return check;
  }

  Check compare_unit(const Buffer& out, std::uint64_t unit, int stored) const {
    const std::size_t count = static_cast<std::size_t>(stored) * tile_threads;
    const auto got = read_values(gpu_, out, result_dtype(), {unit * count, count});
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
      const double value = got[at];
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
    const auto values = [&](std::size_t which, std::uint64_t tile, std::uint64_t elements) {
      std::vector<double> all(elements);
      for (std::uint64_t i = 0; i < elements; ++i) all[i] = input(which, tile * elements + i);
      return all;
    };
    return tile_reference(case_.dtype, Units::matrix,
                          values(0, a_tile & (input_tiles - 1), tile_elements(case_.dtype)),
                          values(1, static_cast<std::uint64_t>(place.b_tile), b_elements()),
                          now_.repeat);
  }

  MatrixPeakKernel kernel_;
  std::uint64_t units_;
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

std::unique_ptr<Trial> prepare_matrix_peak(const Services& services, const Case& c) {
  Gpu& gpu = services.gpu;
  const ShapeValues shape(c, gpu.architecture());
  const MatrixPeakKernel kernel = matrix_peak_kernel(c, shape, gpu.architecture());
  const std::uint64_t wave = wave_of(gpu, kernel, shape);
  std::uint64_t units = wave;
  if (c.elements > 0) {
    const std::uint64_t each = MatrixPeakTrial::unit_tiles(kernel) * tile_elements(c.dtype);
    units = (c.elements + each - 1) / each;
  } else {
    units *= MatrixPeakTrial(gpu, c, kernel, wave, wave).peak_waves();
  }
  return std::make_unique<MatrixPeakTrial>(gpu, c, kernel, wave, units);
}

}  // namespace kernels::cuda
