// What was measured, as plain values: points, roofs, device, conditions. The content of a session
// file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/case.hpp"
#include "kernels/device.hpp"

namespace engine {

enum class RoofKind { bandwidth, compute, overhead };
enum class RoofSource { measured, datasheet };

/// A ceiling. rate: byte/s, FLOP/s; overhead: launches/s ("launch").
struct Roof {
  std::string name;  ///< as contract: "DRAM copy", "fp32 FMA", "bf16 matrix", "launch"
  RoofKind kind = RoofKind::compute;
  std::optional<kernels::Dtype> dtype;
  std::optional<kernels::Units> units;
  double rate = 0;
  double rate_low = 0;  ///< 95 % interval, from samples and from rounds; 0 = none (datasheet)
  double rate_high = 0;
  RoofSource source = RoofSource::measured;
  std::string cite;        ///< derivation or source, and how it was measured
  kernels::Shape shape{};  ///< of the kernel that measured it, where there was a choice
  kernels::Data data = kernels::Data::random;  ///< zeros: its name says so, and it bounds no point
  kernels::Conditions conditions;
  std::string flaws{};  ///< why nobody should rely on it; mostly empty

  bool operator==(const Roof&) const = default;
};

/// The name of the compute roof: "fp32 FMA", "bf16 matrix"; without FMA "fp32 mul", "fp32 add",
/// "fp32 mul+add"; of dot products "bf16 dot"; of a library's product "bf16 library".
std::string compute_roof_name(kernels::Dtype, kernels::Units, kernels::Op op = kernels::Op::fma);

/// The dtype whose arithmetic a case does: tiles on vector units widen floats below fp32, and tf32,
/// and run fp32 FMAs.
kernels::Dtype computing_dtype(const kernels::Case&);

/// True for tiles that are dot products of bf16 pairs where the device has such instructions.
bool may_be_dots(const kernels::Case&);

/// The names of the compute roofs that can bound a case, the best fitting first: that of its own op
/// or of its dot products, which not every device has, and that of its FMAs.
std::vector<std::string> compute_roof_names(const kernels::Case&);

/// The name of a roof measured on such data: on zeros "fp32 FMA, zeros".
std::string roof_name_on(std::string name, kernels::Data);

enum class Status { ok, skipped, failed };

/// Why measuring stopped: good enough, or at a limit before that.
enum class Stop { noise_goal, time_limit };
/// The limit of a point that stopped short of its noise goal: the time, the number of samples, a
/// spread that puts the goal out of the time's reach, or others who did not leave the cores.
enum class Limit { time, samples, spread, others };

struct Seconds {
  double median = 0;
  double low = 0;  ///< 95 % interval of the median
  double high = 0;
  std::vector<double> samples;
  std::vector<std::size_t> outliers;  ///< indices into samples

  bool operator==(const Seconds&) const = default;
};

/// One measured (or skipped, or failed) case.
struct Point {
  std::string experiment = "intensity";
  kernels::Case what;
  kernels::Work work;
  Status status = Status::ok;
  std::string why;   ///< reason when not ok
  std::string note;  ///< how the kernel computes: "AVX-512", "fp16 storage, fp32 arithmetic"
  Seconds seconds;
  Stop stop = Stop::noise_goal;
  Limit limit = Limit::time;  ///< which one, when `stop` is time_limit
  bool checked = false;
  bool cold = true;                ///< working set in DRAM
  bool probe = false;              ///< a single point asked for with the slider
  bool cached = false;             ///< a shape tried in an earlier search, not now
  std::uint64_t run = 0;           ///< number of the sweep within the session, for overlays
  bool disturbed = false;          ///< other work took a share of the device in every try
  std::size_t discarded = 0;       ///< samples taken below 75 % of the settled clock
  std::size_t crowded = 0;         ///< samples left out because others ran on the same cores
  kernels::Conditions before{};    ///< at the start
  kernels::Conditions conditions;  ///< at the end; clock_hz under load

  double flops_per_second() const { return seconds.median > 0 ? work.flops / seconds.median : 0; }
  double bytes_per_second() const { return seconds.median > 0 ? work.bytes / seconds.median : 0; }
  bool operator==(const Point&) const = default;
};
/// The device held its clock back before this was measured, or meanwhile.
bool was_throttled(const Point&);

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
  std::vector<Roof> roofs;
  std::vector<Point> points;
  std::size_t left_out = 0;  ///< points beyond max_points, not kept

  bool operator==(const Session&) const = default;
};

/// A long day of sweeps: a file with more is refused, so no session holds more.
inline constexpr std::size_t max_points = 20'000;

/// An empty session for this device, stamped now.
Session new_session(const kernels::DeviceInfo&);

/// Adds a point; an earlier point of the same run and case is replaced. A full session counts it as
/// left out; then false.
bool add_point(Session&, Point);
/// A sentence for a session that points were left out of, with a remedy; else empty.
std::string full_warning(const Session&);
/// Adds a roof; an earlier one of the same name and source is replaced.
void add_roof(Session&, Roof);

/// The roofs that bound a case, of one source, or null; on random data. Bandwidth is "DRAM copy". A
/// compute roof without FMA exists only where a chain of mul or add was measured.
const Roof* bandwidth_roof(const Session&, RoofSource);
const Roof* compute_roof(const Session&, kernels::Dtype, kernels::Units, RoofSource,
                         kernels::Op op = kernels::Op::fma);
const Roof* launch_roof(const Session&);

}  // namespace engine
