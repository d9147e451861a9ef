// The seam between kernels and everything above: what a device is, and one case prepared on it.
// Knows nothing of statistics, drawing or files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/case.hpp"

namespace kernels {

/// This device cannot run this case; `what()` is the reason for the row. The sweep goes on.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The device is gone or unusable until restart; `what()` says why. The sweep ends.
struct DeviceLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The stop token fired during a run; nothing of it counts.
struct Cancelled : std::runtime_error {
  Cancelled() : std::runtime_error("stopped") {}
};

/// How the launches of a timed region reached the device: dispatched to a CPU's threads and joined;
/// one by one in a stream of a GPU; or replayed there as a graph.
enum class Launched : std::uint8_t { unknown, threads, stream, graph };
/// Seconds below which a GPU replays launches as a graph: a launch in a stream costs 2 to 4 us of
/// the host's time, for which the GPU would wait.
inline constexpr double short_launch = 20e-6;
std::string_view name_of(Launched);  ///< as in files; empty: unknown
std::optional<Launched> launched_named(std::string_view);

/// Outcome of comparing a result with the reference.
struct Check {
  bool ok = false;
  std::string why{};  ///< empty when ok; else element, expected, got
  double error = 0;   ///< the largest, against the reference in double precision
};

/// State of the device around a measurement; absent = the system does not tell.
struct Conditions {
  std::optional<double> clock_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> power_w;
  std::optional<double> temperature_c;
  /// Heat, a power brake or a failing supply lowered the clock.
  std::optional<bool> throttled;
  /// The clock is what the power limit allows: the normal state of a chip under such a load.
  std::optional<bool> power_limited{};
  /// Share of the device's time, since watch(), that others took: the hypervisor (steal) or other
  /// processes.
  std::optional<double> stolen{};
  std::optional<double> other_load{};
  /// The same of what the processor quota of a control group took.
  std::optional<double> quota{};
  /// Who else computes on the device, "python3 (process 4711)"; empty: nobody, or it can't be told.
  std::string others{};
  std::string note{};  ///< e.g. throttle reasons, or "working set fits in L2"

  bool operator==(const Conditions&) const = default;
};

/// A named number that was found beside a time: {"error", 1e-3}.
struct Value {
  std::string name;
  double value = 0;

  bool operator==(const Value&) const = default;
};

/// What ran from when to when, seconds since the beginning; those of one lane follow each other.
struct Span {
  std::string lane;
  std::string name;
  double begin = 0;
  double end = 0;

  bool operator==(const Span&) const = default;
};

/// One timed run of a trial, and everything that was seen during it.
struct Sample {
  double seconds = 0;  ///< of one run, on the device's own clock
  /// Clock of the cores (SMs), Hz, from counters beside the kernel; absent where it can't be told
  /// for a single run.
  std::optional<double> clock_hz{};
  /// Others ran on the same cores at either end and took up to half of their execution units, which
  /// neither the clock nor the accounts of the system show.
  bool contended = false;
  Launched launched = Launched::unknown;
  std::string note{};    ///< what Kernel::note says, of the shape that was chosen; empty: the same
  std::string remark{};  ///< what belongs to Conditions::note, e.g. the launch mode
  std::vector<Value> values{};  ///< what was measured beside the time
  std::vector<Span> spans{};    ///< what ran from when to when
};

/// One row of what a device can run, and whose kernel it is. `runs` false: `why_not` says why in
/// one sentence.
struct Kernel {
  Family family = Family::chain;
  Op op = Op::fma;
  Dtype dtype = Dtype::fp32;
  Units units = Units::vector;
  By by = By::own;
  bool runs = true;
  std::string why_not{};
  std::string note{};  ///< instruction set, and e.g. "fp16 storage, fp32 arithmetic"
  /// Of a library: by its own names, the implementations that it has for cases of usual size, its
  /// first choice first.
  std::vector<std::string> algorithms{};
};

/// A row that runs and has a note, or says why it does not run.
Kernel answered(Kernel row, const std::string& why_not, const std::string& note);

/// One property of a kernel's shape that can be searched, e.g. "stores": {"non-temporal",
/// "ordinary"}. The first value is the default; values in the order of a sensible walk, neighbours
/// alike.
struct ShapeAxis {
  std::string name;
  std::vector<std::string> values;
};

/// What a case chooses on an axis; empty: nothing.
std::string_view chosen_on(std::string_view axis, const Case&);

/// Theoretical FLOP per clock and core (multiprocessor), with its derivation in words.
struct PeakPerClock {
  Dtype dtype;
  Units units;
  double flops_per_clock_per_core;  ///< FMA counted as 2
  std::string derivation;

