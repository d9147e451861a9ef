// `banks`: reads of shared memory by warps, whose words lie in different banks or in the same.
#include "kernels/families/banks/banks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::shared};
constexpr std::array axes{AxisInfo{"stride", "words",
                                   "Words of 4 byte from one that is read to the next.", 1,
                                   most_bank_stride, 1}};

/// N words of shared memory: the table that is copied there first, and the sums, are no more than
/// 2 % of them.
Work work(const Case& c) {
  const double repeat = static_cast<double>(c.repeat);
  return {.bytes = repeat * tensor_bytes(c), .launches = repeat};
}

double footprint(const Case& c) {
  return static_cast<double>((bank_table + c.elements / bank_group) * size_of(c.dtype));
}

std::string refuse(const Case& c) {
  if (c.dtype != Dtype::fp32) return "banks are read in words of fp32: choose fp32";
  if (c.elements % bank_group != 0)
    return fmt::format("elements come in multiples of {}", bank_group);
  if (c.more[0] > most_bank_stride)
    return fmt::format("stride is at most {} words", most_bank_stride);
  return "";
}

/// Groups that begin at different words.
constexpr std::uint64_t beginnings = bank_reads / bank_skew;

/// The sums of what the threads of a warp make of the bits that they read, modulo 2^32, by the word
/// that the group begins with.
std::array<std::uint32_t, beginnings> expected_sums(const Checkable& banks, std::uint64_t stride) {
  std::vector<std::uint32_t> table;
  for (std::uint64_t i = 0; i < bank_table; ++i)
    table.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(banks.input(0, i))));
  std::array<std::uint32_t, beginnings> sums{};
  for (std::uint64_t group = 0; group < beginnings; ++group) {
    for (std::uint64_t thread = 0; thread < 32; ++thread) {
      std::uint32_t of_thread = 0;
      for (std::uint64_t read = 0; read < bank_reads; ++read)
        of_thread = of_thread * bank_factor +
                    table[thread * stride + (group * bank_skew + read) % bank_reads];
      sums[group] += of_thread;
    }
  }
  return sums;
}

Check check(Checkable& banks, const std::stop_token& stop) {
  const Case& c = banks.timed();
  const std::uint64_t groups = c.elements / bank_group;
  const auto sums = expected_sums(banks, bank_stride_of(c));
  const auto judge = [&](std::uint64_t group, double got) -> Check {
    const double expected = std::bit_cast<std::int32_t>(sums[group % beginnings]);
    if (got == expected) return {.ok = true};
    return {false, mismatch(group, groups, expected, got)};
  };
  return compare(banks, banks.run_poisoned(c, {}, stop), {0, groups}, samples_for(1), stop, judge);
}

}  // namespace

Case banks_case(std::uint64_t stride, std::uint64_t words) {
  return {.family = Family::banks, .ops = Op::shared, .elements = words, .more = {stride}};
}

std::uint64_t bank_stride_of(const Case& c) { return std::max<std::uint64_t>(c.more[0], 1); }

std::uint64_t conflict_ways(const Case& c) { return std::gcd(bank_stride_of(c), shared_banks); }

extern const FamilyInfo banks_family{
    .name = "banks",
    .help = "reads of shared memory, with conflicts of its banks",
    .ops = ops,
    .for_labs = true,
    .limit = Limit::elsewhere,
    .step = "pass",
    .steps = "passes",
    .axes = axes,
    .work = work,
    .footprint = footprint,
    .least = one_granule,
    .granule = [](Dtype) { return bank_group; },
    .refuse = refuse,
    .check = on_random<check>,
};

}  // namespace kernels
