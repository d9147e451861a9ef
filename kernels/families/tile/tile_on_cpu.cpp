// Family `tile`: every A tile is multiplied `repeat` times by one B and summed into its D. Fused, D
// stays in registers meanwhile; unfused, every product is a launch of its own that reads the sum so
// far and writes it back.
#include <algorithm>

#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/tile/tile.hpp"
#include "kernels/families/tile/tile_reference.hpp"

namespace kernels::cpu {
namespace {

// Kernels multiply up to two tiles at a time; a share of four is 4 KiB of A.
constexpr std::uint64_t tile_granule = 4;
/// Products between two looks at the stop token: 10 ms for the slowest kernel (about a microsecond
/// each).
constexpr std::uint64_t products_per_piece = std::uint64_t{1} << 13;
/// Tiles per thread on which all repeats are checked.
constexpr std::uint64_t exact_tiles = 64;

class TileTrial final : public TimedTrial {
 public:
  TileTrial(Machine& machine, const Choice& choice, const Case& c, std::stop_token stop)
      : TimedTrial(machine, c),
        function_(choice.row.tile),
        streaming_(machine.beyond_caches(footprint_of(c))) {
    granule_ = tile_granule;
    kernel_ = reinterpret_cast<const void*>(function_);
    take(Slot::first, c.elements, stop);
    machine.output(Slot::second, tiles_of(c) * d_bytes(), c);
    machine.output(Slot::third, third_bytes(), c);
    take(Slot::third, b_elements(), stop);
    find_tensors();
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    find_tensors();
    if (now_.fusion == Fusion::fused) return launch(now_.repeat, false, stop);
    for (std::uint64_t step = 0; step < now_.repeat && !stop.stop_requested(); ++step) {
      launch(1, step > 0, stop);
    }
  }
  std::optional<Split> in_parts() const override {
    return case_.fusion == Fusion::fused ? std::optional(split()) : std::nullopt;
  }

  Dtype result_dtype() const override { return accumulator_of(case_.dtype); }
  Result result() const override {
    return {data(Slot::second, tiles_of(case_) * d_bytes()),
            tiles_of(now_) * tile_rows * tile_columns};
  }
  std::uint64_t with_all_ops() const override {
    const auto most = exact_tiles * static_cast<std::uint64_t>(machine_.threads());
    return std::min(case_.elements, most * tile_elements(case_.dtype));
  }
  /// Integers lie behind B: filling all A anew would take long.
  void fill(Contents what, const std::stop_token& stop) override {
    if (what != Contents::exact) return TimedTrial::fill(what, stop);
    holds_ = what;
    find_tensors();
    fill_integers(machine_, case_.dtype, a_, with_all_ops(), inputs_[0].seed, stop);
    fill_integers(machine_, case_.dtype, b_, b_elements(), inputs_[1].seed, stop);
  }
  double input(std::size_t which, std::uint64_t index) const override {
    return holds_ == Contents::exact ? random_integer(inputs_[which].seed, index)
                                     : TimedTrial::input(which, index);
  }

 private:
  static std::uint64_t tiles_of(const Case& c) { return c.elements / tile_elements(c.dtype); }
  Split split() const { return machine_.split(tiles_of(now_), tile_granule, streaming_); }
  std::uint64_t b_elements() const { return tile_depth(case_.dtype) * tile_columns; }
  std::uint64_t bytes_of(std::uint64_t elements) const { return elements * size_of(case_.dtype); }
  std::uint64_t d_bytes() const {
    return tile_rows * tile_columns * info_of(case_.dtype).accumulator_size;
  }

  /// The third slot holds B; behind it, B and a part of A as integers.
  std::uint64_t third_bytes() const {
    return 2 * bytes_of(b_elements()) + bytes_of(with_all_ops());
  }
  void find_tensors() {
    char* const third = data(Slot::third, third_bytes());
    const bool integers = holds_ == Contents::exact;
    b_ = integers ? third + bytes_of(b_elements()) : third;
    a_ = integers ? b_ + bytes_of(b_elements()) : data(Slot::first, bytes_of(case_.elements));
  }

  void launch(std::uint64_t repeat, bool accumulate, const std::stop_token& stop) {
    char* const d = result().data;
    on_threads(
        split(), piece_of(products_per_piece, repeat, tile_granule), stop, [&](int, Range range) {
          function_({a_ + range.first * tile_rows * tile_row_bytes, b_, d + range.first * d_bytes(),
                     range.count, repeat, accumulate, streaming_});
        });
  }

  TileFunction function_;
  bool streaming_;
  char *a_ = nullptr, *b_ = nullptr;  // where the tensors lie during a run
};

}  // namespace

extern const FamilyOnCpu tile_on_cpu{.family = Family::tile, .prepare = prepare_with<TileTrial>};

}  // namespace kernels::cpu
