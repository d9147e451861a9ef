// Family `rowwise`: one launch over the rows of a matrix. Sums of columns are of parts of the rows,
// and a second launch sums these.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "kernels/cuda/operators/operators.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/reference.hpp"
#include "kernels/families/rowwise.hpp"
#include "kernels/random.hpp"

namespace kernels::cuda {
namespace {

/// Rows or columns that are compared beside the first and the last, at random; elements of a
/// transpose.
constexpr std::uint64_t random_rows = 16, samples = 4096;

/// Sums of columns: so many rows make a part, and most parts. 64 parts of each 64 columns of BERT
/// are 768 blocks, several for each multiprocessor, and their sums 1/128 of what is read.
constexpr std::uint64_t rows_of_part = 128, most_parts = 64;

std::uint64_t parts_of(const Case& c) {
  if (!is_on_columns(c.op())) return 1;
  return std::clamp<std::uint64_t>(rows_of(c) / rows_of_part, 1, most_parts);
}

/// None where blocks are of tiles or of columns.
int team_of(const Case& c) {
  if (c.op() == Op::transpose || is_on_columns(c.op())) return 0;
  return row_team(columns_of(c) * size_of(c.dtype), size_of(c.dtype));
}

const void* function_of(const Case& c, bool sums_parts = false) {
  static const auto kernels = rowwise_kernels();
  const auto kernel = std::ranges::find_if(kernels, [&](const RowwiseKernel& k) {
    return k.op == c.op() && k.dtype == c.dtype && k.team == team_of(c) &&
           k.sums_parts == sums_parts;
  });
  if (kernel == kernels.end()) throw Unsupported(fmt::format("no kernel for {}", describe(c)));
  return kernel->function;
}

class RowwiseTrial final : public LaunchTrial {
 public:
  RowwiseTrial(Gpu& gpu, const Case& c)
      : LaunchTrial(gpu, c, LaunchMode::graph_if_short),
        function_(function_of(c)),
        team_(team_of(c)),
        seed_(gpu.next_seed()),
        second_seed_(gpu.next_seed()),
        parts_(parts_of(c)),
        wave_(
            std::max<std::uint64_t>(1, gpu.resident_blocks(function_, row_block_threads) / parts_)),
        in_(gpu.pool().take(bytes(c.elements))),
        out_(gpu.pool().take(bytes(result_elements(c)))) {
    if (second_elements(c) > 0) second_ = gpu.pool().take(bytes(second_elements(c)));
    if (steps() > 1) {
      sums_parts_ = function_of(c, true);
      sums_ = gpu.pool().take(
          static_cast<double>(parts_ * columns_of(c) * size_of(arithmetic_of_operators(c.dtype))));
    }
    fill(c.data);
  }

  /// Sums of columns that have parts take two launches.
  Work work() const override {
    Work work = LaunchTrial::work();
    work.launches = static_cast<double>(steps());
    return work;
  }

  /// On random data: zeros would hide what was left out.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    settle(stop);
    if (case_.data != Data::random) fill(Data::random);
    Check check =
        check_coverage(gpu_, out_, static_cast<std::uint32_t>(size()), [&] { once(stop); });
    if (check.ok) check = case_.op() == Op::transpose ? check_elements() : check_rows(stop);
    if (case_.data != Data::random) fill(case_.data);
    return check;
  }

 private:
  std::size_t size() const { return size_of(case_.dtype); }
  double bytes(std::uint64_t elements) const { return static_cast<double>(elements * size()); }
  // Parts of bf16 are summed in fp32 even where there is but one.
  std::uint64_t steps() const override {
    const bool widens = arithmetic_of_operators(case_.dtype) != case_.dtype;
    return parts_ > 1 || (is_on_columns(case_.op()) && widens) ? 2 : 1;
  }
  // Blocks of tiles or of rows; or groups of columns.
  std::uint64_t units() const override {
    if (is_on_columns(case_.op())) return columns_of(case_) / column_group;
    if (team_ == 0) return case_.elements / (transpose_side * transpose_side);
    return rows_of(case_) * static_cast<unsigned>(team_) / row_block_threads;
  }
  std::uint64_t wave() const override { return wave_; }

