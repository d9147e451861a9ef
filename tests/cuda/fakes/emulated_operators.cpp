// Kernels of operators of neural networks, filled with host functions: the bodies of the kernels,
// phase by phase where threads share something.
#include <vector>

#include "emulation.hpp"
#include "fake_runtime.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/pointwise/pointwise_body.hpp"
#include "kernels/families/rowwise/rowwise_body.hpp"
#include "kernels/families/rowwise/rowwise_tiles_body.hpp"

namespace kernels::cuda {
namespace {

template <class Memory, class Operator>
PointwiseKernel pointwise_row() {
  return {
      Operator::op, dtype_of<Memory>,
      fake_cuda::add<PointwiseArguments>([](const PointwiseArguments& args, std::uint64_t blocks) {
        launch_on_host(blocks, block_threads,
                       [&](Place place) { pointwise_thread<Memory, Operator>(args, place); });
      })};
}

template <class S>
PointwiseListKernel list_row() {
  return {dtype_of<S>, fake_cuda::add<PointwiseListArguments>([](const PointwiseListArguments& args,
                                                                 std::uint64_t blocks) {
            launch_on_host(blocks, block_threads,
                           [&](Place place) { pointwise_list_thread<S>(args, place); });
          })};
}

// What the values of each team become together.
template <int team, bool maximum, class S>
std::vector<S> reduced(const std::vector<S>& values) {
  std::vector<S> result(values.size());
  for (std::size_t begin = 0; begin < values.size(); begin += team) {
    S all = values[begin];
    for (std::size_t i = begin + 1; i < begin + team; ++i)
      all = maximum ? std::max(all, values[i]) : all + values[i];
    for (std::size_t i = begin; i < begin + team; ++i) result[i] = all;
  }
  return result;
}

template <Op op, int team, bool maximum, class S>
std::vector<Reduced<S>> all_reduced(std::vector<Reduced<S>> values) {
  const auto reduce = [&](S Reduced<S>::*member, auto function) {
    std::vector<S> of_member;
    for (const Reduced<S>& value : values) of_member.push_back(value.*member);
    of_member = function(of_member);
    for (std::size_t i = 0; i < values.size(); ++i) values[i].*member = of_member[i];
  };
  reduce(&Reduced<S>::of_x, reduced<team, maximum, S>);
  if (reduces_two(op)) reduce(&Reduced<S>::of_gradient, reduced<team, false, S>);
  return values;
}

template <class Memory, Op op, int team>
void rowwise_block(const RowwiseArguments& args, std::uint64_t block) {
  using S = typename StorageOf<Memory>::Lanes::Chain;
  std::vector<RowThread<Memory, op, team>> threads;
  for (std::uint32_t t = 0; t < row_block_threads; ++t)
    threads.push_back({args, {block, t, row_block_threads}});
  std::vector<Reduced<S>> one(threads.size()), two(threads.size());
  if constexpr (reductions_of(op) > 0) {
    for (std::size_t t = 0; t < threads.size(); ++t) one[t] = threads[t].first();
    one = all_reduced<op, team, reduces_to_maximum(op)>(one);
  }
  if constexpr (reductions_of(op) > 1) {
    for (std::size_t t = 0; t < threads.size(); ++t) two[t] = threads[t].second(one[t]);
    two = all_reduced<op, team, false>(two);
  }
  for (std::size_t t = 0; t < threads.size(); ++t) threads[t].finish(one[t], two[t]);
}

template <class Memory, Op op, int team>
RowwiseKernel rowwise_row() {
  return {op, dtype_of<Memory>, team,
          fake_cuda::add<RowwiseArguments>([](const RowwiseArguments& args, std::uint64_t blocks) {
            for (std::uint64_t b = 0; b < blocks; ++b) rowwise_block<Memory, op, team>(args, b);
          })};
}

template <class S>
RowwiseKernel transpose_row(Dtype dtype) {
  return {Op::transpose, dtype, 0,
          fake_cuda::add<RowwiseArguments>([](const RowwiseArguments& args, std::uint64_t blocks) {
            for (std::uint64_t b = 0; b < blocks; ++b) {
              std::vector<S> shared(TransposeTile<S>::shared_elements);
              for (std::uint32_t t = 0; t < row_block_threads; ++t)
                TransposeTile<S>(args, {b, t, row_block_threads}).stage(shared.data());
              for (std::uint32_t t = 0; t < row_block_threads; ++t)
                TransposeTile<S>(args, {b, t, row_block_threads}).store(shared.data());
            }
          })};
}

template <class Memory, class Result>
RowwiseKernel column_sum_row(Dtype dtype, bool sums_parts) {
  using Thread = ColumnThread<Memory, Result>;
  return {Op::column_sum, dtype, 0,
          fake_cuda::add<RowwiseArguments>([](const RowwiseArguments& args, std::uint64_t blocks) {
            for (std::uint64_t b = 0; b < blocks; ++b) {
              std::vector<typename Thread::Sum> shared(Thread::shared_sums);
              for (std::uint32_t t = 0; t < row_block_threads; ++t)
                Thread(args, {b, t, row_block_threads}).stage(shared.data());
              for (std::uint32_t t = 0; t < row_block_threads; ++t)
                Thread(args, {b, t, row_block_threads}).finish(shared.data());
            }
          }),
          sums_parts};
}

}  // namespace

std::vector<PointwiseKernel> pointwise_kernels() {
  static std::vector<PointwiseKernel> rows;
  if (!rows.empty()) return rows;
  visit_operators([&]<class Operator>() {
    rows.push_back(pointwise_row<float, Operator>());
    rows.push_back(pointwise_row<double, Operator>());
    rows.push_back(pointwise_row<WidenedBf16, Operator>());
  });
  return rows;
}

std::array<PointwiseListKernel, 2> pointwise_list_kernels() {
  static const std::array kernels{list_row<float>(), list_row<double>()};
  return kernels;
}

std::vector<RowwiseKernel> rowwise_kernels() {
  static std::vector<RowwiseKernel> rows;
  if (!rows.empty()) return rows;
  rows = {transpose_row<float>(Dtype::fp32), transpose_row<double>(Dtype::fp64),
          transpose_row<std::uint16_t>(Dtype::bf16)};
  for (const bool sums_parts : {false, true}) {
    rows.push_back(column_sum_row<float, float>(Dtype::fp32, sums_parts));
    rows.push_back(column_sum_row<double, double>(Dtype::fp64, sums_parts));
  }
  rows.push_back(column_sum_row<WidenedBf16, float>(Dtype::bf16, false));
  rows.push_back(column_sum_row<float, WidenedBf16>(Dtype::bf16, true));
  visit_rowwise(
      [&]<class Memory, Op op, int team>() { rows.push_back(rowwise_row<Memory, op, team>()); });
  return rows;
}

}  // namespace kernels::cuda
