// A lab: a question, the cases that answer it, the charts that show them and the verdict. One file
// each in this folder; the list is in labs.cpp. Nothing outside compares a lab's name.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/charts/chart.hpp"
#include "engine/session/session.hpp"
#include "engine/spec.hpp"

namespace engine {

/// Where a lab is to run: all that a plan may know of a device.
struct Place {
  kernels::DeviceInfo info;
  std::vector<kernels::Kernel> kernels;
  double free_bytes = 0;
  /// Set where the device is not here: the session it was recorded in, without points and roofs.
  std::optional<Session> recorded{};
  /// Every shape of its kernels of fp32 FMA and of bf16 products on matrix units, the default
  /// first.
  std::vector<kernels::Case> shapes{};

  /// Whether it has a kernel for a case, and that runs. False where kernels are not known.
  bool runs(const kernels::Case&) const;
  /// Whether it has heard of a case: it runs, or there is a reason that it does not. True where
  /// kernels are not known.
  bool knows(const kernels::Case&) const;
  bool operator==(const Place&) const = default;
};

Place place_of(const kernels::Device&);

/// One case to measure, and the word that tells it from others.
struct Ask {
  kernels::Case what;
  std::string label{};
  /// Part of the time limit for one point, where many share the time of a lab.
  double part_of_time = 1;
  bool once = false;  ///< in one brief visit, with no roof beside it

  bool operator==(const Ask&) const = default;
};

/// A roof to measure: how it will be called, the case that measures it, and what of its work is
/// counted.
struct RoofTask {
  Roof roof;
  kernels::Case what;  ///< its shape is fixed when not empty, else searched
  double kernels::Work::*amount = nullptr;
  /// Another working set that may read faster, in elements; 0: none.
  std::uint64_t larger = 0;
  /// How it has to be launched to be this roof; unknown: in any way.
  kernels::Launched launched = kernels::Launched::unknown;
  bool brief = false;     ///< one short round: looks beside points are more
  bool optional = false;  ///< no roof, and no word of it, where the device does not offer its shape
  bool whole = false;     ///< shapes are compared on all of the working set: less may fit a cache
  /// Where it comes within 5 % of this roof it is none of its own.
  std::string apart_from{};
  /// Why it cannot be: a kernel that the device does not have.
  std::string why_not{};
};

struct Plan {
  std::vector<Ask> asks;  ///< in the order in which they are measured
  /// To be searched whatever is known of them, before those that bound the asks.
  std::vector<RoofTask> roofs{};
  std::vector<std::string> notes{};  ///< what the results so far rule out, in sentences
};

using Points = std::vector<const Point*>;

/// What a lab has measured so far. Refers to what others own.
struct Results {
  const Spec& spec;  ///< of that run
  const Session& session;
  Points points;       ///< of this lab and run, in the order of measurement
  bool ended = false;  ///< the run is over, or was stopped
};
/// The points of the newest run of a lab, and what that run was asked.
Results results_of(std::string_view lab, const Session&, bool ended = true);

/// What people say, and where.
struct Claim {
  std::string_view text, source;
};

/// What measurements say of a claim.
enum class Says : std::uint8_t { not_yet, holds, differs, cannot_say };

/// One line of "claim | this machine".
struct VerdictRow {
  std::string what;
  std::optional<Interval> claimed, here;
  /// SI, "x" for a factor, "%" for a share (of 1), "%.2" for one with two decimals.
  std::string_view unit;
  Says says = Says::not_yet;  ///< of what the claim needs; not_yet: the row informs
};

/// A conclusion that cannot be drawn.
inline constexpr std::string_view scattered =
    "The points scatter too much: measure again when the machine is idle.";

struct LabVerdict {
  Says says = Says::not_yet;  ///< concluded from the rows
  std::string headline;       ///< one sentence
  std::vector<VerdictRow> rows{};
  std::vector<std::string> advice{};

  /// Adds a row that informs.
  void inform(std::string what, std::optional<Interval> here, std::string_view unit);
  /// Adds a row that the claim needs: it holds where `here` lies between two numbers.
  void judge(std::string what, std::optional<Interval> claimed, const Interval& here,
             std::string_view unit, double low, double high = HUGE_VAL);
  /// Concludes from the rows, in the sentence that suits. Where they rest on points which were
  /// disturbed or have no interval, neither it nor they are sure, and say so.
  void conclude(std::string holds, std::string differs, std::span<const Point* const> rests_on,
                std::string_view unsure = scattered);
};
/// The verdict where what it needs was not measured, with a sentence that says what.
LabVerdict cannot_say(std::string why);

/// Up to eight values, listed where they belong.
template <class Value>
class Few {
 public:
  constexpr Few() = default;
  consteval Few(std::initializer_list<Value> some) : count_(some.size()) {
    std::ranges::copy(some, all_.begin());
  }
  constexpr const Value* begin() const { return all_.data(); }
  constexpr const Value* end() const { return begin() + count_; }
  constexpr bool empty() const { return count_ == 0; }

