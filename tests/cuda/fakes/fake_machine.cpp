#include "fake_machine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/runtime/helpers.hpp"
#include "kernels/cuda/runtime/host_time.hpp"

namespace fake_cuda {
namespace {

void read_clock(const Launched& launch) {
  kernels::cuda::ProbeArguments arguments;
  std::memcpy(&arguments, launch.arguments.data(), sizeof(arguments));
  for (std::uint64_t block = 0; block < launch.blocks; ++block) {
    const double seconds = state().probe_timer_seconds;
    arguments.samples[block] = {static_cast<std::uint64_t>(state().sm_clock_hz * seconds),
                                static_cast<std::uint64_t>(seconds * 1e9)};
  }
  machine().now += static_cast<double>(arguments.nanoseconds) * 1e-9;
  ++state().probes;
}

std::optional<double> known_seconds_of(const Launched& launch) {
  const State& s = state();
  if (!s.seconds_of) return std::nullopt;
  return s.seconds_of(launch.kernel, launch.arguments.data(), launch.blocks);
}

void hold_stream(const Launched& launch) {
  ++state().holds;
  kernels::cuda::HoldArguments arguments;
  std::memcpy(&arguments, launch.arguments.data(), sizeof(arguments));
  machine().held = arguments.flags;
  machine().held_at = machine().now;
  if (state().expiring_holds == 0 || arguments.flags->release != 0) return;
  --state().expiring_holds;
  arguments.flags->expired = 1;
  machine().now += 0.1;
}

}  // namespace

Machine& machine() {
  static Machine instance;
  return instance;
}

void execute(Launched launch) {
  if (launch.kernel->kind == Kind::hold) return hold_stream(launch);
  if (launch.kernel->kind == Kind::probe) return read_clock(launch);
  if (state().before_kernel) state().before_kernel(launch.kernel, launch.arguments.data());
  const State& s = state();
  const std::optional<double> known = known_seconds_of(launch);
  // What waits for a hold to be released is timed.
  const bool timed = machine().held != nullptr && machine().held->release == 0;
  if ((!timed || s.timed_runs_compute) && (!known || s.known_kernels_compute)) {
    launch.kernel->run(launch.arguments.data(), launch.blocks);
  }
  ++state().launches;
  const double usual = s.launch_seconds + s.block_seconds * static_cast<double>(launch.blocks);
  machine().now += known.value_or(usual);
  if (state().on_launch) state().on_launch();
}

cudaError_t enqueue(const void* function, std::uint64_t blocks, void** arguments,
                    cudaStream_t stream) {
  enqueued_on(stream);
  if (state().fail_launch != 0) return static_cast<cudaError_t>(state().fail_launch);
  const auto* const kernel = static_cast<const Registered*>(function);
  Launched launch{kernel, blocks, {}};
  launch.arguments.resize(kernel->argument_bytes / sizeof(std::max_align_t) + 1);
  if (kernel->argument_bytes > 0) {
    std::memcpy(launch.arguments.data(), arguments[0], kernel->argument_bytes);
  }
  if (machine().capturing) {
    machine().captured.push_back(std::move(launch));
  } else {
    machine().unfinished = true;
    execute(launch);
  }
  return cudaSuccess;
}

State& state() {
  static State instance;
  return instance;
}

const void* place_of(const void* from, const void* function) {
  static std::map<std::pair<const void*, const void*>, char> places;
  return &places[{from, static_cast<const Registered*>(function)->sort}];
}

const void* add_kernel(std::size_t bytes, Kernel run, const void* sort) {
  machine().kernels.push_back({bytes, std::move(run), Kind::work, sort});
  return &machine().kernels.back();
}
const void* add_hold() {
  machine().kernels.push_back({sizeof(kernels::cuda::HoldArguments),
                               {},
                               Kind::hold,
                               &sort_of<kernels::cuda::HoldArguments>});
  return &machine().kernels.back();
}
const void* add_probe() {
  machine().kernels.push_back({sizeof(kernels::cuda::ProbeArguments),
                               {},
                               Kind::probe,
                               &sort_of<kernels::cuda::ProbeArguments>});
  return &machine().kernels.back();
}
void end_program() {
  for (const auto& [block, size] : machine().allocated) std::free(block);
  for (const auto& [block, size] : machine().host_allocated) std::free(block);
  machine().allocated.clear();
  machine().host_allocated.clear();
}
double now() {
  const auto real = std::chrono::steady_clock::now().time_since_epoch();
  return machine().now + (state().real_time ? std::chrono::duration<double>(real).count() : 0);
}
void pass(double seconds) { machine().now += seconds; }

void enqueued_on(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy) ++state().legacy_calls;
}

void start() { state().started.insert(machine().device); }

cudaError_t called(const char* function, const void* from) {
  State& s = state();
  ++s.calls;
  if (s.on_call) s.on_call(function, from);
  const bool now = s.calls == s.fault.call;
  if (now && s.fault.hangs) s.hung_device = machine().device;
  if (s.fault.hangs || (!now && !(s.fault.lasts && s.fault.call != 0 && s.calls > s.fault.call))) {
    return cudaSuccess;
  }
  if (now) s.failed_function = function;
  return static_cast<cudaError_t>(s.fault.error);
}

bool is_page_locked(const void* place) {
  const auto* const byte = static_cast<const char*>(place);
  return std::ranges::any_of(machine().host_allocated, [&](const auto& block) {
    const auto* const begin = static_cast<const char*>(block.first);
    return byte >= begin && byte < begin + block.second;
  });
}

void wait_for_device() {
  if (machine().device == state().hung_device && machine().unfinished) ++state().hangs;
}

}  // namespace fake_cuda

namespace kernels::cuda {

double host_seconds() { return fake_cuda::now(); }
void host_pause(bool near) { fake_cuda::pass(near ? 1e-6 : 50e-6); }

// Without a thread: whoever asks finds what the thread would have done by now.
struct Background::State {
  std::function<void()> work;
  double period = 0;
  std::optional<double> last{};
};
Background::Background(std::function<void()> work, double period)
    : state_(std::make_unique<State>(State{std::move(work), period})) {}
Background::~Background() = default;
void Background::keep_on() {
  const double now = fake_cuda::now();
  if (state_->last && now < *state_->last + state_->period) return;
  state_->last = now;
  state_->work();
}

}  // namespace kernels::cuda