  bool operator==(const PeakPerClock&) const = default;
};

/// A library that was found at run time: "NVML", and the path of its file.
struct LoadedLibrary {
  std::string name;
  std::string file;

  bool operator==(const LoadedLibrary&) const = default;
};

/// How long to measure a device at a time, s. The defaults are those of a CPU, whose pace drifts.
struct Pace {
  double visit = 0.12;    ///< the shortest visit to a point, looks at its roof included
  double look = 0.1;      ///< the longest look at a roof beside a run
  double stays_warm = 0;  ///< no warm-up within so many seconds of a load of the same kind
  double sustained = 0;   ///< load after which a power limit has lowered the clock; 0: not measured
};

/// Facts of a device. 0 or empty = unknown.
struct DeviceInfo {
  std::string id;    ///< "cpu" or "cuda:N"
  std::string kind;  ///< "cpu" or "cuda"
  std::string name;
  std::string driver;              ///< CUDA driver version, or the operating system's kernel
  std::string compute_capability;  ///< "9.0", or the widest instruction set of a CPU
  std::vector<std::string> instruction_sets;
  int multiprocessors = 0;  ///< SMs, or cores this process may use
  int slow_cores = 0;       ///< of these, cores that are slower than the others (hybrid CPUs)
  int threads = 0;          ///< worker threads (CPU)
  /// Rows and columns of the tiles of C in which our own matrix products run, each on one core
  /// (SM).
  int product_tile = 64;
  double clock_hz = 0;  ///< highest clock the device states, or measured at opening (CPU)
  double memory_clock_hz = 0;
  double memory_bytes = 0;
  double l1_bytes = 0;  ///< per core / SM
  double l2_bytes = 0;  ///< CPU: per core, a share where cores have one together; GPU: whole
  double l3_bytes = 0;  ///< CPU only, all that this process can reach
  /// On a hypervisor, which shows the caches of the whole host, whatever share of them there is.
  bool virtual_machine = false;
  bool draws_screen = false;  ///< this GPU drives a display
  double link_rate = 0;  ///< GPU: byte/s that its PCIe link can move each way; 0: NVML states none
  std::string peer;      ///< GPU: "cuda:1", another to which it can copy directly
  int memory_nodes = 1;  ///< CPU: on which its cores lie (NUMA)
  std::vector<PeakPerClock> peaks;       ///< theoretical, CPU; GPUs have datasheets
  std::vector<LoadedLibrary> libraries;  ///< that the device uses where they are
  /// The part of a machine that this is: "MIG slice: 60 of 132 SMs, 71 of 141 GB", of a CPU
  /// "control group: 2 processors"; what else holds it back, such as a battery. Empty: all of it.
  std::string partition;

  /// All that a kernel on the whole device can keep in caches. An L3 that takes what the L2s evict
  /// (AMD; Intel's servers since Skylake-SP) holds nothing of what they hold, so both add.
  double last_level_cache() const {
    const bool per_core = kind == "cpu" && multiprocessors > 1;
    return l3_bytes + (per_core ? l2_bytes * multiprocessors : l2_bytes);
  }
  bool operator==(const DeviceInfo&) const = default;
};

/// Half a gibibyte behaves like DRAM even on a small virtual machine, which shows the last-level
/// cache of its host and gets a share of it; the H200 needs as much (docs/lab-notes.md, "Memory
/// roofs").
inline constexpr double surely_dram = 512.0 * 1024 * 1024;

/// Of the last-level cache that a virtual machine shows, what `cores` of it can have: at most 48
/// MiB each, the most of any server (AMD EPYC 7373X: 768 MiB for 16 cores).
double reachable_cache(double last_level_cache, bool virtual_machine, int cores);

/// The smallest working set, in byte, that is in DRAM at the start of each run: four times the
/// last-level cache, as docs/lab-notes.md asks for.
double dram_working_set(double last_level_cache, bool virtual_machine, int cores);
inline double dram_working_set(const DeviceInfo& info) {
  return dram_working_set(info.last_level_cache(), info.virtual_machine, info.multiprocessors);
}

/// One case on one device: allocated, filled with fresh random data, ready. Used from one thread.
class Trial {
 public:
  virtual ~Trial() = default;