  // Of two steps the first writes sums of parts, which are the rows of the second.
  void enqueue(std::uint64_t step, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const bool last = step + 1 == steps();
    const std::uint64_t parts = last ? 1 : parts_;
    launch(step == 0 ? function_ : sums_parts_, count * parts, row_block_threads,
           RowwiseArguments{.in = (step == 0 ? in_ : sums_).as<const Vector>(),
                            .second = second_.as<const Vector>(),
                            .out = (last ? out_ : sums_).data(),
                            .rows = step == 0 ? rows_of(case_) : parts_,
                            .columns = columns_of(case_),
                            .first = first,
                            .parts = parts},
           stream);
  }

  void fill(Data data) {
    fill(in_, seed_, case_.elements, data);
    if (second_.data() != nullptr) fill(second_, second_seed_, second_elements(case_), data);
  }
  void fill(const Buffer& buffer, std::uint64_t seed, std::uint64_t elements, Data data) {
    if (data == Data::random) return gpu_.fill(buffer.data(), case_.dtype, elements, seed);
    check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), gpu_.stream()),
          "filling device memory");
  }

  double input(std::uint64_t i) const { return random_element(case_.dtype, seed_, i); }

  Check check_rows(const std::stop_token& stop) const {
    const std::uint64_t all = is_on_columns(case_.op()) ? columns_of(case_) : rows_of(case_);
    const std::uint64_t each = result_elements(case_) / all;
    std::set<std::uint64_t> rows{0, all - 1};
    for (std::uint64_t i = 0; i < random_rows; ++i)
      rows.insert(random_bits(Dtype::fp64, seed_, i) % all);
    Deviation deviation;
    for (const std::uint64_t row : rows) {
      if (stop.stop_requested()) throw Cancelled();
      const std::uint64_t first = row * each;
      const auto got =
          read_bytes(gpu_, out_.as<const unsigned char>() + first * size(), each * size());
      const RowTensors tensors{
          .input = [&](std::uint64_t i) { return input(i); },
          .second = [&](std::uint64_t i) { return random_element(case_.dtype, second_seed_, i); },
          .result =
              [&](std::uint64_t i) {
                return decode(case_.dtype, element_bits(got, size(), i - first));
              }};
      if (Check check = check_row(case_, row, tensors, cuda_error, deviation); !check.ok)
        return check;
    }
    return {.ok = true, .error = deviation.share()};
  }

  // A row of the result is a column of the input.
  Check check_elements() const {
    const std::uint64_t rows = rows_of(case_), columns = columns_of(case_);
    for (const Window& window : sample_windows(case_.elements, samples, seed_)) {
      const auto got = read_bytes(gpu_, out_.as<const unsigned char>() + window.first * size(),
                                  window.count * size());
      for (std::uint64_t i = 0; i < window.count; ++i) {
        const std::uint64_t at = window.first + i;
        const double expected = input(at % rows * columns + at / rows);
        const double value = decode(case_.dtype, element_bits(got, size(), i));
        if (value != expected)
          return {false, fmt::format("element {} of {}: expected {}, got {}", at, case_.elements,
                                     expected, value)};
      }
    }
    return {.ok = true};
  }

  const void* function_;
  const void* sums_parts_ = nullptr;
  int team_;
  std::uint64_t seed_, second_seed_;
  std::uint64_t parts_;
  std::uint64_t wave_;
  Buffer in_, out_, second_, sums_;
};

}  // namespace

std::unique_ptr<Trial> make_rowwise(Gpu& gpu, const Case& c) {
  if (const std::string why = refusal_of(c); !why.empty()) throw Unsupported(why);
  return std::make_unique<RowwiseTrial>(gpu, c);
}

}  // namespace kernels::cuda
