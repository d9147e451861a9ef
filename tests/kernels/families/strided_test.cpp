// Strided reads on a CPU: every stride and offset is right, and wrong ones are found.
#include "kernels/families/strided/strided.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <functional>
#include <string>
#include <vector>

#include "kernels/check.hpp"
#include "kernels/cpu/machine/processor.hpp"
#include "kernels/families/family.hpp"
#include "kernels/random.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

namespace {

constexpr std::uint64_t elements = 20 * strided_group;

CpuDevice device() {
  const Abilities abilities{.features = processor_features(), .amx = false, .why_no_amx = "none"};
  return CpuDevice("/", cores(), abilities, Selection(abilities));
}

/// A device on which a test decides where each word is read.
class Reads final : public Checkable {
 public:
  using Place = std::function<std::uint64_t(const Case&, std::uint64_t i)>;

  Reads(const Case& c, Place place) : case_(c), place_(std::move(place)) {}

  const Case& timed() const override { return case_; }
  double function_error() const override { return 0; }
  void fill(Contents, const std::stop_token&) override {}
  double input(std::size_t, std::uint64_t index) const override {
    return random_element(Dtype::fp32, 5, index);
  }
  std::uint64_t seed() const override { return 5; }
  Covered run_poisoned(const Case& c, const Operands&, const std::stop_token&) override {
    sums_.assign(groups_of(c), 0);
    for (std::uint64_t i = 0; i < c.elements; ++i)
      sums_[i / strided_group] +=
          std::bit_cast<std::uint32_t>(static_cast<float>(input(0, place_(c, i))));
    return {};
  }
  std::vector<double> read(const Window& window) const override {
    std::vector<double> values;
    for (std::uint64_t i = 0; i < window.count; ++i)
      values.push_back(std::bit_cast<std::int32_t>(sums_[window.first + i]));
    return values;
  }

 private:
  Case case_;
  Place place_;
  std::vector<std::uint32_t> sums_;
};

bool is_right(const Case& c, const Reads::Place& place) {
  Reads reads(c, place);
  return Family::strided->check(reads, {}).ok;
}

}  // namespace

TEST_CASE("every stride and offset reads its words, before and after it is timed") {
  CpuDevice cpu = device();
  for (const std::uint64_t stride : {1, 2, 3, 8, 32, 64}) {
    for (const std::uint64_t offset : {0, 1, 31, 63}) {
      const Case c = strided_case(stride, offset, elements);
      CAPTURE(describe(c));
      const auto trial = cpu.prepare(c, {});
      const Check before = trial->verify({});
      CHECK_MESSAGE(before.ok, before.why);
      const Sample sample = trial->run({});
      CHECK(sample.seconds > 0);
      REQUIRE(sample.values.size() == 2);
      CHECK(sample.values[1].value >= 16);
      CHECK(sample.values[0].value == moved_bytes(c, sample.values[1].value));
      CHECK(trial->verify({}).ok);
    }
  }
}

TEST_CASE("a wrong stride, a wrong offset, and a word that is left out or read twice are found") {
  for (const std::uint64_t stride : {1, 2, 32}) {
    for (const std::uint64_t offset : {0, 31}) {
      const Case c = strided_case(stride, offset, elements);
      CAPTURE(describe(c));
      CHECK(is_right(
          c, [](const Case& of, std::uint64_t i) { return offset_of(of) + i * stride_of(of); }));
      CHECK_FALSE(is_right(c, [](const Case& of, std::uint64_t i) {
        return offset_of(of) + i * (stride_of(of) + 1);
      }));
      CHECK_FALSE(is_right(c, [](const Case& of, std::uint64_t i) {
        return offset_of(of) + 1 + i * stride_of(of);
      }));
      CHECK_FALSE(is_right(c, [](const Case& of, std::uint64_t i) {
        return offset_of(of) + (i == of.elements - 1 ? i - 1 : i) * stride_of(of);
      }));
    }
  }
}

TEST_CASE("words are used, and whole sectors are moved") {
  const auto moved = [](std::uint64_t stride, double sector) {
    return moved_bytes(strided_case(stride, 0, elements), sector);
  };
  constexpr double used = 4.0 * elements, sums = 4.0 * 20;
  CHECK(work_of(strided_case(8, 3, elements)).bytes == used + sums);
  CHECK(work_of(strided_case(8, 3, elements)).flops == 0);
  CHECK(footprint_of(strided_case(8, 3, elements)) == 8 * used + 3 * 4 + sums);
  CHECK(moved(1, 32) == used + sums);
  CHECK(moved(2, 32) == 2 * used + sums);
  CHECK(moved(3, 32) == 3 * used + sums);
  CHECK(moved(8, 32) == 8 * used + sums);
  CHECK(moved(32, 32) == 8 * used + sums);
  CHECK(moved(32, 64) == 16 * used + sums);
}

TEST_CASE("several passes are several launches of the same work") {
  Case c = strided_case(4, 0, elements);
  c.repeat = 3;
  CHECK(work_of(c).launches == 3);
  CHECK(work_of(c).bytes == 3 * work_of(strided_case(4, 0, elements)).bytes);
  CpuDevice cpu = device();
  CHECK(cpu.prepare(c, {})->verify({}).ok);
}

TEST_CASE("strides that a case cannot have are refused") {
  Case c = strided_case(1, 0, elements + 1);
  CHECK(refusal_of(c) == "elements come in multiples of 1024");
  CHECK(contains(refusal_of(strided_case(most_stride + 1, 0, elements)), "stride is at most 64"));
  CHECK(contains(refusal_of(strided_case(1, most_offset + 1, elements)), "offset at most 63"));
  c = strided_case(1, 0, elements);
  CHECK(refusal_of(c) == "");
  c.dtype = Dtype::fp64;
  CHECK(refusal_of(c) == "strides are read in words of fp32: choose fp32");
}
