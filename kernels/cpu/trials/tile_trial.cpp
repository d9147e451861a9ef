// Family `tile`: every A tile is multiplied `repeat` times by one B and summed into its D. Fused, D
// stays in registers meanwhile; unfused, every product is a launch of its own that reads the sum so
// far and writes it back.
#include <algorithm>

#include "kernels/cpu/machine/share.hpp"
#include "kernels/cpu/trials/check_elements.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/tile.hpp"
#include "kernels/families/tile_reference.hpp"

namespace kernels::cpu {
namespace {

// Kernels multiply up to two tiles at a time; a share of four is 4 KiB of A.
constexpr std::uint64_t tile_granule = 4;
/// Products between two looks at the stop token: 10 ms for the slowest kernel (about a microsecond
/// each).
constexpr std::uint64_t products_per_piece = std::uint64_t{1} << 13;
constexpr std::uint64_t checked_tiles = 48;
/// Tiles per thread on which all repeats are checked.
constexpr std::uint64_t exact_tiles = 64;

class TileTrial final : public TimedTrial {
 public:
  TileTrial(Machine& machine, const Choice& choice, const Case& c, std::stop_token stop)
      : TimedTrial(machine, c),
        function_(choice.row.tile),
        tiles_(c.elements / tile_elements(c.dtype)),
        all_tiles_(tiles_),
        streaming_(machine.beyond_caches(footprint_of(c))) {
    seed_ = machine.input(Slot::first, c, a_elements(all_tiles_), stop);
    machine.output(Slot::second, all_tiles_ * d_bytes(), c);
    machine.output(Slot::third, 2 * b_bytes() + bytes_of(a_elements(exact_part())), c);
    machine.input(Slot::third, c, b_elements(), stop);
    find_tensors();
  }

  /// Everything at a few repeats, where rounding must stay within its bound, once per kernel and
  /// size; then all repeats on tiles whose sums are exact, and on those of the case for their
  /// error.
  Check verify(std::stop_token stop) override {
    const std::uint64_t repeat = case_.repeat;
    const auto* kernel = reinterpret_cast<const void*>(function_);
    if (!machine_.checked_before(kernel, case_)) {
      case_.repeat = rounded_repeat;
      const Check check = check_run(stop);
      case_.repeat = repeat;
      if (check.ok) machine_.note_checked(kernel, case_);
      const bool proved = repeat == rounded_repeat && case_.data != Data::zeros;
      if (!check.ok || proved) return check;
    }
    tiles_ = exact_part();
    Check check = check_integers(stop);
    if (check.ok) check = check_run(stop);
    tiles_ = all_tiles_;
    return check;
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    find_tensors();
    if (case_.fusion == Fusion::fused) return launch(case_.repeat, false, stop);
    for (std::uint64_t step = 0; step < case_.repeat && !stop.stop_requested(); ++step) {
      launch(1, step > 0, stop);
    }
  }
  std::optional<Deal> in_parts() const override {
    return case_.fusion == Fusion::fused ? std::optional(deal()) : std::nullopt;
  }

 private:
  Deal deal() const { return machine_.deal(tiles_, tile_granule, streaming_); }
  std::uint64_t b_elements() const { return tile_depth(case_.dtype) * tile_columns; }
  std::uint64_t d_bytes() const {
    return tile_rows * tile_columns * info_of(case_.dtype).accumulator_size;
  }
  const char* a_tile(std::uint64_t tile) const {
    return static_cast<const char*>(a_) + tile * tile_rows * tile_row_bytes;
  }
  char* d_tile(std::uint64_t tile) const { return static_cast<char*>(d_) + tile * d_bytes(); }

  std::uint64_t a_elements(std::uint64_t tiles) const { return tiles * tile_elements(case_.dtype); }
  std::uint64_t bytes_of(std::uint64_t elements) const { return elements * size_of(case_.dtype); }

