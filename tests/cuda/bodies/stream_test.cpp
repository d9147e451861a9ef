// The bandwidth kernels on the host, thread by thread, in every shape.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/families/stream/ring_body.hpp"
#include "kernels/families/stream/stream_body.hpp"
#include "kernels/random.hpp"
#include "tests/cuda/fakes/emulation.hpp"

using namespace kernels;
using namespace kernels::cuda;

namespace {

constexpr std::uint32_t threads = 32;
constexpr float scalar = 0.75F;
constexpr std::uint32_t pattern = 0x3fc00000;

HostTensor random_tensor(std::uint64_t elements, std::uint64_t seed) {
  HostTensor tensor(elements * sizeof(float));
  for (std::uint64_t i = 0; i < elements; ++i) {
    const auto bits = static_cast<std::uint32_t>(random_bits(Dtype::fp32, seed, i));
    std::memcpy(&tensor.byte(i * 4), &bits, 4);
  }
  return tensor;
}

std::uint32_t word(HostTensor& tensor, std::uint64_t i) {
  std::uint32_t value = 0;
  std::memcpy(&value, &tensor.byte(i * 4), 4);
  return value;
}

float value(HostTensor& tensor, std::uint64_t i) {
  float x = 0;
  std::memcpy(&x, &tensor.byte(i * 4), 4);
  return x;
}

std::uint32_t sum_of(HostTensor& tensor, std::uint64_t elements) {
  std::uint32_t sum = 0;
  for (std::uint64_t i = 0; i < elements; ++i) sum += word(tensor, i);
  return sum;
}

bool right(Op op, HostTensor& a, HostTensor& b, HostTensor& out, std::uint64_t i) {
  if (op == Op::write) return word(out, i) == pattern;
  if (op == Op::copy) return word(out, i) == word(a, i);
  return value(out, i) == std::fmaf(value(b, i), scalar, value(a, i));
}

StreamArguments arguments_of(HostTensor& a, HostTensor& b, HostTensor& out,
                             std::uint64_t elements) {
  return {.a = a.data(),
          .b = b.data(),
          .out = out.data(),
          .elements = elements,
          .scalar = scalar,
          .pattern = pattern};
}

// What all threads do together: `sum` is theirs.
void check_result(Op op, std::uint32_t sum, std::uint32_t passes, HostTensor& a, HostTensor& b,
                  HostTensor& out, std::uint64_t elements) {
  bool equal = true;
  if (only_reads(op)) {
    equal = sum == passes * sum_of(a, elements);
  } else {
    for (std::uint64_t i = 0; i < elements; ++i) equal = equal && right(op, a, b, out, i);
  }
  CHECK(equal);
  CHECK(out.guard_is_whole());
}

template <Op op, int in_flight, int width>
void check_stream(std::uint64_t elements) {
  HostTensor a = random_tensor(elements, 4), b = random_tensor(elements, 5);
  HostTensor out(elements * sizeof(float));
  const StreamArguments args = arguments_of(a, b, out, elements);
  const std::uint64_t each = threads * in_flight * width / sizeof(float);
  std::uint32_t sum = 0;
  launch_on_host((elements + each - 1) / each, threads,
                 [&](Place place) { sum += stream_thread<op, in_flight, width>(args, place); });
  check_result(op, sum, 1, a, b, out, elements);
}

template <Op op, int in_flight, bool past_l1>
void check_ring(std::uint64_t elements, std::uint64_t blocks, bool rotated) {
  HostTensor a = random_tensor(elements, 4), b = random_tensor(elements, 5);
  HostTensor out(elements * sizeof(float));
  constexpr std::uint32_t passes = 3;
  const RingArguments args{arguments_of(a, b, out, elements), nullptr, passes, rotated};
  std::uint32_t sum = 0;
  launch_on_host(blocks, threads, [&](Place place) {
    sum += ring_thread<op, in_flight, past_l1>(args, place, blocks);
  });
  check_result(op, sum, passes, a, b, out, elements);
}

// How often each vector is touched on the ways of all blocks.
std::vector<int> visits(std::uint64_t vectors, std::uint32_t passes, bool rotated,
                        std::uint64_t blocks) {
  const RingArguments args{{.elements = 4 * vectors}, nullptr, passes, rotated};
  std::vector<int> counts(vectors, 0);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const Ring ring(args, {block, 0, threads}, blocks);
    for (std::uint64_t i = 0; i < ring.accesses; ++i) {
      ++counts[ring.base + (ring.start + i) % ring.count];
    }
  }
  return counts;
}

}  // namespace

