// Family `rowwise`: one launch over the rows of a matrix. Sums of columns are of parts of the rows,
// and a second launch sums these.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/trials/rows.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/rowwise/rowwise.hpp"

namespace kernels::cuda {
namespace {

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
      : LaunchTrial(gpu, c), function_(function_of(c)), team_(team_of(c)), parts_(parts_of(c)) {
    wave_ = std::max<std::uint64_t>(1, gpu.resident_blocks(function_, row_block_threads) / parts_);
    take(c.elements);
    if (second_elements(c) > 0) take(second_elements(c));
    out_ = room_for(result_elements(c));
    if (steps() > 1) {
      sums_parts_ = function_of(c, true);
      sums_of_parts_ = room_for(parts_ * columns_of(c), arithmetic_of_operators(c.dtype));
    }
    fill(Contents::case_data, {});
  }

  /// Sums of columns that have parts take two launches.
  Work work() const override {
    Work work = LaunchTrial::work();
    work.launches = static_cast<double>(steps());
    return work;
  }

 private:
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

  // Of two steps the first writes sums of parts, which are the rows of the second.
  void enqueue(std::uint64_t step, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const bool last = step + 1 == steps();
    const std::uint64_t parts = last ? 1 : parts_;
    launch(step == 0 ? function_ : sums_parts_, count * parts, row_block_threads,
           RowwiseArguments{.in = step == 0 ? in<Vector>(0) : sums_of_parts_.as<const Vector>(),
                            .second = in<Vector>(1),
                            .out = (last ? out_ : sums_of_parts_).data(),
                            .rows = step == 0 ? rows_of(case_) : parts_,
                            .columns = columns_of(case_),
                            .first = first,
                            .parts = parts},
           stream);
  }

  const void* function_;
  const void* sums_parts_ = nullptr;
  int team_;
  std::uint64_t parts_;
  Buffer sums_of_parts_;
};

}  // namespace

extern const FamilyOnGpu rowwise_on_gpu{
    .family = Family::rowwise,
    .rows = [](const GpuFacts&) { return operator_rows(Family::rowwise); },
    .prepare = prepare_with<RowwiseTrial>};

}  // namespace kernels::cuda