 private:
  std::array<Value, 8> all_{};
  std::size_t count_ = 0;
};

struct Lab {
  std::string_view name;  ///< as on the command line and in files
  /// What it was called before: the command line and files may still say so.
  std::string_view former_name{};
  std::string_view title;     ///< in the window
  std::string_view group;     ///< Roofline, Compute, Memory, Overhead, Your kernels
  std::string_view question;  ///< one sentence: what it finds out
  std::string_view about;     ///< a paragraph: how, and what to look for
  std::string_view needs{};   ///< the points that its question needs; for docs/labs.md
  Claim claim{};
  /// The common knobs (spec.hpp) that it reads beside device, lab, noise, max-time and time.
  Few<std::string_view> reads{};
  Few<LabKnob> knobs{};  ///< its own
  /// Why it cannot run there, in one sentence; empty: it can. Null: it always can.
  std::string (*why_not)(const Place&) = nullptr;
  /// Pure. Asked again with the points so far, after the first pass and after the last one:
  /// searches, fits and "measure only what is missing" are plans that grow. The spec has passed
  /// refuse_contradictions(). Throws BadInput where the lab's own knobs contradict each other.
  Plan (*plan)(const Spec&, const Place&, const Results& so_far) = nullptr;
  std::vector<Chart> (*charts)(const Results&) = nullptr;
  LabVerdict (*verdict)(const Results&) = nullptr;  ///< asked by verdict_of(); null: none
  bool says_early = false;       ///< its verdict says something of unfinished results, too
  std::string_view slider{};     ///< the axis that the slider probes; none: no slider
  bool lists_roofs = false;      ///< its page has the table of roofs
  bool watches = false;          ///< runs nothing: reports what the device counts of all that runs
  bool on_matrix_units = false;  ///< of products: on GPUs it prefers matrix units, see suited()
  double time = 0;               ///< s for all its points where the user sets no limit; 0: none
  double time_of_point = 0;      ///< s that each of its points adds to that
};

/// The verdict of a lab. Says nothing yet where it has none, or one of ended runs alone.
LabVerdict verdict_of(const Lab&, const Results&);

/// Every lab, in the order of the list. One file each.
std::span<const Lab* const> labs();
/// The one of that name or former name, or null.
const Lab* find_lab(std::string_view name);
/// Puts another list in its place; its labs must outlive their use. For tests, before any thread
/// looks at the list.
void use_labs(std::vector<const Lab*>);
/// The lab that a spec names. Throws BadInput.
const Lab& lab_of(const Spec&);

/// A case of that family as a spec asks for it: its op, its data, and elements that fit the device.
kernels::Case usual_case(const Spec&, const Place&, kernels::Family, kernels::Dtype);

/// Whether nobody chose the value of a knob.
bool is_automatic(const Spec&, const LabKnob&);
/// The number of a knob; on a GPU another one where nobody chose it.
std::uint64_t number_on(const Place&, const Spec&, const LabKnob&, std::uint64_t of_gpu);
/// Why no kernel of a family runs on a device: the reason of its last one, or that it has none.
/// Empty where one does, and where its kernels are not known.
std::string why_none(const Place&, kernels::Family, std::string_view has_none);
/// Whether a case leaves half of the memory free, as sizes must that nobody asked for.
bool leaves_room(const Place&, const kernels::Case&);
/// Throws BadInput where memory does not hold a case that the value of a knob asks for.
void refuse_beyond_memory(const LabKnob&, const Spec&, const Place&, const kernels::Case&);
/// Whether a lab asks for a case whose size a knob sets: one that nobody chose must leave room.
/// Throws BadInput where memory does not hold one that somebody chose.
bool fits(const LabKnob&, const Spec&, const Place&, const kernels::Case&);

/// The verdict of a lab in lines: the claim, what this machine says, what would help. Empty where
/// the lab has none, or none yet.
std::string verdict_text(const Lab&, const Results&);
/// What a value says of the claim that it lies between two numbers: it holds or differs where its
/// whole interval says so, and cannot say where the interval reaches across a border.
Says judge(const Interval&, double low, double high);
/// The conclusion in words, with what it says of the claim of the lab, where that has one.
std::string said_of(const Lab&, const LabVerdict&);
/// What the judged rows say together: one that differs decides, else one that cannot say.
Says conclude(std::span<const VerdictRow>);
/// A verdict that rests on points which were disturbed or have no interval is not sure, nor are its
/// rows, and says so.
void distrust_unsure(LabVerdict&, std::span<const Point* const> rests_on);
/// "The claim holds here."; nothing while a lab has said nothing.
std::string_view words_of(Says);
/// Of a row: "holds", "differs", "not sure"; nothing where it informs.
std::string_view word_of(Says);
/// A value of a verdict's row: "1.98x", "61 %", "35.1 GB/s"; "-" for nothing.
std::string text_of(const std::optional<Interval>&, std::string_view unit);

/// Whether the lab of that name is about ops per element, so that its points make up series with a
/// knee. Points of an unknown lab are taken for such.
bool is_over_repeats(std::string_view lab);

/// The charts of a lab, which know whose points they show.
std::vector<Chart> charts_of(const Lab&, const Results&);
/// Those of all labs as they are before anything is measured, and the one of that id, or null. For
/// one thread.
const std::deque<Chart>& all_charts();
const Chart* find_chart(std::string_view id);

/// Whether the points of the lab of that name are shapes and working sets tried for roofs.
bool measures_roofs(std::string_view lab);

/// The spec with every common knob that the lab does not read at its usual value, and without those
/// of other labs.
Spec read_by(const Lab&, const Spec&);
/// The spec as its lab runs it on a device: where nobody chose element types and units, labs of
/// matrix products run bf16 on the matrix units of a GPU that has both.
Spec suited(const Spec&, const Place&);
/// s for all points of a sweep: as the user says, else as the lab does; 0: no limit.
double time_of(const Lab&, const Spec&, std::size_t points);
/// The short settings with which a tour runs a lab: all labs together in about two minutes.
Spec tour_spec(const Lab&, std::string device);
/// Whether a lab reads a knob, a common one or one of its own.
bool reads_knob(const Lab&, std::string_view knob);
/// "--data, --noise, --max-time and --time": those it reads beside --lab.
std::string knobs_read_by(const Lab&);

}  // namespace engine
