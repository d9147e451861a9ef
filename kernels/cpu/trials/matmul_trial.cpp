// Family `matmul`: C = A B. Our own kernels pack A in one launch and compute C in another, in whole
// tiles of which every thread has an equal share; a library does as it likes on the same cores.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/cpu/loaded/onednn.hpp"
#include "kernels/cpu/machine/pinned_caller.hpp"
#include "kernels/cpu/machine/share.hpp"
#include "kernels/cpu/trials/check_elements.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/matmul.hpp"
#include "kernels/families/matmul_reference.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cpu {
namespace {

constexpr std::uint64_t line = 64;
/// FLOP between two looks at the stop token: 5 ms of a fast kernel, 0.1 s of the slowest.
constexpr std::uint64_t flops_per_piece = std::uint64_t{1} << 30;
/// Tiles of which our kernels use a packed piece of B.
constexpr std::uint64_t tiles_together = 8;

std::uint64_t over(std::uint64_t length, std::uint64_t part) { return (length + part - 1) / part; }

class MatmulTrial final : public TimedTrial {
 public:
  /// Without a choice by the library.
  MatmulTrial(Machine& machine, const Choice* choice, const Case& c, const std::stop_token& stop)
      : TimedTrial(machine, c),
        size_(matmul_size(c)),
        result_(matmul_result(c.dtype)),
        own_(choice != nullptr),
        function_(own_ ? choice->row.matmul : MatmulFunction{}),
        note_(own_ ? note_of(*choice) : OneDnn::instance().name()) {
    seed_a_ = machine.input(Slot::first, c, size_.m * size_.k, stop);
    seed_b_ = machine.input(Slot::second, c, size_.k * size_.n, stop);
    machine.output(Slot::third, third_bytes(), c);
    if (own_) return;
    const Pool::PinnedCaller pinned(machine.pool());
    OneDnn::instance().place_threads(machine.pool().processors());
  }

  bool cold() const override { return machine_.in_dram(footprint_of(case_)); }
  std::string note() const override { return note_; }

  /// All of a product of integers, which is exact, once per kernel and size; then sampled rows and
  /// columns of the data of the case.
  Check verify(std::stop_token stop) override {
    const auto* kernel = own_ ? reinterpret_cast<const void*>(function_.multiply)
                              : static_cast<const void*>(&OneDnn::instance());
    if (!machine_.checked_before(kernel, case_)) {
      const Check check = check_integers(stop);
      if (!check.ok) return check;
      machine_.note_checked(kernel, case_);
    }
    run_poisoned(stop);
    return check_samples();
  }

 protected:
  /// The library's threads run on the cores of ours.
  void before_timing() override {
    if (!own_) Pool::let_others_sleep();
  }

  void run_once(const std::stop_token& stop) override {
    if (own_) return run_own(stop);
    const bool done =
        OneDnn::instance().multiply(case_.dtype, a(), b(), c(), size_.m, size_.n, size_.k);
    if (!done) throw std::runtime_error(fmt::format("{} refused {}", note_, describe(case_)));
  }

 private:
  std::uint64_t result_bytes() const {
    return over(size_.m * size_.n * size_of(result_), line) * line;
  }
  std::uint64_t tile_rows() const { return over(size_.m, matmul_tile); }
  std::uint64_t packed_bytes() const {
    return own_ ? tile_rows() * over(size_.k, function_.block_depth) * function_.block_bytes : 0;
  }
  std::uint64_t room_bytes() const { return over(function_.room_bytes, line) * line; }
  /// C; behind it packed A and the rooms of the threads.
  std::uint64_t third_bytes() const {
    return result_bytes() + packed_bytes() +
           room_bytes() * static_cast<std::uint64_t>(machine_.pool().threads());
  }

  char* a() const { return machine_.data(Slot::first, size_.m * size_.k * size_of(case_.dtype)); }
  char* b() const { return machine_.data(Slot::second, size_.k * size_.n * size_of(case_.dtype)); }
  char* c() const { return machine_.data(Slot::third, third_bytes()); }
  char* packed() const { return c() + result_bytes(); }

