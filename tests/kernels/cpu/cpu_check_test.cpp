// Checks on the CPU: no broken kernel gets a time, and what is timed is what was asked for.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "kernels/families/family.hpp"
#include "kernels/families/tile/tile.hpp"
#include "tests/kernels/cpu_devices.hpp"

using namespace kernels;
using namespace kernels::cpu;

namespace {

/// More than are checked with all ops by a few threads, and no whole granules.
constexpr std::uint64_t many = (std::uint64_t{1} << 20) + 5;

void right(const ChainSlice& slice) { chain_row(Op::fma, Dtype::fp32).chain(slice); }

template <Dtype dtype>
void one_op_short(const ChainSlice& slice) {
  ChainSlice shorter = slice;
  --shorter.repeat;
  chain_row(Op::fma, dtype).chain(shorter);
}

template <Dtype dtype>
void one_op_too_many(const ChainSlice& slice) {
  ChainSlice longer = slice;
  ++longer.repeat;
  chain_row(Op::fma, dtype).chain(longer);
}

template <Dtype dtype>
void forgets_one_element(const ChainSlice& slice) {
  ChainSlice part = slice;
  part.elements = slice.elements / 3;
  chain_row(Op::fma, dtype).chain(part);
  const std::uint64_t after = (part.elements + 1) * size_of(dtype);
  part.in = static_cast<const char*>(slice.in) + after;
  part.out = static_cast<char*>(slice.out) + after;
  part.elements = slice.elements - part.elements - 1;
  chain_row(Op::fma, dtype).chain(part);
}

template <Dtype dtype>
void forgets_the_tail(const ChainSlice& slice) {
  ChainSlice part = slice;
  part.elements = slice.elements / 16 * 16;
  chain_row(Op::fma, dtype).chain(part);
}

// Operands that only keep values alive bring an fp16 or bf16 fma back to its start every other op.
template <Dtype dtype>
void two_ops_short(const ChainSlice& slice) {
  ChainSlice shorter = slice;
  shorter.repeat -= std::min<std::uint64_t>(2, slice.repeat);
  chain_row(Op::fma, dtype).chain(shorter);
}

template <Dtype dtype>
void skips_unrolled_loop(const ChainSlice& slice) {
  ChainSlice rest = slice;
  rest.repeat = slice.repeat % 8;
  chain_row(Op::fma, dtype).chain(rest);
}

template <Dtype dtype>
void check_notices_skipped_ops() {
  CAPTURE(name_of(dtype));
  for (const ChainFunction broken : {two_ops_short<dtype>, skips_unrolled_loop<dtype>}) {
    CpuDevice device = device_with(dtype, broken);
    for (const std::uint64_t repeat : {std::uint64_t{16}, std::uint64_t{100}, max_repeat}) {
      const Case c{.dtype = dtype, .elements = 2000, .repeat = repeat};
      CHECK_FALSE(device.prepare(c, {})->verify({}).ok);
    }
  }
}

template <Dtype dtype>
void check_notices_broken_kernels() {
  CAPTURE(name_of(dtype));
  for (const ChainFunction broken : {one_op_short<dtype>, one_op_too_many<dtype>,
                                     forgets_one_element<dtype>, forgets_the_tail<dtype>}) {
    CpuDevice device = device_with(dtype, broken);
    for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
      for (const std::uint64_t repeat : {3, 40}) {
        const Case c{.dtype = dtype, .fusion = fusion, .elements = 100'003, .repeat = repeat};
        const Check check = device.prepare(c, {})->verify({});
        CHECK_FALSE(check.ok);
        CHECK(check.why.find("of 100003: expected ") != std::string::npos);
      }
    }
  }
}

}  // namespace

TEST_CASE("a kernel that is one op short, one too long or leaves an element out does not pass") {
  check_notices_broken_kernels<Dtype::fp64>();
  check_notices_broken_kernels<Dtype::fp32>();
  check_notices_broken_kernels<Dtype::fp16>();
  check_notices_broken_kernels<Dtype::bf16>();
  check_notices_broken_kernels<Dtype::int32>();
}

TEST_CASE("a kernel that leaves out an even number of ops does not pass") {
  check_notices_skipped_ops<Dtype::fp64>();
  check_notices_skipped_ops<Dtype::fp32>();
  check_notices_skipped_ops<Dtype::fp16>();
  check_notices_skipped_ops<Dtype::bf16>();
  check_notices_skipped_ops<Dtype::int32>();
}