TEST_CASE("streams do to every element what their op says, in every shape, and to nothing else") {
  int kernels = 0;
  visit_streams<true>([&]<Op op, int in_flight, int width>() {
    CAPTURE(name_of(op));
    CAPTURE(in_flight);
    CAPTURE(width);
    for (const std::uint64_t elements : {1, 3, 1024, 4099}) {
      check_stream<op, in_flight, width>(elements);
    }
    ++kernels;
  });
  CHECK(kernels == 2 * (2 + 3 * 3));
}

TEST_CASE("rings do to every element in every pass what their op says, in parts and rotated") {
  int kernels = 0;
  visit_rings([&]<Op op, int in_flight, bool past_l1>() {
    CAPTURE(name_of(op));
    CAPTURE(in_flight);
    for (const std::uint64_t elements : {1, 3, 96, 1024, 4099}) {
      for (const std::uint64_t blocks : {1, 5}) {
        CAPTURE(elements);
        CAPTURE(blocks);
        check_ring<op, in_flight, past_l1>(elements, blocks, false);
        if (only_reads(op)) check_ring<op, in_flight, past_l1>(elements, blocks, true);
      }
    }
    ++kernels;
  });
  CHECK(kernels == 2 * 2 + 3);
}

TEST_CASE("all blocks together touch every vector once per pass, in parts and rotated") {
  for (const std::uint64_t vectors : {1, 7, 8, 9, 250, 1000}) {
    for (const std::uint64_t blocks : {1, 2, 3, 7, 132}) {
      for (const std::uint32_t passes : {1U, 2U, 5U, 200U}) {
        for (const bool rotated : {false, true}) {
          CAPTURE(vectors);
          CAPTURE(blocks);
          CAPTURE(passes);
          CAPTURE(rotated);
          const auto counts = visits(vectors, passes, rotated, blocks);
          CHECK(std::ranges::all_of(counts, [&](int n) { return n == static_cast<int>(passes); }));
        }
      }
    }
  }
}

TEST_CASE(
    "parts are whole cache lines and differ by one at most; rotated, a block begins with its own") {
  constexpr std::uint64_t vectors = 132 * 3000 + 96, blocks = 132;
  const RingArguments own{{.elements = 4 * vectors}, nullptr, 4, false};
  const RingArguments rotated{{.elements = 4 * vectors}, nullptr, 4, true};
  std::uint32_t least = vectors, most = 0;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const Ring part(own, {block, 0, threads}, blocks), way(rotated, {block, 0, threads}, blocks);
    CHECK(part.base % 8 == 0);
    CHECK(part.accesses == 4 * part.count);
    CHECK(way.base == 0);
    CHECK(way.count == vectors);
    CHECK(way.start == part.base);
    least = std::min(least, part.count);
    most = std::max(most, part.count);
  }
  CHECK(most - least <= 8);
}

TEST_CASE("all blocks together read every element from shared memory once per pass") {
  for (const std::uint64_t elements : {1, 6, 1024, 5003}) {
    HostTensor a = random_tensor(elements, 6);
    const RingArguments args{{.a = a.data(), .elements = elements}, nullptr, 5};
    const std::uint64_t blocks = 3;
    std::vector<std::vector<Vector>> shared(blocks, std::vector<Vector>(shared_vectors));
    std::uint32_t sum = 0;
    launch_on_host(blocks, threads, [&](Place place) {
      shared_stage(args, {args, place, blocks}, shared[place.block].data(), place);
    });
    launch_on_host(blocks, threads, [&](Place place) {
      sum += shared_read<4>(args, {args, place, blocks}, shared[place.block].data(), place);
    });
    CHECK(sum == 5 * sum_of(a, elements));
  }
}

TEST_CASE("a tensor beyond 2^32 elements is walked to its end") {
  const std::uint64_t elements = (std::uint64_t{1} << 33) + 5;
  const RingArguments args{{.elements = elements}, nullptr, 2};
  const Ring last(args, {131, 0, threads}, 132);
  CHECK(last.base + last.count == elements / 4);
  CHECK(last.base > (std::uint64_t{1} << 30));
}
