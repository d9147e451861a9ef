// A CUDA runtime on the host: memory is host memory, kernels are host functions, the clock is
// virtual. It runs the whole backend but the machine code, on machines without a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace fake_cuda {

/// A call of the runtime that fails.
struct Fault {
  std::uint64_t call = 0;  ///< its number, from 1; 0: none
  int error = 0;           ///< cudaError_t
  bool lasts = false;      ///< all later calls fail alike, as after an illegal address
  bool hangs = false;      ///< it succeeds, and from then on the device never ends its work
};

/// What a test may choose and see.
struct State {
  double memory_bytes = 1 << 28;
  double launch_seconds = 5e-6;  ///< virtual time of every launch
  double block_seconds = 0;      ///< and of each of its blocks
  double copy_rate = 1e12;       ///< byte/s of copies within the device, read and written
  double link_rate = 50e9;       ///< byte/s of copies to and from the host
  /// Others have the GPU for so long before what waits behind a hold begins, s.
  double turn_of_others = 0;
  int fail_query = 0;        ///< a cudaError_t for cudaEventQuery, when not 0
  int fail_launch = 0;       ///< and for cudaLaunchKernel
  int fail_instantiate = 0;  ///< and for cudaGraphInstantiate
  /// Seconds of a launch, instead of the two above; nothing: those.
  std::function<std::optional<double>(const void* function, const void* arguments,
                                      std::uint64_t blocks)>
      seconds_of{};
  int blocks_per_multiprocessor = 1;
  /// False: what is only timed does nothing, which saves the host most of its time.
  bool timed_runs_compute = true;
  /// False: kernels for which `seconds_of` knows a time do nothing else.
  bool known_kernels_compute = true;
  /// True: what repeats is computed once, with the same result: of vector peaks the chain that is
  /// looked at, of passes over memory the first.
  bool repeats_once = false;
  /// Time passes as it does for everybody, and not only where a call takes some.
  bool real_time = false;
  int devices = 1;
  bool devices_reach_each_other = false;
  double peer_rate = 200e9;                  ///< byte/s between them
  std::size_t peer_loses = 0;                ///< of each such copy the last bytes do not arrive
  std::set<std::pair<int, int>> reaching{};  ///< which enabled access to which
  int capability = 90;                       ///< of every device: 90 is 9.0
  int driver_version = 13000;
  int expiring_holds = 0;  ///< so many of the next holds run into their limit
  /// Calls on the legacy stream, or of functions that use it, such as cudaMemcpy.
  std::uint64_t legacy_calls = 0;
  std::set<int> started{};     ///< devices that have a context, which costs seconds and memory
  int hung_device = -1;        ///< work of this device never ends
  std::uint64_t hangs = 0;     ///< calls that would have waited for the hung device for ever
  double sm_clock_hz = 1.5e9;  ///< what the probe's counters tell
  double probe_timer_seconds = 150e-6;  ///< by how much the GPU's timer advances meanwhile
  Fault fault{};
  std::uint64_t calls = 0;           ///< of all functions that return an error
  const char* failed_function = "";  ///< of the fault
  std::function<void(const char* function, const void* from)> on_call{};
  std::function<void()> on_launch{};  ///< called after every kernel that is no hold
  /// May change the arguments of any kernel that is timed or computes.
  std::function<void(const void* function, void* arguments)> before_kernel{};
  std::function<void(void* arguments)>
      before_chain{};  ///< may change the arguments of a chain kernel
  std::function<void(const void* arguments)> after_chain{};
  std::uint64_t launches = 0;  ///< kernels executed, holds not counted
  std::uint64_t holds = 0;
  std::uint64_t graph_launches = 0;
  std::uint64_t probes = 0;
  double longest_unwaited = 0;  ///< virtual seconds queued between two waits
  const char* name = "Emulated GPU";
  bool mps = false;  ///< other processes run kernels at the same time
};
State& state();

/// A kernel: executes blocks x threads with a copy of its arguments.
using Kernel = std::function<void(const void* arguments, std::uint64_t blocks)>;

/// Registers a kernel; the result stands for its entry point. `bytes` of arguments are copied.
/// Kernels of one `sort` are launched at the same places.
const void* add_kernel(std::size_t bytes, Kernel, const void* sort = nullptr);

template <class Arguments>
inline constexpr char sort_of = 0;

template <class Arguments>
const void* add(std::function<void(const Arguments&, std::uint64_t blocks)> body) {
  return add_kernel(
      sizeof(Arguments),
      [body](const void* arguments, std::uint64_t blocks) {
        body(*static_cast<const Arguments*>(arguments), blocks);
      },
      &sort_of<Arguments>);
}

/// The entry points of the kernels that hold a stream, which takes no time and counts as a hold,
/// and that read the clock behind a timed region, which counts as a probe.
const void* add_hold();
const void* add_probe();

/// Frees what a GPU that was given up kept, as the end of a program does.
void end_program();

/// Virtual seconds since the program began, and how they pass.
double now();
void pass(double seconds);

}  // namespace fake_cuda
