// Family `eager` on a GPU: a kernel for each operator in a stream or in a graph, or one for each
// fused layer.
#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/cuda/runtime/graph.hpp"
#include "kernels/cuda/runtime/host_time.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/eager/eager.hpp"
#include "kernels/families/eager/eager_arguments.hpp"
#include "kernels/families/eager/eager_body.hpp"
#include "kernels/families/family.hpp"

namespace kernels::cuda {
namespace {

/// Timed by the host: what a program waits for. A second run behind it leaves when each kernel ran.
class EagerTrial final : public LaunchTrial {
 public:
  EagerTrial(Gpu& gpu, const Case& c) : LaunchTrial(gpu, c) {
    take(c.elements);
    take(c.repeat * layer_weights(layer_width(c)));
    t_ = room_for(c.elements);
    other_ = room_for(c.elements);
    out_ = room_for(c.elements);
    times_ = gpu.pool().take(static_cast<double>(2 * launches_of(c) * sizeof(Time)));
    fill(Contents::case_data, {});
    if (form_of(c) != Form::graph) return;
    queue_all(nullptr, {});  // kernels are loaded before a graph is recorded
    gpu.timer().finish();
    graph_.record(gpu.stream(), [this] { queue_all(nullptr, {}); });
    traced_graph_.record(gpu.stream(), [this] { queue_all(times_.as<Time>(), {}); });
  }

  Sample run(std::stop_token stop) override {
    gpu_.activate();
    const double start = host_seconds();
    queue(nullptr, stop);
    gpu_.timer().finish_exactly();
    Sample sample{.seconds = host_seconds() - start, .launched = launched()};
    if (stop.stop_requested()) throw Cancelled();
    trace(sample, stop);
    return sample;
  }
  Sample run_for(double seconds, std::stop_token stop) override {
    return Trial::run_for(seconds, stop);
  }
  void once(std::stop_token stop) override {
    gpu_.activate();
    queue(nullptr, stop);
    gpu_.timer().finish();
  }
  void settle(std::stop_token) override {}

 private:
  using Time = unsigned long long;

  const Buffer& result() const override { return written_by(case_.repeat - 1); }
  void spoil_more() override {
    gpu_.clear(t_, 0xff);
    gpu_.clear(written_by(case_.repeat), 0xff);
  }
  void enqueue(std::uint64_t, std::uint64_t, std::uint64_t, cudaStream_t) override {
    queue_all(nullptr, {});
  }

  bool is_graph() const { return form_of(case_) == Form::graph; }
  Launched launched() const { return is_graph() ? Launched::graph : Launched::stream; }

  /// Everything that the host has to do until it waits. `times`: where kernels leave theirs, or
  /// null.
  void queue(Time* times, const std::stop_token& stop) {
    if (!is_graph()) return queue_all(times, stop);
    host_.assign(1, {});
    host_.front().begin = host_seconds();
    (times == nullptr ? graph_ : traced_graph_).launch(gpu_.stream());
    host_.front().end = host_seconds();
  }

  void queue_all(Time* times, const std::stop_token& stop) {
    const LayerKernels kernels = layer_kernels();
    const bool whole = form_of(case_) == Form::fused;
    const std::uint64_t parts = launches_of(case_), width = layer_width(case_);
    const std::uint64_t blocks = (case_.elements + layer_threads - 1) / layer_threads;
    host_.clear();
    for (std::uint64_t part = 0; part < parts && !stop.stop_requested(); ++part) {
      const std::uint64_t layer = whole ? part : part / ops_of_layer;
      const LayerArguments arguments{
          .x = layer == 0 ? in<float>(0) : written_by(layer - 1).as<const float>(),
          .weights = in<float>(1) + layer * layer_weights(width),
          .t = t_.as<float>(),
          .out = written_by(layer).as<float>(),
          .elements = static_cast<std::uint32_t>(case_.elements),
          .width = static_cast<std::uint32_t>(width),
          .scale = layer_scale(width),
          .begin = times == nullptr ? nullptr : times + part,
          .end = times == nullptr ? nullptr : times + parts + part};
      Stretch call{.begin = host_seconds()};
      launch(whole ? kernels.fused : kernels.ops[part % ops_of_layer], blocks, layer_threads,
             arguments, gpu_.stream());
      call.end = host_seconds();
      host_.push_back(call);
    }
  }

  /// The same again, to see what ran when.
  void trace(Sample& sample, const std::stop_token& stop) {
    const std::uint64_t parts = launches_of(case_);
    const std::size_t half = parts * sizeof(Time);
    Time* const times = times_.as<Time>();
    check(cudaMemsetAsync(times, 0xff, half, gpu_.stream()), "filling device memory");
    check(cudaMemsetAsync(times + parts, 0, half, gpu_.stream()), "filling device memory");
    gpu_.timer().finish();
    const double start = host_seconds();
    queue(times, stop);
    gpu_.timer().finish_exactly();
    const double end = host_seconds() - start;
    if (stop.stop_requested()) throw Cancelled();
    for (Stretch& call : host_) call = {call.begin - start, call.end - start};
    std::vector<Time> seen(2 * parts);
    gpu_.read(seen.data(), times, seen.size() * sizeof(Time));
    const std::vector<Stretch> device = on_clock_of_host(seen, end);
    sample.spans = spans_of(case_, host_, device, end);
    shares_.push_back(share_of_work(device, end));
    const auto middle = shares_.begin() + static_cast<std::ptrdiff_t>(shares_.size() / 2);
    std::ranges::nth_element(shares_, middle);
    sample.values = {{std::string(device_works), *middle}};
  }

  /// Both clocks tick alike; how far they are apart follows within some us: no kernel began before
  /// its launch, and the last one ended before the host saw the end. The middle of that is taken.
  std::vector<Stretch> on_clock_of_host(const std::vector<Time>& seen, double end) const {
    const std::uint64_t parts = launches_of(case_);
    std::vector<Stretch> device(parts);
    double earliest = -std::numeric_limits<double>::infinity();
    for (std::uint64_t part = 0; part < parts; ++part) {
      const auto since_first = [&](Time time) {
        return static_cast<double>(time - seen[0]) * 1e-9;
      };
      device[part] = {since_first(seen[part]), since_first(seen[parts + part])};
      const Stretch& call = host_[std::min<std::uint64_t>(part, host_.size() - 1)];
      earliest = std::max(earliest, call.begin - device[part].begin);
    }
    const double latest = end - device.back().end;
    const double shift = latest > earliest ? (earliest + latest) / 2 : earliest;
    for (Stretch& part : device) part = {part.begin + shift, part.end + shift};
    return device;
  }

  Buffer t_, times_;
  std::vector<Stretch> host_;   // the launches of the last run
  std::vector<double> shares_;  // of work, in the runs so far
  Graph graph_, traced_graph_;
};

}  // namespace

extern const FamilyOnGpu eager_on_gpu{.family = Family::eager,
                                      .note = "a thread for each element",
                                      .prepare = prepare_with<EagerTrial>};

}  // namespace kernels::cuda
