// Family `matmul`: C = A B, or a batch of such products. Our own kernels pack all A in one launch
// and compute all C in another, in whole tiles of which every thread has an equal share; a library
// does as it likes on the same cores, one product after the other.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/cpu/loaded/onednn.hpp"
#include "kernels/cpu/loaded/onednn_relu.hpp"
#include "kernels/cpu/threads/share.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "kernels/families/matmul/matmul_reference.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cpu {
namespace {

constexpr std::uint64_t line = 64;
/// FLOP between two looks at the stop token: 5 ms of a fast kernel, 0.1 s of the slowest.
constexpr std::uint64_t flops_per_piece = std::uint64_t{1} << 30;
/// Tiles of which our kernels use a packed piece of B.
constexpr std::uint64_t tiles_together = 8;

std::uint64_t over(std::uint64_t length, std::uint64_t part) { return (length + part - 1) / part; }

/// body(product, range within it) for a range over products of `each` items.
template <class Body>
void by_product(Range all, std::uint64_t each, Body body) {
  while (all.count > 0) {
    const std::uint64_t first = all.first % each;
    const std::uint64_t count = std::min(all.count, each - first);
    body(all.first / each, Range{first, count});
    all = {all.first + count, all.count - count};
  }
}

class MatmulTrial final : public TimedTrial {
 public:
  /// Without a choice by the library.
  MatmulTrial(Machine& machine, const Choice* choice, const Case& c, const std::stop_token& stop)
      : TimedTrial(machine, c, choice ? note_of(*choice) : OneDnn::instance().name()),
        size_(matmul_size(c)),
        result_(matmul_result(c.dtype)),
        own_(choice != nullptr),
        function_(own_ ? choice->row.matmul : MatmulFunction{}),
        has_bias_(epilogue_of(c) == Epilogue::bias_relu) {
    kernel_ = own_ ? reinterpret_cast<const void*>(function_.multiply)
                   : static_cast<const void*>(&OneDnn::instance());
    take(Slot::first, size_.elements_a(), stop);
    take(Slot::second, size_.elements_b(), stop);
    machine.output(Slot::third, third_bytes(), c);
    set_random_bias();
    if (own_) return;
    const Pool::PinnedCaller pinned(machine.pool());
    OneDnn::instance().place_threads(machine.pool().processors());
    if (has_bias_) with_relu_.emplace(size_);
  }

  /// All of a product of integers, which is exact, once per kernel and size; then sampled rows and
  /// columns of the data of the case.
  Check verify(std::stop_token stop) override {
    if (!is_proved()) {
      const Check check = check_integers(stop);
      if (!check.ok) return check;
      note_proved();
    }
    run_on_poison(stop);
    return check_samples();
  }

 protected:
  /// The library's threads run on the cores of ours.
  void before_timing(const std::stop_token&) override {
    if (!own_) Pool::let_others_sleep();
  }

  void run_once(const std::stop_token& stop) override {
    if (own_) return run_own(stop);
    for (std::uint64_t i = 0; i < size_.batch && !stop.stop_requested(); ++i) {
      if (!multiply_by_library(i))
        throw std::runtime_error(fmt::format("{} refused {}", note_, describe(case_)));
    }
  }

 private:
  std::uint64_t result_bytes() const {
    return over(size_.elements_c() * size_of(result_), line) * line;
  }
  std::uint64_t tile_rows() const { return over(size_.m, matmul_tile); }
  /// Of one product.
  std::uint64_t packed_bytes() const {
    return own_ ? tile_rows() * over(size_.k, function_.block_depth) * function_.block_bytes : 0;
  }
  std::uint64_t room_bytes() const { return over(function_.room_bytes, line) * line; }
  /// C; behind it packed A and the rooms of the threads.
  std::uint64_t third_bytes() const {
    return result_bytes() + size_.batch * packed_bytes() +
           room_bytes() * static_cast<std::uint64_t>(machine_.pool().threads());
  }

  char* a() const { return data(Slot::first, size_.elements_a() * size_of(case_.dtype)); }
  char* b() const { return data(Slot::second, size_.elements_b() * size_of(case_.dtype)); }
  char* c() const { return data(Slot::third, third_bytes()); }
  char* packed() const { return c() + result_bytes(); }
  char* a_of(std::uint64_t product) const {
    return a() + product * size_.m * size_.k * size_of(case_.dtype);
  }
  char* b_of(std::uint64_t product) const {
    return b() + product * size_.k * size_.n * size_of(case_.dtype);
  }
  char* row_of_c(std::uint64_t product, std::uint64_t row) const {
    return c() + (product * size_.m + row) * size_.n * size_of(result_);
  }