TEST_CASE("a kernel that goes wrong after many ops alone does not pass") {
  const Case more{.elements = many, .repeat = 64};
  Case few = more;
  few.repeat = 63;
  const auto passes = [&](ChainFunction broken, const Case& c) {
    CpuDevice device = device_with(Dtype::fp32, broken);
    return device.prepare(c, {})->verify({});
  };
  const ChainFunction one_short = [](const ChainSlice& slice) {
    ChainSlice part = slice;
    part.repeat = std::min<std::uint64_t>(slice.repeat, 63);
    right(part);
  };
  CHECK(passes(one_short, few).ok);
  CHECK_FALSE(passes(one_short, more).ok);
  const ChainFunction without_tail = [](const ChainSlice& slice) {
    ChainSlice part = slice;
    if (slice.repeat > 63) part.elements = slice.elements / 64 * 64;
    right(part);
  };
  CHECK(passes(without_tail, few).ok);
  CHECK(passes(without_tail, more).why.ends_with(", after 64 ops"));
}

TEST_CASE("a kernel that goes wrong in the last of many elements, or launches, does not pass") {
  static std::atomic<std::uint64_t> begun;
  static std::uint64_t limit;
  CpuDevice device = device_with(Dtype::fp32, [](const ChainSlice& slice) {
    if (begun.fetch_add(slice.elements) + slice.elements < limit) right(slice);
  });
  for (const std::uint64_t repeat : {1, 1024}) {
    begun = 0;
    limit = many;
    CHECK_FALSE(device.prepare({.elements = many, .repeat = repeat}, {})->verify({}).ok);
  }
  begun = 0;
  limit = 5 * many;  // beyond the launches of all elements
  const Case unfused{.fusion = Fusion::unfused, .elements = many, .repeat = 40};
  CHECK_FALSE(device.prepare(unfused, {})->verify({}).ok);
}

TEST_CASE("a check of few ops on all elements serves longer cases, whatever came first") {
  // Wrong in the unrolled loop alone, and only for elements that checks of all ops do not reach.
  // One thread, which begins with the first element.
  static const char* first;
  const ChainFunction wrong_far_on = [](const ChainSlice& slice) {
    const char* in = static_cast<const char*>(slice.in);
    if (first == nullptr) first = in;
    ChainSlice wrong = slice;
    const bool far = in - first > static_cast<std::ptrdiff_t>(many * sizeof(float) * 3 / 4);
    if (far && slice.repeat >= 8) wrong.repeat = slice.repeat % 8;
    right(wrong);
  };
  CpuDevice device = device_with(Op::fma, Dtype::fp32, wrong_far_on, {cores().front()});
  for (const std::uint64_t repeat : {1, 64}) {
    CAPTURE(repeat);
    first = nullptr;
    CHECK_FALSE(device.prepare({.elements = many, .repeat = repeat}, {})->verify({}).ok);
  }
  CpuDevice sound = device_with(Dtype::fp32, right);
  for (const std::uint64_t repeat : {1, 64, 1024})
    CHECK(sound.prepare({.elements = many, .repeat = repeat}, {})->verify({}).ok);
}

TEST_CASE("what is timed after a check is the whole case") {
  static std::atomic<std::uint64_t> ops, least_repeat;
  static Ranges ranges;
  CpuDevice device = device_with(Dtype::fp32, [](const ChainSlice& slice) {
    ops += slice.elements * slice.repeat;
    if (slice.repeat < least_repeat) least_repeat = slice.repeat;
    ranges.add(slice);
    right(slice);
  });
  for (const Data data : {Data::random, Data::zeros}) {
    for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
      const Case c{.fusion = fusion, .elements = many, .repeat = 64, .data = data};
      const auto trial = device.prepare(c, {});
      CHECK(trial->verify({}).ok);
      CHECK(trial->work().flops == work_of(c).flops);
      ops = 0;
      least_repeat = c.repeat;
      ranges.take();
      if (fusion == Fusion::unfused) {
        trial->run({});
        CHECK(ops >= many * c.repeat);
        CHECK(ops % (many * c.repeat) == 0);
        continue;
      }
      // A slow machine takes it in parts, one after the other.
      std::vector<Range> seen;
      for (int i = 0; i < 1000 && covered(seen) < many; ++i) {
        trial->run({});
        for (const Range& range : ranges.take()) seen.push_back(range);
      }
      CHECK(covered(seen) == many);
      CHECK(least_repeat == c.repeat);
    }
  }
}

