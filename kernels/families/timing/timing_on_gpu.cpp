// Family `timing` on a GPU: the fma chain, with what goes wrong done before or within the time.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/runtime/host_time.hpp"
#include "kernels/cuda/trials/rows.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/timing/timing.hpp"

namespace kernels::cuda {
namespace {

/// A rest, and a load under which a power limit has lowered the clock.
constexpr double rest = 0.1, long_load = 0.2;

/// Memory of its own, past the pool: to allocate it is part of the time.
class NewMemory {
 public:
  NewMemory(const Gpu& gpu, std::size_t bytes) : gpu_(gpu) {
    check(cudaMalloc(&data_, bytes), "allocating device memory");
  }
  ~NewMemory() {
    // Freeing waits for the GPU: one that was given up keeps its memory.
    if (!gpu_.timer().gave_up()) static_cast<void>(cudaFree(data_));
  }
  NewMemory(const NewMemory&) = delete;
  NewMemory& operator=(const NewMemory&) = delete;

  void* data() const { return data_; }

 private:
  const Gpu& gpu_;
  void* data_ = nullptr;
};

class TimingTrial final : public LaunchTrial {
 public:
  TimingTrial(Gpu& gpu, const Case& c, const ChainKernel& kernel)
      : LaunchTrial(gpu, c), way_(way_of(c)), function_(kernel.function(ChainForm::many)) {
    operands_ = operands_of(Op::fma, c.dtype);
    take(c.elements);
    out_ = room_for(c.elements);
    if (way_ == Way::cold) add_others();
    fill(Contents::case_data, {});
  }

  Sample run(std::stop_token stop) override {
    gpu_.activate();
    if (stop.stop_requested()) throw Cancelled();
    switch (way_) {
      case Way::unfinished:
      case Way::with_launch:
        return by_host([&] { enqueue(0, 0, 1, gpu_.stream()); });
      case Way::new_memory:
        return on_new_memory();
      case Way::after_rest:
        return after_rest(stop);
      case Way::cold:
        return cold_run();
      case Way::sustained:
        return LaunchTrial::run_for(long_load, stop);
      default:
        return LaunchTrial::run(stop);
    }
  }
  Sample run_for(double seconds, std::stop_token stop) override {
    return Trial::run_for(seconds, stop);
  }
  /// The check looks at what each way computes.
  void once(std::stop_token stop) override {
    if (way_ != Way::new_memory) return LaunchTrial::once(stop);
    gpu_.activate();
    on_new_memory(true);
  }

 private:
  std::uint64_t bytes() const { return case_.elements * sizeof(float); }
  Arithmetic arithmetic() const override {
    return chain_arithmetic(case_.dtype, gpu_.architecture().code);
  }
  void enqueue(std::uint64_t, std::uint64_t, std::uint64_t, cudaStream_t stream) override {
    launch_chain(in<Vector>(0), out_.as<Vector>(), stream);
  }

  void launch_chain(const Vector* in, Vector* out, cudaStream_t stream) {
    const std::uint64_t of_block = chain_elements(many_vectors, sizeof(float));
    launch(function_, (case_.elements + of_block - 1) / of_block, chain_threads,
           ChainArguments{.in = in,
                          .out = out,
                          .elements = case_.elements,
                          .a = operand_bits(case_.dtype, operands_.a),
                          .b = operand_bits(case_.dtype, operands_.b),
                          .repeat = static_cast<std::uint32_t>(case_.repeat)},
           stream);
  }

  /// The time of the host for what `work` queues; without its end, where that is what goes wrong.
  template <class Queue>
  Sample by_host(Queue queue) {
    gpu_.timer().finish();
    const double start = host_seconds();
    queue();
    const double queued = host_seconds() - start;
    gpu_.timer().finish_exactly();
    const double all = host_seconds() - start;
    return {.seconds = way_ == Way::unfinished ? queued : all, .launched = Launched::stream};
  }

  Sample on_new_memory(bool kept = false) {
    std::optional<NewMemory> memory;
    const Sample sample = by_host([&] {
      memory.emplace(gpu_, bytes());
      launch_chain(in<Vector>(0), static_cast<Vector*>(memory->data()), gpu_.stream());
    });
    if (kept)
      check(cudaMemcpyAsync(out_.data(), memory->data(), bytes(), cudaMemcpyDeviceToDevice,
                            gpu_.stream()),
            "copying on the GPU");
    gpu_.timer().finish();
    return sample;
  }

  Sample after_rest(const std::stop_token& stop) {
    for (const double end = host_seconds() + rest; host_seconds() < end;) {
      if (stop.stop_requested()) throw Cancelled();
      host_pause(false);
    }
    return {.seconds = gpu_.timer().region(holds_, [&] { enqueue(0, 0, 1, gpu_.stream()); }),
            .launched = Launched::stream};
  }

  /// Takes turns on copies of the data which together are twice as large as the L2.
  void add_others() {
    const double both = 2 * static_cast<double>(bytes());
    const double wanted = std::max(std::ceil(2 * gpu_.l2_bytes() / both), 1.0);
    if (wanted > most_others)
      throw Unsupported("so few elements stay in the L2: choose more for cold caches");
    const auto many = static_cast<std::size_t>(wanted);
    for (std::size_t i = 0; i < many; ++i)
      others_.push_back({room_for(case_.elements), room_for(case_.elements)});
    for (const Other& other : others_) gpu_.fill(other.in.data(), case_.dtype, case_.elements, 1);
  }
  Sample cold_run() {
    const double all = gpu_.timer().region(holds_, [&] {
      enqueue(0, 0, 1, gpu_.stream());
      for (const Other& other : others_)
        launch_chain(other.in.as<const Vector>(), other.out.as<Vector>(), gpu_.stream());
    });
    return {.seconds = all / static_cast<double>(1 + others_.size()), .launched = Launched::stream};
  }

  struct Other {
    Buffer in, out;
  };
  static constexpr double most_others = 200;  // launches that a stream holds back

  Way way_;
  const void* function_;
  std::vector<Other> others_;
  Holds holds_;
};

}  // namespace

extern const FamilyOnGpu timing_on_gpu{
    .family = Family::timing, .note = "a chain of fma", .prepare = prepare_on_chain<TimingTrial>};

}  // namespace kernels::cuda