  void pack(Range rows) const {
    by_product(rows, tile_rows(), [&](std::uint64_t product, Range some) {
      function_.pack({a_of(product), packed() + product * packed_bytes(), size_.m, size_.k,
                      some.first, some.count, size_.a_transposed()});
    });
  }

  void multiply(Range tiles, char* room) const {
    by_product(tiles, matmul_tiles(size_), [&](std::uint64_t product, Range some) {
      function_.multiply({packed() + product * packed_bytes(), b_of(product), row_of_c(product, 0),
                          room, size_.m, size_.n, size_.k, some.first, some.count,
                          has_whole_edges(case_), size_.b_transposed(),
                          has_bias_ ? bias_.data() : nullptr});
    });
  }

  bool multiply_by_library(std::uint64_t product) const {
    void* const c = row_of_c(product, 0);
    if (with_relu_) return with_relu_->run(a_of(product), b_of(product), bias_.data(), c);
    return OneDnn::instance().multiply(case_.dtype, size_, a_of(product), b_of(product), c);
  }

  void run_own(const std::stop_token& stop) {
    const int threads = machine_.pool().threads();
    auto pack_share = [&](int thread) {
      pack(share_of(size_.batch * tile_rows(), 1, thread, threads));
    };
    machine_.pool().launch(pack_share);
    const std::uint64_t of_tile = 2 * matmul_tile * matmul_tile * size_.k;
    const std::uint64_t piece = piece_of(flops_per_piece, of_tile, tiles_together);
    char* const rooms = packed() + size_.batch * packed_bytes();
    on_threads({size_.batch * matmul_tiles(size_), 1, threads}, piece, stop,
               [&](int thread, Range tiles) {
                 multiply(tiles, rooms + room_bytes() * static_cast<std::uint64_t>(thread));
               });
  }

  void run_on_poison(const std::stop_token& stop) {
    fill_bytes(machine_, c(), size_.elements_c(), size_of(result_), poison_of(result_), stop);
    run_untimed(stop);
  }

  std::uint64_t seed_a() const { return inputs_[0].seed; }
  std::uint64_t seed_b() const { return inputs_[1].seed; }
  double data_element(std::uint64_t seed, std::uint64_t index) const {
    return case_.data == Data::zeros ? 0 : random_element(case_.dtype, seed, index);
  }

  /// Numbers of the data of the case.
  void set_random_bias() {
    if (!has_bias_) return;
    std::vector<double> row(size_.n);
    for (std::uint64_t j = 0; j < size_.n; ++j) row[j] = data_element(seed_a() ^ ~seed_b(), j);
    set_bias(std::move(row));
  }
  /// Zeros up to whole tiles.
  void set_bias(std::vector<double> row) {
    const std::size_t each = size_of(result_);
    bias_.assign(over(size_.n, matmul_tile) * matmul_tile * each, 0);
    for (std::uint64_t j = 0; j < size_.n; ++j) {
      const std::uint64_t bits = encode(result_, row[j]);
      std::memcpy(bias_.data() + j * each, &bits, each);
    }
    bias_row_ = std::move(row);
  }

  /// What the slots hold is no input until it is put back.
  Check check_integers(const std::stop_token& stop) {
    machine_.forget(Slot::first);
    machine_.forget(Slot::second);
    fill_integers(machine_, case_.dtype, a(), size_.elements_a(), seed_a(), stop);
    fill_integers(machine_, case_.dtype, b(), size_.elements_b(), seed_b(), stop);
    const Check check = check_integers_as_they_are(stop);
    fill(Contents::case_data, stop);
    set_random_bias();
    return check;
  }

  /// With a bias once where relu changes no element, and once where it clears all of them.
  Check check_integers_as_they_are(const std::stop_token& stop) {
    for (const bool positive : {true, false}) {
      if (has_bias_) set_bias(IntegerProduct(size_, seed_a(), seed_b()).bias(positive));
      run_on_poison(stop);
      const Check check = check_rows(stop, positive);
      if (!check.ok || !has_bias_) return check;
    }
    return {.ok = true};
  }

