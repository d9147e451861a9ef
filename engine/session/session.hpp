// What was asked and measured, as plain values: runs, points, roofs, device, conditions. The
// content of a session file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec.hpp"
#include "kernels/case.hpp"
#include "kernels/device.hpp"

namespace engine {

enum class RoofKind { bandwidth, compute, overhead };
enum class RoofSource { measured, datasheet };

/// A ceiling. rate: byte/s, FLOP/s; overhead: launches/s ("launch", "overhead chain fp32").
struct Roof {
  std::string name;  ///< as contract: "DRAM copy", "fp32 FMA", "bf16 matrix", "launch"
  RoofKind kind = RoofKind::compute;
  std::optional<kernels::Dtype> dtype;
  std::optional<kernels::Units> units;
  double rate = 0;
  double rate_low = 0;  ///< 95 % interval of the median of the rounds; 0 = none (datasheet)
  double rate_high = 0;
  double best = 0;  ///< of the rounds; 0 = none
  /// Of matrix units, after a load long enough for the power limit to lower the clock; `rate` is
  /// that of bursts. 0 = not measured.
  double sustained = 0;
  kernels::Conditions sustained_conditions{};  ///< clock and power meanwhile
  /// The share of that time in which the device counted its units as busy (watch/rates.hpp); 0:
  /// it does not count.
  double counted_busy = 0;
  std::vector<double> rounds{};  ///< rates, in the order of measurement
  RoofSource source = RoofSource::measured;
  std::string cite;        ///< derivation or source, and how it was measured
  kernels::Shape shape{};  ///< of the kernel that measured it, where there was a choice
  kernels::Data data = kernels::Data::random;  ///< zeros: its name says so, and it bounds no point
  kernels::Conditions conditions;
  double stated_clock = 0;  ///< Hz, of a datasheet's rate; 0 = not stated
  /// Hz, the highest that was read after rounds that nobody disturbed; 0 = unknown, as in a file.
  double highest_clock = 0;
  bool disturbed = false;      ///< other work used the device in every round
  bool partly_cached = false;  ///< of DRAM: caches held part of what was moved

  bool operator==(const Roof&) const = default;
};

/// A stated roof of a CPU, which has no datasheet: FLOP per clock and core at the clock seen.
bool is_theoretical(const Roof&);
/// "measured", "datasheet" or "theoretical": in files and in words.
std::string_view source_word(const Roof&);

/// "DRAM copy", ...
bool is_of_dram(const Roof&);

/// "disturbed" or "throttled" where every round was: it may be too low. "partly in cache": it is
/// too high for the memory itself. Mostly empty.
std::string_view flag_of(const Roof&);
inline constexpr std::string_view in_cache_flag = "partly in cache";

/// The name of the compute roof: "fp32 FMA", "bf16 matrix"; without FMA "fp32 mul", "fp32 add",
/// "fp32 mul+add"; of dot products "bf16 dot"; of a library's product "bf16 library".
std::string compute_roof_name(kernels::Dtype, kernels::Units, kernels::Op op = kernels::Op::fma);

/// The names of the compute roofs that can bound a case, the best fitting first, as its family
/// says: that of its own op, which not every device has, and that of its FMAs.
std::vector<std::string> compute_roof_names(const kernels::Case&);

/// What the name of the overhead of a kernel begins with.
inline constexpr std::string_view overhead_word = "overhead ";
/// The name of the overhead of a kernel: "overhead chain fp32", "overhead tile bf16 matrix"; in a
/// graph "overhead chain fp32 graph".
std::string overhead_roof_name(const kernels::Case&, kernels::Launched);

/// Whether a roof is such an overhead, and not the launch of an empty kernel.
bool is_of_a_kernel(const Roof&);

/// The name of a roof measured on such data: on zeros "fp32 FMA, zeros".
std::string roof_name_on(std::string name, kernels::Data);

/// The roof of that name and source, and of that kind, or null.
const Roof* roof_named(const std::vector<Roof>&, std::string_view name, RoofSource,
                       std::optional<RoofKind> = {});
/// The measured one of that name, or null.
const Roof* measured_roof(const std::vector<Roof>&, std::string_view name);

enum class Status { ok, skipped, failed };

/// Why measuring stopped: good enough, or at a limit before that.
enum class Stop { noise_goal, time_limit };
/// The limit of a point that stopped short of its noise goal: the time, the number of samples,
/// others who did not leave the cores, or the end of the sweep.
enum class Limit { time, samples, others, stopped };

/// A value with the 95 % interval of its median, where there is one.
struct Interval {
  double median = 0;
  std::optional<double> low{}, high{};

