// The bandwidth kernels on the host, thread by thread, in every shape.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/cuda/bodies/shared_body.hpp"
#include "kernels/cuda/bodies/stream_body.hpp"
#include "kernels/cuda/trials/shapes.hpp"
#include "kernels/families/family.hpp"
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

template <Op op, int in_flight, int width, StreamHint hint>
void check_kernel(std::uint64_t elements, std::uint64_t blocks, bool contiguous) {
  HostTensor a = random_tensor(elements, 4), b = random_tensor(elements, 5);
  HostTensor out(elements * sizeof(float));
  const std::uint32_t passes = 3;
  const StreamArguments args{.a = a.data(),
                             .b = b.data(),
                             .out = out.data(),
                             .elements = elements,
                             .scalar = scalar,
                             .pattern = pattern,
                             .repeat = passes,
                             .contiguous = contiguous};
  std::uint32_t sum = 0;
  launch_on_host(blocks, threads, [&](Place place) {
    sum += stream_thread<op, in_flight, width, hint>(args, place, blocks);
  });
  bool equal = true;
  if (only_reads(op)) {
    equal = sum == passes * sum_of(a, elements);
  } else {
    for (std::uint64_t i = 0; i < elements; ++i) equal = equal && right(op, a, b, out, i);
  }
  CHECK(equal);
  CHECK(out.guard_is_whole());
}

// How often each word is touched.
std::vector<int> visits(std::uint64_t elements, int width, std::uint64_t chunk, bool contiguous,
                        std::uint64_t blocks) {
  std::vector<int> counts(elements, 0);
  const auto words = static_cast<std::uint64_t>(width / 4);
  launch_on_host(blocks, threads, [&](Place place) {
    const Walk walk(elements, width, chunk, contiguous, place, blocks);
    for (std::uint64_t first = walk.begin; first < walk.end; first += walk.step) {
      const std::uint64_t stop = std::min(first + chunk, walk.end);
      for (std::uint64_t i = first + place.thread; i < stop; i += threads) {
        for (std::uint64_t w = 0; w < words; ++w) ++counts[i * words + w];
      }
    }
    for (std::uint64_t i = walk.tail_begin; i < walk.tail_end; ++i) ++counts[i];
  });
  return counts;
}

// Of the roof's working set, by every block of every multiprocessor.
bool reads_whole_chunks(std::uint64_t blocks, std::uint64_t multiprocessors, std::uint64_t chunk) {
  const StreamArguments args{.elements = multiprocessors * shared_vectors * 4};
  for (std::uint64_t block = 0; block < blocks * multiprocessors; ++block) {
    const Walk walk = shared_walk(args, {block, 0, block_threads}, blocks * multiprocessors);
    if (walk.end == walk.begin || (walk.end - walk.begin) % chunk != 0) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a walk touches every word of a tensor exactly once, whatever the blocks") {
  for (const std::uint64_t elements : {1, 7, 8, 9, 512, 1023, 1024, 5000}) {
    for (const std::uint64_t blocks : {1, 2, 3, 7, 100}) {
      for (const int width : {16, 32}) {
        for (const bool contiguous : {false, true}) {
          CAPTURE(elements);
          CAPTURE(blocks);
          CAPTURE(width);
          CAPTURE(contiguous);
          const auto counts = visits(elements, width, 2 * threads, contiguous, blocks);
          CHECK(std::ranges::all_of(counts, [](int n) { return n == 1; }));
        }
      }
    }
  }
}

TEST_CASE("streams do to every element what their op says, in every shape, and to nothing else") {
  int kernels = 0;
  visit_streams<true>([&]<Op op, int in_flight, int width, StreamHint hint>() {
    CAPTURE(name_of(op));
    CAPTURE(in_flight);
    CAPTURE(width);
    for (const std::uint64_t elements : {1, 3, 1024, 4099}) {
      check_kernel<op, in_flight, width, hint>(elements, 1, false);
      check_kernel<op, in_flight, width, hint>(elements, 5, false);
      check_kernel<op, in_flight, width, hint>(elements, 5, true);
    }
    ++kernels;
  });
  CHECK(kernels == 4 * 4 * 3 + 3);
}

TEST_CASE("all blocks together read every element from shared memory once per pass") {
  for (const std::uint64_t elements : {1, 6, 1024, 5003}) {
    HostTensor a = random_tensor(elements, 6);
    const StreamArguments args{.a = a.data(), .elements = elements, .repeat = 5};
    const std::uint64_t blocks = 3;
    std::vector<std::vector<Vector>> shared(blocks, std::vector<Vector>(shared_vectors));
    std::uint32_t sum = 0;
    launch_on_host(blocks, threads, [&](Place place) {
      shared_stage(args, shared_walk(args, place, blocks), shared[place.block].data(), place);
    });
    launch_on_host(blocks, threads, [&](Place place) {
      sum +=
          shared_read<4>(args, shared_walk(args, place, blocks), shared[place.block].data(), place);
    });
    CHECK(sum == 5 * sum_of(a, elements));
  }
}

TEST_CASE("the roof of shared memory reads whole chunks, without a predicate, in nine of its shapes") {
  const Case c = stream_case(Op::shared, 0, Data::random);
  const std::vector<ShapeAxis> axes = shape_axes(c, 900);
  REQUIRE(axes.size() == 2);  // in flight, blocks per multiprocessor
  for (const std::uint64_t multiprocessors : {40, 108, 132, 148, 170}) {
    int whole = 0;
    for (const std::string& depth : axes[0].values) {
      for (const std::string& blocks : axes[1].values) {
        const std::uint64_t chunk = std::stoull(depth) * block_threads;
        whole += reads_whole_chunks(std::stoull(blocks), multiprocessors, chunk) ? 1 : 0;
      }
    }
    CHECK(whole == 4 + 3 + 2);  // 8 accesses at most in all blocks of a multiprocessor
  }
}

TEST_CASE("a tensor beyond 2^32 elements is walked to its end") {
  const std::uint64_t elements = (std::uint64_t{1} << 33) + 5;
  const Walk last(elements, 16, 1024, true, {131, 0, threads}, 132);
  CHECK(last.end == elements / 4);
  CHECK(last.begin > (std::uint64_t{1} << 30));
  const Walk first(elements, 16, 1024, true, {0, 0, threads}, 132);
  CHECK(first.tail_begin == elements - 1);
  CHECK(first.tail_end == elements);
}
