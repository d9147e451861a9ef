#include "kernels/cuda/trials/peak_reference.hpp"

namespace kernels::cuda {
namespace {

Case chain_of(Op op, Dtype arithmetic, std::uint64_t repeat) {
  return {.ops = op, .dtype = arithmetic, .elements = 1, .repeat = repeat};
}

}  // namespace

Operands peak_operands(Op op, Dtype dtype, PeakForm form) {
  if (form == PeakForm::immediate) return {immediate_a, immediate_b};
  return operands_of(op, dtype);
}

Operands counting_peak_operands(Op op, Dtype arithmetic, PeakForm form, std::uint64_t repeat) {
  // Of fp32 and fp64, whose every result tells the number of ops: they cannot be chosen.
  if (form == PeakForm::immediate) return peak_operands(op, arithmetic, form);
  return counting_operands(chain_of(op, arithmetic, repeat), {arithmetic});
}

std::uint64_t countable_peak_repeat(Op op, Dtype arithmetic) {
  return countable_repeat(chain_of(op, arithmetic, 1), {arithmetic});
}

double reference_dp4a(const std::array<double, 4>& start, Operands operands, std::uint64_t repeat) {
  const auto a = static_cast<std::uint32_t>(encode(Dtype::int32, operands.a));
  std::uint32_t x = 0;
  for (std::size_t e = 0; e < start.size(); ++e)
    x |= static_cast<std::uint32_t>(encode(Dtype::int8, start[e]) & 0xff) << (8 * e);
  for (std::uint64_t i = 0; i < repeat; ++i) {
    std::uint32_t sum = x;
    for (int shift = 0; shift < 32; shift += 8)
      sum += static_cast<std::uint32_t>(static_cast<std::int8_t>(x >> shift) *
                                        static_cast<std::int8_t>(a >> shift));
    x = sum;
  }
  return decode(Dtype::int32, x);
}

std::uint64_t peak_input_index(std::uint64_t thread, int chain, int chains, int lanes,
                               std::uint64_t input_mask, std::size_t element_bytes) {
  const auto vectors = static_cast<std::uint64_t>((chains + lanes - 1) / lanes);
  const std::uint64_t vector =
      (thread * vectors + static_cast<std::uint64_t>(chain / lanes)) & input_mask;
  const std::uint64_t per_vector = sizeof(Vector) / element_bytes;
  const std::uint64_t per_chain = per_vector / static_cast<std::uint64_t>(lanes);
  return vector * per_vector + static_cast<std::uint64_t>(chain % lanes) * per_chain;
}

}  // namespace kernels::cuda