  /// Every row of C times a vector against that row of A times (B times the vector): a wrong
  /// element changes it. Without positive sums relu leaves zeros.
  Check check_rows(const std::stop_token& stop, bool positive) {
    std::vector<IntegerProduct> expected;
    for (std::uint64_t i = 0; i < size_.batch; ++i)
      expected.emplace_back(size_, seed_a(), seed_b(), i);
    const int threads = machine_.pool().threads();
    std::vector<double> inner(size_.batch * size_.k), wrong(static_cast<std::size_t>(threads), -1);
    const auto on_rows = [&](std::uint64_t rows, auto body) {
      const Pool::PinnedCaller pinned(machine_.pool());
      on_threads({rows, 1, threads}, 1, stop,
                 [&](int thread, Range row) { body(row.first, static_cast<std::size_t>(thread)); });
      if (stop.stop_requested()) throw Cancelled();
    };
    on_rows(inner.size(), [&](std::uint64_t row, std::size_t) {
      inner[row] = expected[row / size_.k].inner(row % size_.k);
    });
    on_rows(size_.batch * size_.m, [&](std::uint64_t row, std::size_t thread) {
      const std::uint64_t product = row / size_.m;
      const double got = expected[product].times_vector(result_, row_of_c(0, row));
      const std::span with(inner.data() + product * size_.k, size_.k);
      const double sum = positive ? expected[product].outer(row % size_.m, with) +
                                        (has_bias_ ? expected[product].times_vector(bias_row_) : 0)
                                  : 0;
      const bool right = got == sum;
      if (!right) wrong[thread] = static_cast<double>(row);  // NaN, too
    });
    for (const double found : wrong) {
      if (found < 0) continue;
      const auto row = static_cast<std::uint64_t>(found);
      return in_product(row / size_.m, expected[row / size_.m].wrong_element(
                                           row % size_.m, result_, row_of_c(0, row),
                                           has_bias_ ? bias_row_ : std::vector<double>{}));
    }
    return {.ok = true};
  }

  /// Which of a batch.
  Check in_product(std::uint64_t product, Check check) const {
    if (size_.batch > 1) check.why = fmt::format("product {}: {}", product, check.why);
    return check;
  }

  Check check_samples() const {
    Deviation deviation;
    for (const std::uint64_t product : sampled_lines(size_.batch, seed_a())) {
      const Check check = check_samples(product, deviation);
      if (!check.ok) return in_product(product, check);
    }
    return {.ok = true, .error = deviation.share()};
  }

  Check check_samples(std::uint64_t product, Deviation& deviation) const {
    const auto is = sampled_lines(size_.m, seed_a()), js = sampled_lines(size_.n, seed_b());
    const std::uint64_t first_a = product * size_.m * size_.k,
                        first_b = product * size_.k * size_.n;
    for (const std::uint64_t j : js) {
      std::vector<double> column(size_.k);
      for (std::uint64_t l = 0; l < size_.k; ++l) column[l] = input(1, first_b + size_.at_b(l, j));
      for (const std::uint64_t i : is) {
        const Expected expected = matmul_reference(
            case_.dtype, column,
            [&](std::uint64_t l) { return input(0, first_a + size_.at_a(i, l)); }, Units::vector,
            has_bias_ ? std::optional(bias_row_[j]) : std::nullopt);
        const double got = decode(result_, bits_at(row_of_c(product, i), j, size_of(result_)));
        deviation.add(expected.value, got);
        if (!expected.agrees(got)) return wrong_at(i, j, expected, got);
      }
    }
    return {.ok = true};
  }

  MatmulSize size_;
  Dtype result_;
  bool own_;
  MatmulFunction function_;
  bool has_bias_;
  std::vector<double> bias_row_;
  std::vector<char> bias_;  ///< the same in the dtype of C
  std::optional<OneDnnRelu> with_relu_;
};

std::string why_not(const Abilities& abilities, Dtype dtype, Units units) {
  if (dtype == Dtype::tf32 || dtype == Dtype::fp8) return "";
  if (units == Units::vector) return "products of integers are of int8: choose int8";
  return abilities.amx ? "there is no matrix product on AMX yet: use tile, or vector units" : "";
}

std::vector<Kernel> library_rows(const Selection&) {
  const OneDnn& library = OneDnn::instance();
  std::vector<Kernel> rows;
  for (const Units units : Family::matmul->units) {
    for (const DtypeInfo& info : dtypes) {
      rows.push_back(answered({.family = Family::matmul,
                               .op = Op::mma,
                               .dtype = info.dtype,
                               .units = units,
                               .by = By::library},
                              library.why_not(info.dtype, units), library.name()));
    }
  }
  return rows;
}

std::unique_ptr<Trial> prepare(const Asked& asked) {
  if (asked.choice == nullptr && epilogue_of(asked.c) != Epilogue::none) {
    if (const std::string why = OneDnnRelu::why_not(); !why.empty()) throw Unsupported(why);
  }
  return std::make_unique<MatmulTrial>(asked.machine, asked.choice, asked.c, asked.stop);
}

}  // namespace

extern const FamilyOnCpu matmul_on_cpu{
    .family = Family::matmul, .why_not = why_not, .more = library_rows, .prepare = prepare};

}  // namespace kernels::cpu
