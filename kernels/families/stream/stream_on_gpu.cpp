#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/shapes.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/units.hpp"

namespace kernels::cuda {
namespace {

// Representable, and so is every element of a triad with it.
constexpr float triad_scalar = 0.75F;
constexpr std::uint32_t written_word = 0x3fc00000;  // 1.5F

/// The kernel and the launch that a shape means.
struct StreamShape {
  const void* function;  ///< RingArguments, StreamArguments, or of a read ReadArguments
  int in_flight;
  int width;     ///< bytes of an access
  bool ring;     ///< a block per multiprocessor, round and round; else one for each chunk
  bool rotated;  ///< through all of the tensor, not a part of it
};

StreamShape ring_shape(const Case& c, const ShapeValues& shape) {
  static const auto kernels = ring_kernels();
  const int in_flight = shape.number("in flight", 4);
  const Op op = c.op() == Op::l2_slices ? Op::l2 : c.op();
  const auto kernel = std::ranges::find_if(
      kernels, [&](const RingKernel& k) { return k.op == op && k.in_flight == in_flight; });
  if (kernel == kernels.end()) throw Unsupported(fmt::format("no kernel for {}", describe(c)));
  return {.function = kernel->function,
          .in_flight = in_flight,
          .width = sizeof(Vector),
          .ring = true,
          .rotated = c.op() == Op::l2};
}

/// Throws Unsupported where the case's shape has no kernel.
StreamShape stream_shape(const Case& c, Architecture architecture) {
  const ShapeValues shape(c, architecture);
  if (walks_a_ring(c)) return ring_shape(c, shape);
  static const auto kernels = stream_kernels();
  const int in_flight = shape.number("in flight", 1), width = shape.number("width", 16);
  const auto kernel = std::ranges::find_if(kernels, [&](const StreamKernel& k) {
    return k.op == c.op() && k.in_flight == in_flight && k.width == width;
  });
  if (kernel == kernels.end() && width == 32) {
    throw Unsupported(
        "this program was built without accesses of 32 bytes: they need CUDA Toolkit "
        "12.9 or newer");
  }
  if (kernel == kernels.end()) throw Unsupported(fmt::format("no kernel for {}", describe(c)));
  return {.function = kernel->function,
          .in_flight = in_flight,
          .width = width,
          .ring = false,
          .rotated = false};
}

class StreamTrial final : public LaunchTrial {
 public:
  StreamTrial(Gpu& gpu, const Case& c, const StreamShape& shape)
      : LaunchTrial(gpu, c),
        shape_(shape),
        ring_blocks_(static_cast<std::uint64_t>(std::max(1, gpu.multiprocessors()))) {
    if (shape.ring) refuse_too_much();
    if (!shape.ring) wave_ = gpu.resident_blocks(shape.function, block_threads);
    operands_ = {triad_scalar, c.data == Data::zeros ? 0 : decode(Dtype::fp32, written_word)};
    for (int i = 0; i < c.op()->tensors_read; ++i) take(c.elements);
    fill(Contents::case_data, {});
    out_ = room_for(sums_words() ? all_blocks() * warps() : c.elements);
  }

 private:
  bool sums_words() const { return only_reads(case_.op()); }
  int threads() const { return shape_.ring ? ring_threads : block_threads; }
  std::uint64_t warps() const { return static_cast<std::uint64_t>(threads()) / 32; }
  std::uint64_t all_blocks() const { return shape_.ring ? ring_blocks_ : units(); }

  // A block counts its vectors by 32 bits, and shared memory holds so many; a part is rounded up to
  // whole cache lines.
  void refuse_too_much() const {
    constexpr std::uint64_t vector = sizeof(Vector) / sizeof(float);
    const bool shared = case_.op() == Op::shared;
    const std::uint64_t most_of_block = shared ? shared_vectors : std::uint64_t{1} << 31;
    const std::uint64_t blocks = shape_.rotated ? 1 : ring_blocks_;
    const std::uint64_t most = blocks * most_of_block * vector;
    if (case_.elements <= most) return;
    throw Unsupported(fmt::format(
        "{} elements are more than the {} blocks that pass over them again "
        "and again can hold ({}); choose fewer",
        case_.elements, ring_blocks_, units::bytes(static_cast<double>(most * sizeof(float)))));
  }