  bool operator==(const Interval&) const = default;
};

/// Fewer samples have no 95 % interval of their median: 2 (1/2)^5 > 5 %.
inline constexpr std::size_t least_for_interval = 6;

struct Seconds {
  double median = 0;
  double low = 0;  ///< 95 % interval of the median; of fewer samples, all that was seen
  double high = 0;
  std::vector<double> samples;
  std::vector<std::size_t> outliers;  ///< indices into samples

  /// Points from outside may have one without their samples.
  bool has_interval() const {
    return samples.empty() ? low < high : samples.size() >= least_for_interval;
  }
  bool operator==(const Seconds&) const = default;
};

/// What one run reached of the roof that bounds it: median of the quotients of each run and the
/// looks at the roof right before and after it.
struct Share {
  std::string roof;
  Interval of;

  bool operator==(const Share&) const = default;
};

/// One look at a roof: byte/s or FLOP/s.
struct Look {
  std::string roof;
  double rate = 0;

  bool operator==(const Look&) const = default;
};

/// One of several times at which a point was measured.
struct Visit {
  std::size_t first = 0;  ///< of its samples
  double at = 0;          ///< s since the sweep began
  std::size_t pass = 0;   ///< over all points of the sweep, the first is 0
  double share = 0;       ///< median; 0: no roof ran beside it
  std::vector<Look> looks{};
  std::string set_aside{};        ///< why its samples do not count; mostly empty
  std::vector<double> samples{};  ///< where they do not count: s

  bool operator==(const Visit&) const = default;
};

/// One measured (or skipped, or failed) case.
struct Point {
  std::string lab{"intensity"};  ///< "experiment" in files
  kernels::Case what;
  kernels::Work work;
  Status status = Status::ok;
  std::string why;   ///< reason when not ok
  std::string note;  ///< how the kernel computes: "AVX-512", "fp16 storage, fp32 arithmetic"
  kernels::Launched launched = kernels::Launched::unknown;
  Seconds seconds;
  std::optional<Share> share{};  ///< of the roof that ran beside it
  std::vector<Visit> visits{};
  Stop stop = Stop::noise_goal;
  Limit limit = Limit::time;  ///< which one, when `stop` is time_limit
  bool checked = false;
  bool cold = true;                ///< working set in DRAM
  bool probe = false;              ///< a single point asked for with the slider
  bool cached = false;             ///< a shape tried in an earlier search, not now
  std::uint64_t run = 0;           ///< number of its Run
  bool disturbed = false;          ///< other work took a share of the device in every visit
  std::size_t discarded = 0;       ///< samples taken below 75 % of the settled clock
  std::size_t contended = 0;       ///< samples left out because others ran on the same cores
  kernels::Conditions before{};    ///< at the start
  kernels::Conditions conditions;  ///< at the end; clock_hz under load
  std::string id{};                ///< stable text; a later point with the same takes its place
  std::string source{};  ///< who measured it, where that was not Ridgepoint; never measured here
  std::string kernel{};  ///< the name of a kernel that Ridgepoint cannot run; mostly empty
  std::string label{};   ///< its name where the case does not tell it: "Python"
  std::vector<kernels::Value> values{};  ///< what else was measured of it
  std::vector<kernels::Span> spans{};    ///< what ran when, since the run began
  /// What the worker did for it, since the sweep began, and for points that were not measured and
  /// roofs before it.
  std::vector<kernels::Span> phases{};

