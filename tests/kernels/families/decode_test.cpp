// Packed weights times a batch: every instruction set unpacks and sums them, and what is wrong is
// found.
#include "kernels/families/decode/decode.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <string>

#include "kernels/cpu/machine/processor.hpp"
#include "kernels/families/family.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/text.hpp"

namespace kernels::cpu {
extern const Isa isa_portable;
}

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

namespace {

constexpr std::uint64_t granule = 32768;

Case product(int bits, std::uint64_t batch, std::uint64_t columns, std::uint64_t weights) {
  return with(decode_case(bits, batch, weights), "columns", columns);
}

CpuDevice device_of(const Isa& isa, const Row* rows, std::size_t count) {
  return CpuDevice("/", cores(), no_amx,
                   Selection(no_amx, {{isa.name, rows, count, isa.fused_multiply_add}}));
}

/// What a kernel gets wrong.
enum class Fault {
  none,
  slots_swapped,
  words_swapped,
  next_scale,
  no_offset,
  last_column_missing,
  last_row_missing,
  last_vector_missing,
  vectors_swapped
};
Fault fault = Fault::none;

float weight_of(const DecodeSlice& slice, std::uint64_t row, std::uint64_t column) {
  const auto slots = static_cast<std::uint64_t>(32 / slice.bits);
  std::uint64_t slot = column % (16 * slots) / 16, word = column % 16;
  if (fault == Fault::slots_swapped) slot ^= 1;
  if (fault == Fault::words_swapped) word ^= 1;
  const std::uint64_t block = (row * slice.columns + column) / (16 * slots);
  const std::uint32_t packed = static_cast<const std::uint32_t*>(slice.weights)[16 * block + word];
  const auto shifted =
      static_cast<std::uint32_t>(packed >> (slot * static_cast<std::uint64_t>(slice.bits)) &
                                 ((std::uint64_t{1} << slice.bits) - 1));
  if (slice.bits == 16) return std::bit_cast<float>(shifted << 16);
  std::uint64_t group = (row * slice.columns + column) / 128;
  if (fault == Fault::next_scale) ++group;
  const float scale = std::bit_cast<float>(static_cast<std::uint32_t>(slice.scales[group]) << 16);
  const int offset = fault == Fault::no_offset ? 0 : 1 << (slice.bits - 1);
  return scale * static_cast<float>(static_cast<int>(shifted) - offset);
}

/// Column by column.
void plain(const DecodeSlice& slice) {
  for (std::uint64_t row = slice.first; row < slice.first + slice.rows; ++row) {
    if (fault == Fault::last_row_missing && row + 1 == slice.all_rows) continue;
    for (std::uint64_t entry = 0; entry < slice.batch; ++entry) {
      if (fault == Fault::last_vector_missing && entry + 1 == slice.batch) continue;
      const std::uint64_t from = fault == Fault::vectors_swapped ? entry ^ 1 : entry;
      const std::uint64_t missing = fault == Fault::last_column_missing ? 1 : 0;
      double sum = 0;
      for (std::uint64_t column = 0; column < slice.columns - missing; ++column)
        sum += static_cast<double>(weight_of(slice, row, column) *
                                   slice.x[from * slice.columns + column]);
      slice.y[entry * slice.all_rows + row] = static_cast<float>(sum);
    }
  }
}

Row row_of(const DecodeFunction* function) {
  return {.family = Family::decode,
          .op = Op::fma,
          .dtype = Dtype::fp32,
          .units = Units::vector,
          .arithmetic = Dtype::fp32,
          .own = function};
}

}  // namespace

