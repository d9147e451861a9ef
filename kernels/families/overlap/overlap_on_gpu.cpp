// Family `overlap` on a GPU: each chunk has a stream in which it is copied in, computed on and
// copied out, so that the copy engines and the multiprocessors work on different chunks at once.
#include <algorithm>
#include <deque>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/runtime/host_memory.hpp"
#include "kernels/cuda/runtime/host_time.hpp"
#include "kernels/cuda/trials/rows.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/overlap/overlap.hpp"

namespace kernels::cuda {
namespace {

/// Chunks beyond the third wait for an engine anyway.
constexpr std::uint64_t most_streams = 4;

class OverlapTrial final : public Trial {
 public:
  OverlapTrial(Gpu& gpu, const Case& c, const ChainKernel& kernel)
      : gpu_(gpu),
        case_(c),
        function_(kernel.function(ChainForm::many)),
        source_(gpu, bytes(c.elements), true),
        destination_(gpu, bytes(c.elements), true),
        in_(gpu.pool().take(static_cast<double>(bytes(c.elements)))),
        out_(gpu.pool().take(static_cast<double>(bytes(c.elements)))),
        marks_(4 * chunks_of(c)),
        streams_(std::min(chunks_of(c), most_streams)) {
    fill_overlap(floats(source_), gpu.next_seed());
  }

  Sample run(std::stop_token stop) override {
    gpu_.activate();
    if (stop.stop_requested()) throw Cancelled();
    const double start = host_seconds();
    queue_all();
    gpu_.timer().finish_exactly();
    Sample sample{.seconds = host_seconds() - start, .launched = Launched::stream};
    for (std::uint64_t chunk = 0; chunk < chunks_of(case_); ++chunk)
      for (const Stage stage : {Stage::copy_in, Stage::compute, Stage::copy_out})
        sample.spans.push_back(
            span_of(stage, chunk, begin_of(chunk, stage), when(chunk, stage, 1)));
    sample.values = values_of(sample.spans);
    return sample;
  }

  Work work() const override { return work_of(case_, "cuda"); }
  bool cold() const override { return false; }

  Check verify(std::stop_token stop) override {
    gpu_.activate();
    poison_overlap(floats(destination_));
    gpu_.clear(in_, 0xff);
    gpu_.clear(out_, 0xff);
    gpu_.timer().finish();
    run(stop);
    return check_overlap(case_, chain_arithmetic(case_.dtype, gpu_.architecture().code),
                         floats(source_), floats(destination_), stop);
  }

 private:
  static std::uint64_t bytes(std::uint64_t elements) { return elements * sizeof(float); }
  std::span<float> floats(HostMemory& memory) const {
    return {reinterpret_cast<float*>(memory.data()), case_.elements};
  }
  const Event& mark(std::uint64_t chunk, std::uint64_t border) const {
    return marks_[4 * chunk + border];
  }
  /// Seconds from the beginning to that of a stage of a chunk, or to its end.
  double when(std::uint64_t chunk, Stage stage, std::uint64_t end) const {
    return mark(chunk, static_cast<std::uint64_t>(stage) + end).since(begin_);
  }

  /// Each engine takes one chunk after the other: until the last one had ended, this one waited.
  double begin_of(std::uint64_t chunk, Stage stage) const {
    const double ready = when(chunk, stage, 0);
    return chunk == 0 ? ready : std::max(ready, when(chunk - 1, stage, 1));
  }

  void queue_all() {
    cudaStream_t const main = gpu_.stream();
    begin_.record(main);
    for (const Stream& stream : streams_) order_.order(main, stream.get());
    for (std::uint64_t chunk = 0; chunk < chunks_of(case_); ++chunk)
      queue(chunk, streams_[chunk % streams_.size()].get());
    for (const Stream& stream : streams_) order_.order(stream.get(), main);
  }

  void queue(std::uint64_t chunk, cudaStream_t stream) {
    const Chunk at = chunk_of(case_, chunk);
    mark(chunk, 0).record(stream);
    check(cudaMemcpyAsync(in_.as<float>() + at.first, floats(source_).data() + at.first,
                          bytes(at.count), cudaMemcpyHostToDevice, stream),
          "copying to the GPU");
    mark(chunk, 1).record(stream);
    const Operands operands = overlap_operands();
    const std::uint64_t of_block = chain_elements(many_vectors, sizeof(float));
    launch(function_, (at.count + of_block - 1) / of_block, chain_threads,
           ChainArguments{.in = reinterpret_cast<const Vector*>(in_.as<float>() + at.first),
                          .out = reinterpret_cast<Vector*>(out_.as<float>() + at.first),
                          .elements = at.count,
                          .a = operand_bits(case_.dtype, operands.a),
                          .b = operand_bits(case_.dtype, operands.b),
                          .repeat = static_cast<std::uint32_t>(case_.repeat)},
           stream);
    mark(chunk, 2).record(stream);
    check(cudaMemcpyAsync(floats(destination_).data() + at.first, out_.as<float>() + at.first,
                          bytes(at.count), cudaMemcpyDeviceToHost, stream),
          "copying from the GPU");
    mark(chunk, 3).record(stream);
  }

  Gpu& gpu_;
  Case case_;
  const void* function_;
  HostMemory source_, destination_;
  Buffer in_, out_;
  Event order_{Event::Kind::order};
  Event begin_;
  std::deque<Event> marks_;  // four of each chunk: the borders of its stages
  std::deque<Stream> streams_;
};

}  // namespace

extern const FamilyOnGpu overlap_on_gpu{.family = Family::overlap,
                                        .note = "chunks in up to four streams",
                                        .prepare = prepare_on_chain<OverlapTrial>};

}  // namespace kernels::cuda