  double flops_per_second() const { return seconds.median > 0 ? work.flops / seconds.median : 0; }
  double flops_per_element() const {
    return what.elements > 0 ? work.flops / static_cast<double>(what.elements) : 0;
  }
  double bytes_per_second() const { return seconds.median > 0 ? work.bytes / seconds.median : 0; }
  bool operator==(const Point&) const = default;
};
/// The name of its kernel: that of its family, or its own.
std::string_view kernel_of(const Point&);
/// "intensity/1/chain fma fp32 fused vector, elements 1048576, repeat 64": what a point is known by
/// among those of a session: lab, run and case.
std::string id_of(const Point&);
/// The extra value of that name, if the point has one.
std::optional<double> told(const Point&, std::string_view name);
/// The same; 0 without.
double value_of(const Point&, std::string_view name);
/// It was measured, undisturbed, and often enough for a 95 % interval: conclusions may rest on it.
bool is_sure(const Point&);
/// Threads wait for the slowest, so what one core loses is lost twice on two: this share of the
/// device is several times a noise goal of 1 %; less touches so few samples that a median does not
/// move.
inline constexpr double most_taken = 0.03;
/// The processor quota of a control group took more of the device than that, and more than others
/// and the hypervisor did.
bool held_by_quota(const kernels::Conditions&);
/// The device held its clock back before this was measured, or meanwhile.
bool was_throttled(const Point&);

/// One sweep: what was asked, when, and how it ended.
struct Run {
  std::uint64_t number = 0;
  Spec spec{};          ///< with the element types and units that the lab chose where nobody did
  std::string begin{};  ///< ISO 8601 UTC; empty: told by its points alone, in an older file
  std::string end{};    ///< the same; empty: it did not end while somebody could write it down
  std::string why{};    ///< "complete", "stopped", "replaced", or what went wrong

  bool operator==(const Run&) const = default;
};

struct AppInfo {
  std::string version, commit, compiler, cuda;

  bool operator==(const AppInfo&) const = default;
};
/// Of this build.
AppInfo app_info();

struct HostInfo {
  std::string os, cpu;

  bool operator==(const HostInfo&) const = default;
};
HostInfo host_info();

/// Everything measured on one device.
struct Session {
  AppInfo app;
  std::string created;  ///< ISO 8601 UTC
  HostInfo host;
  kernels::DeviceInfo device;
  std::vector<Run> runs{};  ///< in the order in which they began
  std::vector<Roof> roofs;
  std::vector<Roof> superseded_roofs{};  ///< measured again later, in the order in which that was
  std::vector<Point> points;
  std::size_t left_out = 0;  ///< points beyond max_points, not kept

  bool operator==(const Session&) const = default;
};

/// A long day of sweeps: a file with more is refused, so no session holds more.
inline constexpr std::size_t max_points = 20'000;

/// Superseded roofs that a session keeps: the newest.
inline constexpr std::size_t max_superseded = 500;

/// "2026-11-21T10:00:00Z": now.
std::string utc_now();
/// An empty session for this device, stamped now.
Session new_session(const kernels::DeviceInfo&);

/// Adds a run; an earlier one of the same number is replaced.
void add_run(Session&, Run);
/// The run of that number, or null.
const Run* run_of(const Session&, std::uint64_t number);
/// The newest run that the session holds points of, slider's aside: of any lab, or of that one.
std::optional<std::uint64_t> newest_run(const Session&, std::string_view lab = {});
/// The points of a run, and of that lab, in the order of measurement, without the slider's.
std::vector<const Point*> points_of(const Session&, std::uint64_t run, std::string_view lab = {});
/// Labs that had another name are called as they are today.
void use_names_of_today(Session&);
/// The runs of an older file, as far as its points tell.
std::vector<Run> runs_told_by(const Session&);

/// Adds a point; an earlier point of the same run and case is replaced. A full session counts it as
/// left out; then false.
bool add_point(Session&, Point);
/// A sentence for a session that points were left out of, with a remedy; else empty.
std::string full_warning(const Session&);
/// Adds a roof; an earlier one of the same name and source is replaced. Where that was another
/// measurement, it stays as superseded.
void add_roof(Session&, Roof);

/// The roofs that bound a case, of one source, or null; on random data. Bandwidth is "DRAM copy". A
/// compute roof without FMA exists only where a chain of mul or add was measured.
const Roof* bandwidth_roof(const Session&, RoofSource);
const Roof* compute_roof(const Session&, kernels::Dtype, kernels::Units, RoofSource,
                         kernels::Op op = kernels::Op::fma);
/// How a point was launched. Of one from an older file, which does not say: a CPU has one way, and
/// a GPU noted its graphs. Unknown of points from other programs.
kernels::Launched launched_of(const Session&, const Point&);

/// What an empty kernel takes where it is launched so: "launch graph" in a graph, else "launch".
const Roof* launch_roof(const Session&, kernels::Launched);
/// What the kernel of a case takes at its smallest size, launched so.
const Roof* overhead_roof(const Session&, const kernels::Case&, kernels::Launched);

}  // namespace engine