TEST_CASE("a product that is left out shows on zeros, too") {
  CpuDevice device = device_with(Op::mul, Dtype::fp32, [](const ChainSlice& slice) {
    ChainSlice shorter = slice;
    --shorter.repeat;
    chain_row(Op::mul, Dtype::fp32).chain(shorter);
  });
  for (const Data data : {Data::random, Data::zeros}) {
    const Case c{.ops = Op::mul, .elements = 5000, .repeat = 3, .data = data};
    CHECK_FALSE(device.prepare(c, {})->verify({}).ok);
  }
}

TEST_CASE("a tile kernel that multiplies far tiles once alone does not pass, whatever came first") {
  static Row row;
  static TileFunction right;
  static const char* first;
  static std::ptrdiff_t far;
  const Isa isa = isa_baseline;
  for (std::size_t i = 0; i < isa.count; ++i)
    if (isa.rows[i].family == Family::tile && isa.rows[i].dtype == Dtype::fp32) row = isa.rows[i];
  right = row.tile;
  row.tile = [](const TileSlice& slice) {
    const char* a = static_cast<const char*>(slice.a);
    if (first == nullptr) first = a;
    constexpr std::ptrdiff_t a_bytes = tile_rows * tile_row_bytes;
    constexpr std::ptrdiff_t d_bytes = tile_rows * tile_columns * sizeof(float);
    const auto tiles = static_cast<std::ptrdiff_t>(slice.tiles);
    const std::ptrdiff_t sound =
        std::clamp<std::ptrdiff_t>((far - (a - first)) / a_bytes, 0, tiles);
    TileSlice part = slice;
    part.tiles = static_cast<std::uint64_t>(sound);
    right(part);
    part.a = a + sound * a_bytes;
    part.d = static_cast<char*>(slice.d) + sound * d_bytes;
    part.tiles = static_cast<std::uint64_t>(tiles - sound);
    part.repeat = 1;
    right(part);
  };
  Case c{.family = Family::tile, .ops = Op::mma};
  c.elements = 4096 * granule_of(c.family, c.dtype);
  far = static_cast<std::ptrdiff_t>(c.elements * size_of(c.dtype) * 3 / 4);
  CpuDevice device("/", {cores().front()}, no_amx,
                   Selection(no_amx, {{"test", &row, 1, isa.fused_multiply_add}}));
  for (const std::uint64_t repeat : {1, 4}) {
    CAPTURE(repeat);
    first = nullptr;
    c.repeat = repeat;
    CHECK_FALSE(device.prepare(c, {})->verify({}).ok);
  }
}

TEST_CASE("a peak kernel that leaves out its unrolled loop does not pass") {
  const Isa isa = isa_baseline;
  for (const Dtype dtype : {Dtype::fp64, Dtype::fp32, Dtype::bf16, Dtype::int32}) {
    for (std::size_t i = 0; i < isa.count; ++i) {
      static Row row;
      static PeakFunction right, broken;
      if (isa.rows[i].family != Family::peak || isa.rows[i].dtype != dtype) continue;
      row = isa.rows[i];
      right = broken = row.peak;
      row.peaks = {&broken, 1};
      const Case c{.family = Family::peak, .ops = row.op, .dtype = dtype};
      CAPTURE(describe(c));
      const auto verified = [&] {
        CpuDevice device("/", cores(), no_amx,
                         Selection(no_amx, {{"test", &row, 1, isa.fused_multiply_add}}));
        return device.prepare(c, {})->verify({}).ok;
      };
      CHECK(verified());
      broken.run = [](std::uint64_t repeat, double a, double b, PeakStart start) {
        return right.run(repeat % 8, a, b, start);
      };
      CHECK_FALSE(verified());
      broken.run = [](std::uint64_t repeat, double a, double b, PeakStart start) {
        return right.run(repeat - std::min<std::uint64_t>(2, repeat), a, b, start);
      };
      CHECK_FALSE(verified());
    }
  }
}
