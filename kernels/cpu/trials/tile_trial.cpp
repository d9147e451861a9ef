// Family `tile`: every A tile is multiplied `repeat` times by one B and summed into its D. Fused, D
// stays in registers meanwhile; unfused, every product is a launch of its own that reads the sum so
// far and writes it back.
#include <algorithm>

#include "kernels/cpu/trials/check_elements.hpp"
#include "kernels/cpu/trials/share.hpp"
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
        seed_(machine.next_seed()),
        streaming_(machine.beyond_caches(footprint_of(c))) {
    a_ = machine.reserve(Slot::first, c.elements * size_of(c.dtype), c).data();
    d_ = machine.reserve(Slot::second, tiles_ * d_bytes(), c).data();
    b_ = machine.reserve(Slot::third, b_elements() * size_of(c.dtype), c).data();
    fill_inputs([&](void* data, std::uint64_t elements, std::uint64_t seed) {
      fill_data(machine, c, data, elements, seed, stop);
    });
  }

  bool cold() const override { return machine_.in_dram(footprint_of(case_)); }

  /// Everything at a few repeats, where rounding must stay within its bound; then all repeats on
  /// tiles whose sums are exact, and on those of the case for their error.
  Check verify(std::stop_token stop) override {
    const std::uint64_t repeat = case_.repeat, tiles = tiles_;
    case_.repeat = std::min(repeat, rounded_repeat);
    Check check = check_run(stop);
    case_.repeat = repeat;
    const bool proved = repeat <= rounded_repeat && case_.data != Data::zeros;
    if (!check.ok || proved) return check;
    tiles_ = std::min(tiles, exact_tiles * static_cast<std::uint64_t>(machine_.pool().threads()));
    fill_inputs([&](void* data, std::uint64_t elements, std::uint64_t seed) {
      fill_integers(machine_, case_.dtype, data, elements, seed, stop);
    });
    check = check_run(stop);
    fill_inputs([&](void* data, std::uint64_t elements, std::uint64_t seed) {
      fill_data(machine_, case_, data, elements, seed, stop);
    });
    if (check.ok) check = check_run(stop);
    tiles_ = tiles;
    return check;
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    if (case_.fusion == Fusion::fused) return launch(case_.repeat, false, stop);
    for (std::uint64_t step = 0; step < case_.repeat && !stop.stop_requested(); ++step) {
      launch(1, step > 0, stop);
    }
  }

 private:
  static constexpr std::uint64_t b_seed = std::uint64_t{1} << 40;

  std::uint64_t b_elements() const { return tile_depth(case_.dtype) * tile_columns; }
  std::uint64_t d_bytes() const {
    return tile_rows * tile_columns * info_of(case_.dtype).accumulator_size;
  }
  const char* a_tile(std::uint64_t tile) const {
    return static_cast<const char*>(a_) + tile * tile_rows * tile_row_bytes;
  }
  char* d_tile(std::uint64_t tile) const { return static_cast<char*>(d_) + tile * d_bytes(); }

  /// fill(data, elements, seed) of B and of as many tiles of A as run.
  template <class Fill>
  void fill_inputs(Fill fill) {
    fill(a_, tiles_ * tile_elements(case_.dtype), seed_);
    fill(b_, b_elements(), seed_ + b_seed);
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
    Pool& pool = machine_.pool();
    const std::uint64_t piece = std::max(tile_granule, products_per_piece / repeat);
    auto share = [&](int thread) {
      in_pieces(
          share_of(tiles_, tile_granule, thread, pool.threads()), piece,
          [&] { return stop.stop_requested(); },
          [&](Range range) {
            function_({a_tile(range.first), b_, d_tile(range.first), range.count, repeat,
                       accumulate, streaming_});
          });
    };
    pool.launch(share);
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
  std::uint64_t tiles_;
  std::uint64_t seed_;
  bool streaming_;
  void* a_ = nullptr;
  void* b_ = nullptr;
  void* d_ = nullptr;
};

}  // namespace

std::unique_ptr<Trial> prepare_tile(Machine& machine, const Choice& choice, const Case& c,
                                    std::stop_token stop) {
  return std::make_unique<TileTrial>(machine, choice, c, stop);
}

}  // namespace kernels::cpu