  std::uint64_t unit_elements() const {
    return static_cast<std::uint64_t>(shape_.in_flight * shape_.width) * block_threads /
           sizeof(float);
  }
  // A ring is one whole: its blocks are there at the same time.
  std::uint64_t units() const override {
    return shape_.ring ? 1 : (case_.elements + unit_elements() - 1) / unit_elements();
  }
  void enqueue(std::uint64_t, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const std::uint64_t begin = first * unit_elements();
    const std::uint64_t vectors = begin * sizeof(float) / sizeof(Vector);
    StreamArguments arguments{
        .a = inputs_.empty() ? nullptr : in<Vector>(0) + vectors,
        .b = inputs_.size() < 2 ? nullptr : in<Vector>(1) + vectors,
        .out = sums_words() ? nullptr : out_.as<Vector>() + vectors,
        .elements = count == units() ? case_.elements
                                     : std::min(case_.elements - begin, count * unit_elements()),
        .scalar = triad_scalar,
        .pattern = case_.data == Data::zeros ? 0 : written_word};
    std::uint32_t* const sums_of_warps =
        sums_words() ? out_.as<std::uint32_t>() + first * warps() : nullptr;
    if (shape_.ring) {
      launch(shape_.function, ring_blocks_, ring_threads,
             RingArguments{arguments, sums_of_warps, static_cast<std::uint32_t>(case_.repeat),
                           shape_.rotated},
             stream);
    } else if (sums_words()) {
      launch(shape_.function, count, block_threads, ReadArguments{arguments, sums_of_warps},
             stream);
    } else {
      launch(shape_.function, count, block_threads, arguments, stream);
    }
  }

  std::pair<std::uint32_t, std::uint32_t> sums(const std::stop_token& stop) override {
    gpu_.clear(out_);
    once(stop);
    const Buffer sum = gpu_.pool().take(sizeof(std::uint32_t));
    gpu_.clear(sum);
    launch(service_kernels().sum_random, 32ULL * static_cast<unsigned>(gpu_.multiprocessors()),
           block_threads, SumArguments{case_.elements, seed(), sum.as<std::uint32_t>()},
           gpu_.stream());
    return {sum_of(out_), sum_of(sum)};
  }

  std::uint32_t sum_of(const Buffer& words) const {
    const auto bytes = read_bytes(gpu_, words.data(), words.bytes());
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < bytes.size() / sizeof(sum); ++i)
      sum += static_cast<std::uint32_t>(bits_at(bytes.data(), i, sizeof(sum)));
    return sum;
  }

  StreamShape shape_;
  std::uint64_t ring_blocks_;  // one per multiprocessor
};

std::vector<Kernel> rows(const GpuFacts&) {
  std::vector<Kernel> all;
  const auto add = [&](Op op, const char* note) {
    all.push_back({.family = Family::stream, .op = op, .note = note});
  };
  for (const Op op : {Op::read, Op::write, Op::copy, Op::triad}) add(op, "16-byte accesses");
  add(Op::shared, "16 bytes per thread, without bank conflicts");
  for (const Op op : {Op::l2, Op::l2_slices})
    add(op, "16-byte accesses past the L1 (ld.global.cg)");
  return all;
}

std::unique_ptr<Trial> prepare(const Services& services, const Case& c) {
  return std::make_unique<StreamTrial>(services.gpu, c,
                                       stream_shape(c, services.gpu.architecture()));
}

}  // namespace

extern const FamilyOnGpu stream_on_gpu{
    .family = Family::stream,
    .rows = rows,
    .axes = [](const Case& c, const GpuFacts& gpu) { return shape_axes(c, gpu.architecture); },
    .prepare = prepare};

}  // namespace kernels::cuda