  std::uint64_t b_bytes() const { return bytes_of(b_elements()); }
  /// Tiles on which all repeats are checked.
  std::uint64_t exact_part() const {
    return std::min(all_tiles_,
                    exact_tiles * static_cast<std::uint64_t>(machine_.pool().threads()));
  }

  /// The third slot holds B; behind it, B and a part of A as integers.
  void find_tensors() {
    char* third = machine_.data(Slot::third, 2 * b_bytes() + bytes_of(a_elements(exact_part())));
    a_ = integers_ ? third + 2 * b_bytes()
                   : machine_.data(Slot::first, bytes_of(a_elements(all_tiles_)));
    b_ = integers_ ? third + b_bytes() : third;
    d_ = machine_.data(Slot::second, all_tiles_ * d_bytes());
  }

  Check check_integers(const std::stop_token& stop) {
    integers_ = true;
    find_tensors();
    fill_integers(machine_, case_.dtype, a_, a_elements(tiles_), seed_, stop);
    fill_integers(machine_, case_.dtype, b_, b_elements(), seed_ + 1, stop);
    const Check check = check_run(stop);
    integers_ = false;
    find_tensors();
    return check;
  }

  Check check_run(const std::stop_token& stop) {
    const std::uint64_t size = info_of(case_.dtype).accumulator_size;
    const std::uint64_t elements = tiles_ * tile_rows * tile_columns;
    fill_bytes(machine_, d_, elements, size, poison_of(case_.dtype), stop);
    run_untimed(stop);
    std::vector<std::uint64_t> tiles;
    for (const std::uint64_t i :
         poisoned_elements(machine_, d_, elements, size, poison_of(case_.dtype), stop)) {
      tiles.push_back(i / (tile_rows * tile_columns));
    }
    const auto samples = sampled_elements(tiles_, tile_granule, machine_.pool().threads(), seed_);
    // Evenly out of all samples, the last included.
    const std::uint64_t count = std::min<std::uint64_t>(checked_tiles, samples.size());
    for (std::uint64_t i = 1; i <= count; ++i)
      tiles.push_back(samples[i * samples.size() / count - 1]);
    return compare(tiles, stop);
  }

  void launch(std::uint64_t repeat, bool accumulate, const std::stop_token& stop) {
    const std::uint64_t granules =
        std::max<std::uint64_t>(1, products_per_piece / repeat / tile_granule);
    Division tiles(deal(), part());
    auto share = [&](int thread) {
      tiles.deal(
          thread, granules * tile_granule, [&] { return stop.stop_requested(); },
          [&](Range range) {
            function_({a_tile(range.first), b_, d_tile(range.first), range.count, repeat,
                       accumulate, streaming_});
          });
    };
    machine_.pool().launch(share);
  }

  Check compare(const std::vector<std::uint64_t>& tiles, const std::stop_token& stop) const {
    Check all{.ok = true};
    for (const std::uint64_t tile : tiles) {
      if (stop.stop_requested()) throw Cancelled();
      const TileReference expected =
          tile_reference(case_.dtype, case_.units, a_tile(tile), b_, case_.repeat, nullptr);
      const Check check = check_tile(expected, case_.dtype, d_tile(tile), tile);
      if (!check.ok) return check;
      all.error = std::max(all.error, check.error);
    }
    return all;
  }

  TileFunction function_;
  std::uint64_t tiles_;  // that run
  std::uint64_t all_tiles_;
  std::uint64_t seed_ = 0;
  bool streaming_;
  bool integers_ = false;  // that are checked
  void* a_ = nullptr;      // where the tensors lie during a run
  void* b_ = nullptr;
  void* d_ = nullptr;
};

}  // namespace

std::unique_ptr<Trial> prepare_tile(Machine& machine, const Choice& choice, const Case& c,
                                    std::stop_token stop) {
  return std::make_unique<TileTrial>(machine, choice, c, stop);
}

}  // namespace kernels::cpu