TEST_CASE("packed weights are multiplied right at every instruction set, width and batch") {
  const Abilities abilities{.features = processor_features(), .amx = false, .why_no_amx = "none"};
  std::vector<Isa> tables = usable_tables(abilities);
  tables.push_back(isa_portable);
  int kernels = 0;
  for (const Isa& isa : tables) {
    for (std::size_t i = 0; i < isa.count; ++i) {
      if (isa.rows[i].family != Family::decode) continue;
      ++kernels;
      CpuDevice device = device_of(isa, &isa.rows[i], 1);
      for (const int bits : {16, 8, 4}) {
        // Each number of vectors at a time; one group, and several pieces of a row.
        for (const Case& c :
             {product(bits, 1, 128, granule), product(bits, 2, 640, 5 * granule),
              product(bits, 4, 2176, 17 * granule), product(bits, 8, 128, granule),
              product(bits, 16, 640, 5 * granule), product(bits, 8, 4096, granule)}) {
          CAPTURE(std::string(isa.name) + " " + describe(c));
          const Check check = device.prepare(c, {})->verify({});
          CHECK_MESSAGE(check.ok, check.why);
          CHECK(check.error < 1e-5);
        }
      }
    }
  }
  CHECK(kernels >= 2);
}

TEST_CASE("a weight, a scale, a row or a vector in the wrong place is found") {
  struct Expected {
    Fault fault;
    std::string_view why;
  };
  static constexpr DecodeFunction function = plain;
  const Row row = row_of(&function);
  CpuDevice device = device_of(isa_baseline, &row, 1);
  for (const Expected& one : {Expected{Fault::none, ""},
                              {Fault::slots_swapped, "expected"},
                              {Fault::words_swapped, "expected"},
                              {Fault::next_scale, "expected"},
                              {Fault::no_offset, "expected"},
                              {Fault::last_column_missing, "expected"},
                              {Fault::last_row_missing, "nan"},
                              {Fault::last_vector_missing, "nan"},
                              {Fault::vectors_swapped, "expected"}}) {
    for (const int bits : {16, 8, 4}) {
      fault = one.fault;
      const bool of_scales = fault == Fault::next_scale || fault == Fault::no_offset;
      if (of_scales && bits == 16) continue;
      CAPTURE(static_cast<int>(fault));
      CAPTURE(bits);
      const Check check = device.prepare(product(bits, 2, 1024, granule), {})->verify({});
      CHECK(check.ok == (fault == Fault::none));
      CHECK(contains(check.why, one.why));
    }
  }
  fault = Fault::none;
}

TEST_CASE("the work of packed weights is a multiply and an add each, and every byte once") {
  const double weights = 64.0 * 4096;
  for (const int bits : {16, 8, 4}) {
    const Work work = work_of(decode_case(bits, 8, 64 * 4096));
    CHECK(work.flops == 2 * weights * 8);
    const double scales = bits < 16 ? 2 * weights / 128 : 0;
    CHECK(work.bytes == weights * bits / 8 + scales + 4.0 * 8 * 4096 + 4.0 * 8 * 64);
    CHECK(work.launches == 1);
  }
  CHECK(bounds_of(decode_case(4, 1, 1 << 24)).memory == "DRAM read");
}

TEST_CASE("a product of packed weights that contradicts itself says why") {
  CHECK(refusal_of(decode_case(4, 64, granule)) == "");
  CHECK(refusal_of(decode_case(5, 1, granule)) == "bits 5: weights have 16, 8 or 4 bits");
  CHECK(refusal_of(decode_case(8, 3, granule)) == "batch 3: choose 1, 2, 4, 8, 16, 32 or 64");
  CHECK(refusal_of(decode_case(8, 1, granule + 1)) ==
        "weights come in multiples of 32768: 8 rows of 4096 columns");
  CHECK(refusal_of(product(8, 1, 100, granule)) ==
        "columns 100: choose a multiple of 128 up to 65536");
  Case c = decode_case(4, 1, granule);
  c.dtype = Dtype::bf16;
  CHECK(refusal_of(c) == "unpacked weights are multiplied in fp32: choose fp32");
  c = decode_case(4, 1, granule);
  c.repeat = 2;
  CHECK(refusal_of(c) == "packed weights are multiplied once: leave repeat at 1");
  c = decode_case(4, 1, granule);
  c.data = Data::zeros;
  CHECK(refusal_of(c) == "packed weights are random: choose random data");
}

TEST_CASE("a stop is seen between two pieces of a product, and nothing of it counts") {
  CpuDevice cpu("/");
  const auto trial = cpu.prepare(decode_case(8, 4, 64 * granule), {});
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(trial->run(stop.get_token()), Cancelled);
}