  void run_own(const std::stop_token& stop) {
    const int threads = machine_.pool().threads();
    auto pack = [&, from = a(), to = packed()](int thread) {
      const Range rows = share_of(tile_rows(), 1, thread, threads);
      function_.pack({from, to, size_.m, size_.k, rows.first, rows.count});
    };
    machine_.pool().launch(pack);
    const std::uint64_t of_tile = 2 * matmul_tile * matmul_tile * size_.k;
    const std::uint64_t piece =
        std::max<std::uint64_t>(1, flops_per_piece / of_tile / tiles_together) * tiles_together;
    const MatmulSlice all{packed(), b(),     c(), nullptr, size_.m,
                          size_.n,  size_.k, 0,   0,       has_whole_edges(case_)};
    char* const rooms = packed() + packed_bytes();
    auto share = [&](int thread) {
      MatmulSlice mine = all;
      mine.room = rooms + room_bytes() * static_cast<std::uint64_t>(thread);
      in_pieces(
          share_of(matmul_tiles(size_), 1, thread, threads), piece,
          [&] { return stop.stop_requested(); },
          [&](Range tiles) {
            mine.first = tiles.first;
            mine.tiles = tiles.count;
            function_.multiply(mine);
          });
    };
    machine_.pool().launch(share);
  }

  void run_poisoned(const std::stop_token& stop) {
    fill_bytes(machine_, c(), size_.m * size_.n, size_of(result_), poison_of(result_), stop);
    run_untimed(stop);
  }

  /// What the slots hold is no input until it is put back.
  Check check_integers(const std::stop_token& stop) {
    machine_.spoil(Slot::first);
    machine_.spoil(Slot::second);
    fill_integers(machine_, case_.dtype, a(), size_.m * size_.k, seed_a_, stop);
    fill_integers(machine_, case_.dtype, b(), size_.k * size_.n, seed_b_, stop);
    run_poisoned(stop);
    const Check check = check_rows(stop);
    seed_a_ = machine_.input(Slot::first, case_, size_.m * size_.k, stop);
    seed_b_ = machine_.input(Slot::second, case_, size_.k * size_.n, stop);
    return check;
  }

  /// Every row of C times a vector against that row of A times (B times the vector): a wrong
  /// element changes it.
  Check check_rows(const std::stop_token& stop) {
    const IntegerProduct expected(size_, seed_a_, seed_b_);
    const int threads = machine_.pool().threads();
    std::vector<double> inner(size_.k), wrong(static_cast<std::size_t>(threads), -1);
    const auto on_rows = [&](std::uint64_t rows, auto body) {
      auto share = [&](int thread) {
        in_pieces(
            share_of(rows, 1, thread, threads), 1, [&] { return stop.stop_requested(); },
            [&](Range row) { body(row.first, static_cast<std::size_t>(thread)); });
      };
      const Pool::PinnedCaller pinned(machine_.pool());
      machine_.pool().launch(share);
      if (stop.stop_requested()) throw Cancelled();
    };
    on_rows(size_.k, [&](std::uint64_t row, std::size_t) { inner[row] = expected.inner(row); });
    on_rows(size_.m, [&](std::uint64_t row, std::size_t thread) {
      const double got = expected.times_vector(result_, row_of_c(row));
      if (got != expected.outer(row, inner)) wrong[thread] = static_cast<double>(row);  // NaN, too
    });
    for (const double row : wrong) {
      if (row >= 0)
        return expected.wrong_element(static_cast<std::uint64_t>(row), result_,
                                      row_of_c(static_cast<std::uint64_t>(row)));
    }
    return {.ok = true};
  }

  const char* row_of_c(std::uint64_t row) const { return c() + row * size_.n * size_of(result_); }

  Check check_samples() const {
    const auto is = sampled_lines(size_.m, seed_a_), js = sampled_lines(size_.n, seed_b_);
    Deviation deviation;
    for (const std::uint64_t j : js) {
      std::vector<double> column(size_.k);
      for (std::uint64_t l = 0; l < size_.k; ++l)
        column[l] = data_element(case_, seed_b_, l * size_.n + j);
      for (const std::uint64_t i : is) {
        const MatmulReference expected = matmul_reference(
            case_.dtype, column,
            [&](std::uint64_t l) { return data_element(case_, seed_a_, i * size_.k + l); });
        const double got = decode(result_, bits_at(row_of_c(i), j, size_of(result_)));
        deviation.add(expected.value, got);
        if (!(std::fabs(got - expected.value) <= expected.tolerance))
          return wrong_at(i, j, expected, got);
      }
    }
    return {.ok = true, .error = deviation.share()};
  }

  MatmulSize size_;
  Dtype result_;
  bool own_;
  MatmulFunction function_;
  std::string note_;
  std::uint64_t seed_a_ = 0, seed_b_ = 0;
};

}  // namespace

std::unique_ptr<Trial> prepare_matmul(Machine& machine, const Choice* choice, const Case& c,
                                      std::stop_token stop) {
  return std::make_unique<MatmulTrial>(machine, choice, c, stop);
}

}  // namespace kernels::cpu
