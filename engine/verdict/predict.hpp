// What the roofs predict for a case, and what a measured point means: the regime and what would
// help. Pure.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/session.hpp"

namespace engine {

enum class Regime { overhead, bandwidth, compute, unknown };
std::string_view name_of(Regime);  ///< "overhead-bound", ...

/// The ceiling that predictions use: the measured roof, else that of the datasheet, else none
/// (rate 0).
struct Ceiling {
  double rate = 0;  ///< byte/s, FLOP/s, launches/s
  std::string
      name;  ///< "the measured DRAM copy roof", "half the datasheet fp32 FMA roof"; empty when none
  kernels::Conditions conditions{};  ///< of the roof, where it was measured
  std::string_view flag{};           ///< flag_of() the roof
  /// The roof that the case has of its own, where that was not measured: "DRAM read", whose mix of
  /// reads and writes is another one; "int8 FMA". Empty: this is its own.
  std::string lacks{};
};
/// The better known first.
inline constexpr std::array roof_sources{RoofSource::measured, RoofSource::datasheet};
/// The roof of DRAM with the mix of reads and writes of a case, of one source; else that of copies,
/// or null.
const Roof* memory_roof(const Session&, RoofSource, const kernels::Case&);
Ceiling bandwidth_ceiling(const Session&, const kernels::Case&);
/// The measured roof of that name, for a case; rate 0 without it.
Ceiling ceiling_named(const Session&, std::string_view roof, const kernels::Case&);
/// The roof of the cache that holds what the case touches; rate 0 when it fits in none, or that
/// one's bandwidth was not measured.
Ceiling cache_ceiling(const Session&, const kernels::Case&);
/// A chain of mul or add does one FLOP where FMA does two: without a roof of its own, half of the
/// FMA roof.
Ceiling compute_ceiling(const Session&, const kernels::Case&);
/// That of one source: rates of two cases are comparable where both are measured or both stated.
Ceiling compute_ceiling(const Session&, const kernels::Case&, RoofSource);

/// Seconds that each roof alone would take; attainable is their largest, to which the overhead adds
/// where it does (Overhead::adds). Absent roofs give 0 and are named.
struct Prediction {
  double compute_seconds = 0;
  double bandwidth_seconds = 0;
  double overhead_seconds = 0;
  bool overhead_adds = false;
  kernels::Launched launched = kernels::Launched::unknown;  ///< what the overhead is of
  double seconds() const;  ///< of one run at the roofs; 0 when no roof is known
  /// Roofs of memory and arithmetic are both known: else a run may take longer than seconds().
  bool complete() const { return compute_seconds > 0 && bandwidth_seconds > 0; }
  Regime regime() const;
  double attainable_flops() const;  ///< FLOP/s = flops / seconds(); 0 while that is not complete
  double flops = 0;
};
/// Memory is the cache that holds the case where its roof was measured, else DRAM. Launched as the
/// device does it with what takes so long.
Prediction predict(const Session&, const kernels::Case&, const kernels::Work&);
/// Which kind of roof ran beside a point; nothing where none did.
std::optional<RoofKind> kind_beside(const Point&);
/// Of a measured point, launched as it was, where the roof that ran beside it is as fast as it was
/// then.
Prediction predict(const Session&, const Point&);

/// What kernels of a kind reach of their roofs: medians over measured points; 0 = none.
struct Reach {
  double bandwidth = 0;   ///< of DRAM, where memory clearly bounds the points
  double compute = 0;     ///< where arithmetic does
  bool of_sheet = false;  ///< of the rates in the device's datasheet, not of measured roofs

  double of(Regime) const;
};
/// Of the roofs that ran beside the points that differ from a case in elements and repeat alone.
Reach reach_of_kind(const Session&, const kernels::Case&);
/// Of the datasheet of the session's device, where that states memory and arithmetic: what a
/// prediction from another datasheet takes. Else as reach_of_kind().
Reach reach_of_sheet(const Session&, const kernels::Case&);
/// The same with each roof at that share, where it is known.
Prediction at_reach(Prediction, const Reach&);

/// Which roof a prediction does without, in a sentence: of the cache that holds the case, of its
/// mix of reads and writes, or of the dot products that a tile runs on. Mostly empty.
std::string missing_roof(const Session&, const kernels::Case&);

/// Ridge point in FLOP/byte of compute roof / bandwidth roof; 0 when one is missing.
double ridge_point(const Roof* bandwidth, const Roof* compute);

/// Where a share of a roof is above this, the roof is not the best that the device can do.
inline constexpr double far_above_roof = 1.05;

/// A point read against the roofs.
struct Verdict {
  Regime regime = Regime::unknown;
  std::string_view limit;         ///< as limit_of() says
  double share_of_bandwidth = 0;  ///< achieved byte/s over the roof; 0 = no roof
  double share_of_compute = 0;
  double share_of_overhead = 0;  ///< part of the runtime that is overhead
  bool overhead_adds = false;    ///< as Prediction::overhead_adds
  double ridge = 0;              ///< FLOP/byte
  std::string cache;             ///< whose roof the ridge is of; empty: that of the memory
  bool beside_ridge = false;     ///< within a factor of two of it
  bool two_roofs = false;        ///< beside it, and explained by two roofs together, by none alone
  double free_ops = 0;   ///< more ops per element that would cost nothing (bandwidth-bound, fused)
  std::string headline;  ///< "Bandwidth-bound: 94 % of the measured DRAM copy roof"
  std::vector<std::string>
      sentences;  ///< why not to believe it, speed-ups seen, the ridge, how well it was measured
  std::string overhead;    ///< overhead_in_words(), also in `sentences` where it bounds
  std::string above_roof;  ///< why it lies above its roof, also in `sentences`; mostly empty
  std::vector<std::string> advice;  ///< what would help, most useful first
};
/// `point` must be ok. Uses sibling points of the session (other fusion, other units) for measured
/// speed-ups.
Verdict judge(const Session&, const Point&);

/// The runtime that the roofs allow over the one of the point; 0 where they are not known, and of a
/// disturbed point, whose roof was measured beside other work.
double share_of_roofs(const Session&, const Point&);

/// "Every round of DRAM copy was disturbed: it may be too low."; empty without a flag_of() the
/// roof.
std::string flag_in_words(std::string_view roof, std::string_view flag);

/// What limits a point, in words, quickly for many points: the name of its regime; "near the ridge"
/// where memory and arithmetic share the runtime and neither explains it alone; "no clear limit"
/// where no roof explains enough of it; "unknown" where no roof is known.
std::string_view limit_of(const Session&, const Point&);

/// The whole session in words, for `explain` and the headless main job: per series the knee,
/// plateau, regimes, and what would help. Plain text, lines of at most 100 columns.
std::string explain(const Session&);

}  // namespace engine
