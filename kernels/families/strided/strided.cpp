// `strided`: reads of words that lie a stride apart. A device moves whole sectors or cache lines.
#include "kernels/families/strided/strided.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::read};
constexpr std::array axes{
    AxisInfo{"stride", "words", "Words of 4 byte from one that is read to the next.", 1,
             most_stride, 1},
    AxisInfo{"offset", "words", "Words of 4 byte before the first that is read.", 0, most_offset,
             0}};

double sums_bytes(const Case& c) {
  return static_cast<double>(groups_of(c)) * sizeof(std::uint32_t);
}

/// N words, and a sum for each group. What lies between the words is no work.
Work work(const Case& c) {
  const double repeat = static_cast<double>(c.repeat);
  return {.bytes = repeat * (tensor_bytes(c) + sums_bytes(c)), .launches = repeat};
}

double footprint(const Case& c) {
  return static_cast<double>(span_words(c)) * static_cast<double>(size_of(c.dtype)) + sums_bytes(c);
}

std::string refuse(const Case& c) {
  if (c.dtype != Dtype::fp32) return "strides are read in words of fp32: choose fp32";
  if (c.elements % strided_group != 0)
    return fmt::format("elements come in multiples of {}", strided_group);
  if (c.more[0] > most_stride || c.more[1] > most_offset)
    return fmt::format("stride is at most {}, and offset at most {} words", most_stride,
                       most_offset);
  return "";
}

std::uint32_t word_at(const Checkable& strided, std::uint64_t index) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(strided.input(0, index)));
}

/// The sum of the bits of each group, modulo 2^32: words at other places have other sums.
Check check(Checkable& strided, const std::stop_token& stop) {
  const Case& c = strided.timed();
  const std::uint64_t stride = stride_of(c), groups = groups_of(c);
  const auto judge = [&](std::uint64_t group, double got) -> Check {
    const std::uint64_t first = offset_of(c) + group * strided_group * stride;
    std::uint32_t sum = 0;
    for (std::uint64_t i = 0; i < strided_group; ++i) sum += word_at(strided, first + i * stride);
    const double expected = std::bit_cast<std::int32_t>(sum);
    if (got == expected) return {.ok = true};
    return {false, mismatch(group, groups, expected, got)};
  };
  return compare(strided, strided.run_poisoned(c, {}, stop), {0, groups},
                 samples_for(strided_group), stop, judge);
}

}  // namespace

Case strided_case(std::uint64_t stride, std::uint64_t offset, std::uint64_t words) {
  return {.family = Family::strided, .ops = Op::read, .elements = words, .more = {stride, offset}};
}

std::uint64_t stride_of(const Case& c) { return std::max<std::uint64_t>(c.more[0], 1); }

std::uint64_t offset_of(const Case& c) { return c.more[1]; }

std::uint64_t span_words(const Case& c) { return offset_of(c) + c.elements * stride_of(c); }

std::uint64_t groups_of(const Case& c) { return c.elements / strided_group; }

double moved_bytes(const Case& c, double sector) {
  const auto apart = static_cast<double>(stride_of(c) * size_of(c.dtype));
  return static_cast<double>(c.repeat) *
         (static_cast<double>(c.elements) * std::min(apart, sector) + sums_bytes(c));
}

std::vector<Value> strided_values(const Case& c, double sector) {
  return {{std::string(moved_value), moved_bytes(c, sector)}, {std::string(sector_value), sector}};
}

extern const FamilyInfo strided_family{
    .name = "strided",
    .help = "reads of words that lie a stride apart",
    .ops = ops,
    .for_labs = true,
    .step = "pass",
    .steps = "passes",
    .axes = axes,
    .work = work,
    .footprint = footprint,
    .bounds = [](const Case&) -> Bounds {
      return {{}, "DRAM read"};
    },
    .least = one_granule,
    .granule = [](Dtype) { return strided_group; },
    .refuse = refuse,
    .check = on_random<check>,
};

}  // namespace kernels
