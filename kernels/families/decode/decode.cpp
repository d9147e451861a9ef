// `decode`: packed weights times a small batch of vectors.
#include "kernels/families/decode/decode.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::fma};
constexpr std::uint64_t usual_bits = 16, usual_columns = 4096, most_columns = 65536;
constexpr std::array<AxisInfo, 3> axes{{
    {"batch", "vectors", "Vectors that the weights are multiplied with: 1, 2, 4 to 64.", 1,
     most_batch, 1},
    {"bits", "bits", "Bits of a weight: 16 (bf16), 8 or 4.", 4, usual_bits, usual_bits},
    {"columns", "columns", "Columns of the matrix of weights.", decode_group, most_columns,
     usual_columns},
}};
/// No memory holds more.
constexpr double most_weights = 0x1p44;

/// Vectors and results are fp32.
double read_by(const Case& c) {
  const DecodeSize size = decode_size(c);
  const double vectors = 4 * static_cast<double>(size.batch * size.columns);
  return 4 * static_cast<double>(size.words()) + 2 * static_cast<double>(size.scales()) + vectors;
}
double written_by(const Case& c) {
  const DecodeSize size = decode_size(c);
  return 4 * static_cast<double>(size.batch * size.rows);
}
double bytes_of(const Case& c) { return read_by(c) + written_by(c); }

/// A multiply and an add for each weight and vector, and every byte once. Unpacking is no work: it
/// is what the kernel pays for fewer bytes.
Work work(const Case& c) {
  const DecodeSize size = decode_size(c);
  return {.flops = 2 * static_cast<double>(size.weights()) * static_cast<double>(size.batch),
          .bytes = bytes_of(c),
          .launches = 1};
}

Bounds bounds(const Case& c) {
  return {{{c.dtype, c.units, Op::fma, 1.0}}, memory_roof(read_by(c), written_by(c))};
}

std::string refuse(const Case& c) {
  const DecodeSize size = decode_size(c);
  if (c.dtype != Dtype::fp32) return "unpacked weights are multiplied in fp32: choose fp32";
  if (c.data != Data::random) return "packed weights are random: choose random data";
  if (size.bits != 16 && size.bits != 8 && size.bits != 4)
    return fmt::format("bits {}: weights have 16, 8 or 4 bits", size.bits);
  if (size.batch > most_batch || !std::has_single_bit(size.batch))
    return fmt::format("batch {}: choose 1, 2, 4, 8, 16, 32 or 64", size.batch);
  if (size.columns > most_columns || size.columns % decode_group != 0)
    return fmt::format("columns {}: choose a multiple of {} up to {}", size.columns, decode_group,
                       most_columns);
  if (c.repeat != 1) return "packed weights are multiplied once: leave repeat at 1";
  if (static_cast<double>(c.elements) > most_weights)
    return fmt::format("{} weights do not fit any memory: choose fewer", c.elements);
  if (const std::uint64_t unit = size.columns * decode_rows; c.elements % unit != 0)
    return fmt::format("weights come in multiples of {}: {} rows of {} columns", unit, decode_rows,
                       size.columns);
  return "";
}

std::string tag(const Case& c) {
  const int bits = decode_size(c).bits;
  return bits == 16 ? "bf16 weights" : fmt::format("{}-bit weights", bits);
}

/// A sum of products, and that of their magnitudes.
struct Sum {
  double value = 0, magnitudes = 0;
};

/// A result, from what the inputs hold: weight by weight, each with its scale.
Sum reference_of(const Checkable& product, const DecodeSize& size, std::uint64_t row,
                 std::uint64_t entry) {
  const auto slots = static_cast<std::uint64_t>(slots_of(size.bits));
  const auto width = static_cast<std::uint64_t>(size.bits);
  const std::uint64_t words = size.columns / slots, mask = (std::uint64_t{1} << size.bits) - 1;
  std::vector<double> scales;
  for (std::uint64_t group = 0; size.scaled() && group < size.columns / decode_group; ++group)
    scales.push_back(product.input(decode_scales, row * (size.columns / decode_group) + group));
  Sum sum;
  for (std::uint64_t word = 0; word < words; ++word) {
    const std::uint64_t index = row * words + word;
    const std::uint64_t first = word / decode_words * decode_words * slots + word % decode_words;
    const double packed = size.scaled() ? product.input(decode_weights, index) : 0;
    const auto bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(packed));
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      const std::uint64_t column = first + slot * decode_words;
      double weight = 0;
      if (size.scaled()) {
        const auto number = static_cast<double>(bits >> (width * slot) & mask);
        weight = (number - weight_offset(size.bits)) * scales[column / decode_group];
      } else {
        weight = product.input(decode_weights, 2 * index + slot);
      }
      const double term = weight * product.input(decode_vectors, entry * size.columns + column);
      sum.value += term;
      sum.magnitudes += std::fabs(term);
    }
  }
  return sum;
}

/// Roundings that a product goes through on its way into a result, at most: of products that are
/// summed one after the other, a 32nd of a row on a GPU and a quarter of a group on a CPU; of the
/// groups of a row; of the lanes; and a few of the product itself and of its scale.
double roundings_of(const DecodeSize& size) {
  constexpr double few = 64;
  return few + static_cast<double>(size.columns) / 32;
}

/// Every sampled result against the sum in double precision, within the roundings of fp32.
Check check(Checkable& product, const std::stop_token& stop) {
  const Case& c = product.timed();
  const DecodeSize size = decode_size(c);
  constexpr double unit = 0x1p-24;  // of a rounding to fp32
  Deviation deviation;
  const auto judge = [&](std::uint64_t i, double got) -> Check {
    const Sum expected = reference_of(product, size, i % size.rows, i / size.rows);
    const double tolerance = roundings_of(size) * unit * expected.magnitudes;
    const bool right = std::fabs(got - expected.value) <= tolerance;
    if (!right) return {false, mismatch(i, size.batch * size.rows, expected.value, got)};
    deviation.add(expected.value, got);
    return {.ok = true};
  };
  Check check = compare(product, product.run_poisoned(c, {}, stop), {0, size.batch * size.rows},
                        samples_for(size.columns), stop, judge);
  check.error = deviation.share();
  return check;
}

}  // namespace

DecodeSize decode_size(const Case& c) {
  const auto or_usual = [](std::uint64_t value, std::uint64_t usual) {
    return value == 0 ? usual : value;
  };
  const std::uint64_t columns = or_usual(c.more[2], usual_columns);
  return {c.elements / columns, columns, or_usual(c.more[0], 1),
          static_cast<int>(or_usual(c.more[1], usual_bits))};
}

Case decode_case(int bits, std::uint64_t batch, std::uint64_t weights) {
  return {.family = Family::decode,
          .ops = Op::fma,
          .elements = weights,
          .more = {batch, static_cast<std::uint64_t>(bits), usual_columns}};
}

Dtype packed_dtype(const DecodeSize& size) { return size.scaled() ? Dtype::int32 : Dtype::bf16; }
std::uint64_t packed_elements(const DecodeSize& size) {
  return size.scaled() ? size.words() : size.weights();
}

extern const FamilyInfo decode_family{
    .name = "decode",
    .help = "packed weights times a small batch of vectors, as a language model decodes",
    .ops = ops,
    .for_labs = true,
    .step = "batch of as many vectors",
    .steps = "batches of as many vectors",
    .axes = axes,
    .work = work,
    .footprint = bytes_of,
    .bounds = bounds,
    .granule = [](Dtype) { return usual_columns * decode_rows; },
    .refuse = refuse,
    .tag = tag,
    .check = on_random<check>,
};

}  // namespace kernels
