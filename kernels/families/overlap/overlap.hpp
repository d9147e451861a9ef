// Data that are copied in, computed on and copied out, in one sequence or in chunks whose steps run
// at the same time.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/case.hpp"
#include "kernels/device.hpp"
#include "kernels/families/reference.hpp"

namespace kernels {

inline constexpr std::uint64_t most_chunks = 16;
/// Elements come in multiples of this: whole blocks of registers and 16-byte vectors in each chunk.
inline constexpr std::uint64_t overlap_granule = 384;

/// `ops` fma on each of fp32 elements.
Case overlap_case(std::uint64_t chunks, std::uint64_t elements, std::uint64_t ops);
std::uint64_t chunks_of(const Case&);

/// The elements of a chunk.
struct Chunk {
  std::uint64_t first = 0, count = 0;
};
Chunk chunk_of(const Case&, std::uint64_t chunk);

/// What happens to a chunk, in this order.
enum class Stage : std::uint8_t { copy_in, compute, copy_out };
std::string_view name_of(Stage);
/// When a stage of a chunk ran, for the timeline.
Span span_of(Stage, std::uint64_t chunk, double begin, double end);
/// The seconds of each stage over all chunks, as values of a sample: "compute", "copy in", "copy
/// out".
std::vector<Value> values_of(std::span<const Span>);

/// The operands of its fma.
Operands overlap_operands();
void fill_overlap(std::span<float> in, std::uint64_t seed);
/// What results are filled with before a check: a number that is none.
void poison_overlap(std::span<float> out);
/// Whether every element was written, and those of a sample behind the fma that they take. Throws
/// Cancelled.
Check check_overlap(const Case&, Arithmetic, std::span<const float> in, std::span<const float> out,
                    const std::stop_token&);

}  // namespace kernels
