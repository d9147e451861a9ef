// A window of what a device counted, as a point: charts, files, replay and comparisons know points.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/session.hpp"
#include "engine/spec.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/watch/rates.hpp"
#include "kernels/counted.hpp"

namespace engine {

inline constexpr std::string_view watch_lab = "watch";
/// Empty, or what was expected in place of that length of a window.
std::string refusal_of_window_length(std::string_view);
/// The knobs of that lab.
inline constexpr LabKnob window_length =
    LabKnob::text("every", "Length of a window.", "0.1s", refusal_of_window_length);
inline constexpr std::array<std::string_view, 4> tensor_types{"bf16", "fp16", "tf32", "fp8"};
inline constexpr LabKnob tensor_type =
    LabKnob::choice("tensor", "Type of what runs on matrix units, whose counter does not tell it.",
                    "bf16", tensor_types);
/// Values of such a point beside its shares: when the window began, s since the first one.
inline constexpr std::string_view time_value = "time";

/// The kinds of units, and the ways of links, that devices count.
inline constexpr std::array pipe_names{kernels::counted::fp64, kernels::counted::fp32,
                                       kernels::counted::fp16, kernels::counted::dmma,
                                       kernels::counted::hmma, kernels::counted::imma};
inline constexpr std::array link_names{kernels::counted::pcie_sent, kernels::counted::pcie_received,
                                       kernels::counted::nvlink_sent,
                                       kernels::counted::nvlink_received};

/// FLOP and byte of a window, and its shares as values. Of the family `outside`, since nobody here
/// ran it; its type and units are those of the busiest pipe.
Point window_point(const CountedRates&, const kernels::Activity&, double begin);
bool is_window(const Point&);
/// "92 %", "55 GB/s", "12 GiB": what the device told, in the unit of its name.
std::string value_text(const kernels::Value&);

/// The share of the multiprocessors, or cores, that had work; nothing where that is not counted.
std::optional<double> busy_share(const Point&);

/// What limits a device, as far as its counters tell; unknown: none of them clearly.
inline constexpr std::array limits{Regime::compute, Regime::bandwidth, Regime::overhead,
                                   Regime::unknown};
/// "compute-bound", ..., "no clear limit".
std::string_view limit_word(Regime);

/// Part of their roof that units or memory must reach while the multiprocessors work, to be what
/// limits them.
inline constexpr double least_share = 0.5;

/// How a window divides into these, s, by `limits`. Multiprocessors (cores) without work are
/// overhead: nothing was launched, or too little to keep all of them at work. The rest is of the
/// busiest where that reaches least_share of its roof, else unknown: small kernels, latency, or
/// several kinds in one window. All of it is unknown where the device does not count.
std::array<double, limits.size()> division_of(const Session&, const Point&);
/// The largest part.
Regime main_limit_of(const Session&, const Point&);
/// What has work or not: "multiprocessors", "cores".
std::string_view parts_of(const kernels::DeviceInfo&);
/// Of so little work nothing can be told.
bool is_idle(const Point&);
/// What limits one window, its shares of roofs in words, and what would help.
Verdict judge_window(const Session&, const Point&);
/// What would help where this limits a device; of no limit, where to look.
std::string advice_for(Regime, const kernels::DeviceInfo&);
/// Byte/s over the measured DRAM copy roof, else over the datasheet's; nothing where they are not
/// counted, or no such roof is known.
std::optional<double> memory_share(const Session&, const Point&);
/// The share of the busiest arithmetic units, and what is counted of them.
struct Busiest {
  std::string_view counted;
  double share = 0;
};
Busiest busiest_pipe(const Point&);
/// Whether shares of the memory and of some units are known; else nothing limits them that could be
/// told.
bool knows_roofs(const Session&, const Point&);

/// Windows that are alike as one, whose seconds, FLOP and byte are their sums: the longest first,
/// and of the moment of its first window. Neighbours belong together where their shares differ by
/// at most 0.1, whatever the power limit does to the clock; of stretches shorter than a second
/// there is no phase.
std::vector<Point> phases_of(std::span<const Point* const> windows);

/// Windows of one run that a session keeps: of more, those alike are put together.
inline constexpr std::size_t most_windows = 5000;
/// Where a run has more windows than that, neighbours with the same limit that differ least become
/// one, until half are left: what stands out stays as it is, and all sums are the same.
void put_alike_together(Session&, std::uint64_t run);

}  // namespace engine