  /// Waits, at most 0.1 s and at work, until others have left the cores; before each run. Returns
  /// at once where that can't be told.
  virtual void settle(std::stop_token) {}

  /// Runs the case, as often in a row as a timed region of at least 100 us needs, to completion.
  /// Throws Cancelled, DeviceLost.
  virtual Sample run(std::stop_token stop) = 0;

  /// Runs back to back for about so many seconds; the last run, when a power limit has lowered the
  /// clock. Throws as run() does.
  virtual Sample run_for(double seconds, std::stop_token stop);

  /// What one run does: work_of(case); for `peak`, whose shape the device picks, with that shape
  /// filled in.
  virtual Work work() const = 0;

  /// Runs on poisoned outputs and compares with the reference, before any timing counts. A long
  /// case may run twice for that: all elements with a few ops, and a part of them with all.
  virtual Check verify(std::stop_token stop) = 0;

  /// True when a run has its data in DRAM at its start (working set well beyond the caches).
  virtual bool cold() const = 0;
};

/// What a device has counted of all that ran on it, whoever started it, over a window of time.
struct Activity {
  double seconds = 0;  ///< the length of the window
  /// By name, as far as the device tells: shares of what there is at the clock of then, but rates
  /// of work and of links, and byte of processes (counted.hpp).
  std::vector<Value> counted{};
  Conditions conditions{};  ///< the clock as the mean of the looks in it; power at its end
};

/// Of the counters of a device: those that can be read at once, or also those of tools that take
/// seconds to start.
enum class Counters : std::uint8_t { at_once, any };

/// Reads the counters of a device, and launches nothing on it. Must not outlive the device.
class ActivityReader {
 public:
  virtual ~ActivityReader() = default;
  /// The shortest window that it can tell of, s.
  virtual double least_window() const = 0;
  /// Why it does not count work, bytes or both, but tells of the rest; empty: it counts both.
  virtual std::string why_not() const = 0;
  /// Reads what moves within a window, the clock under a power limit: to be called several times in
  /// each.
  virtual void look() {}
  /// What was counted since the last call, at first since it was made; nothing where less than
  /// least_window() has passed. Throws Unsupported with why there is no more to come.
  virtual std::optional<Activity> read() = 0;
};

/// A device that can measure. Used from one thread (the worker's).
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  /// What it can run, and why not the rest; one row per family x op x dtype x units x
  /// by.
  virtual std::span<const Kernel> kernels() const = 0;
  virtual Pace pace() const { return {}; }
  /// What can be chosen of the shape of a case, defaults first; mostly nothing. Not every
  /// combination need exist: prepare() throws Unsupported for one that doesn't.
  virtual std::vector<ShapeAxis> shape_axes(const Case&) const { return {}; }
  /// Makes it ready, which can take seconds (CUDA); prepare() does so where nobody has. Throws
  /// DeviceLost with why it cannot be used.
  virtual void open() {}
  /// Throws Unsupported with the reason, DeviceLost, Cancelled.
  virtual std::unique_ptr<Trial> prepare(const Case&, std::stop_token) = 0;
  /// Begins the time that `stolen`, `other_load`, the average power and counted throttling of the
  /// next conditions() cover.
  virtual void watch() {}
  /// Clocks, power, temperature now. Never throws; what cannot be read is absent.
  virtual Conditions conditions() = 0;
  /// A reader of its counters; the device needs not be open. Throws Unsupported with why this user
  /// cannot read any.
  virtual std::unique_ptr<ActivityReader> activity(Counters) {
    throw Unsupported("this device counts nothing that can be read beside other programs");
  }
  /// Bytes that can be allocated now; of a device that is not open at most so many.
  virtual double free_bytes() const = 0;
  /// Seconds that prepare() has spent on compiling generated kernels so far.
  virtual double seconds_compiling() const { return 0; }
};

/// A device that exists or was expected but cannot be used, and the sentence that says why and what
/// to do.
struct Unavailable {
  std::string id;
  std::string why;
};

struct Devices {
  std::vector<std::unique_ptr<Device>> usable;  ///< GPUs first, the CPU last; never empty
  std::vector<Unavailable> unavailable;
};

/// Lists every device of this machine; a GPU is not touched before open(). Can take long: call it
/// on the worker thread. Never throws for a missing GPU or driver.
Devices open_devices();

/// The row of `kernels` that answers for this case, or nullptr. Of several ops the first that does
/// not run, else the first.
const Kernel* find_kernel(std::span<const Kernel> kernels, const Case&);

}  // namespace kernels
