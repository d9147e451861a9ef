#include "engine/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ranges>

#include "engine/knob_text.hpp"
#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

// ---- choices

constexpr std::array<std::string_view, 3> fusion_choices{"fused", "unfused", "both"};
constexpr std::array<std::string_view, 3> units_choices{"vector", "matrix", "both"};

/// Of the rows of tables.
template <class Named>
std::string names_of(const std::vector<Named>& all, std::string_view between) {
  const auto name = [](const Named& one) { return name_of(one); };
  return fmt::format("{}", fmt::join(all | std::views::transform(name), between));
}

/// What a text was read as; refused where that is nothing.
template <class Value>
Value expect(std::optional<Value> value, std::string_view knob, std::string_view text,
             std::string_view expected) {
  if (!value) refuse(knob, text, expected);
  return *value;
}

template <typename Enum>
Enum parse_choice(std::string_view knob, std::string_view text,
                  const std::array<std::string_view, 3>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  refuse(knob, text, fmt::format("{}, {} or {}", names[0], names[1], names[2]));
}

template <typename Enum>
std::string choice_text(Enum choice, const std::array<std::string_view, 3>& names) {
  return std::string(names[static_cast<std::size_t>(choice)]);
}

// ---- one setter per knob

constexpr std::string_view automatic = "auto";

void set_device(Spec& spec, std::string_view text) {
  const bool cuda = text.starts_with("cuda:") && all_digits(text.substr(5)) && text.size() <= 9;
  if (text != automatic && text != "cpu" && !cuda) {
    refuse("device", text, "cpu or cuda:N, such as cuda:0 (`ridgepoint devices` lists them)");
  }
  spec.device = text == automatic ? "" : std::string(text);
}

void set_lab(Spec& spec, std::string_view text) {
  if (const Lab* lab = find_lab(text)) {
    spec.lab = lab->name;
    return;
  }
  const auto names = labs() | std::views::transform(&Lab::name);
  refuse("lab", text, fmt::format("one of {}", fmt::join(names, ", ")));
}

void set_kernel(Spec& spec, std::string_view text) {
  if (text == automatic) {
    spec.kernel.reset();
    return;
  }
  const auto family = kernels::family_named(text);
  if (!family || !can_be_asked_for(*family)) refuse("kernel", text, names_of_workloads());
  spec.kernel = family;
}

void set_op(Spec& spec, std::string_view text) {
  std::vector<std::string_view> known;
  for (const kernels::Op op : ops_to_choose()) {
    if (op->name == text) {
      spec.op = op;
      return;
    }
    known.push_back(op->name);
  }
  const std::string_view last = known.back();
  known.pop_back();
  refuse("op", text, fmt::format("{} or {}", fmt::join(known, ", "), last));
}

void set_dtypes(Spec& spec, std::string_view text) {
  std::vector<kernels::Dtype> chosen;
  for (const std::string_view name : split(text, ',')) {
    const auto dtype = kernels::dtype_named(name);
    if (!dtype) {
      const auto known = kernels::dtypes | std::views::transform(&kernels::DtypeInfo::name);
      refuse("dtype", text,
             fmt::format("one or more of {}, separated by commas", fmt::join(known, " ")));
    }
    if (std::find(chosen.begin(), chosen.end(), *dtype) == chosen.end()) chosen.push_back(*dtype);
  }
  spec.dtypes = std::move(chosen);
}

void set_elements(Spec& spec, std::string_view text) {
  const auto elements = units::parse_count(text);
  if (!elements && text != automatic) {
    refuse("elements", text, "a whole number above 0, such as 4096, 64Mi or 1M");
  }
  spec.elements = elements.value_or(0);
}

void set_data(Spec& spec, std::string_view text) {
  spec.data = expect(kernels::data_named(text), "data", text, "random or zeros");
}

void set_noise(Spec& spec, std::string_view text) {
  spec.noise = expect(units::parse_share(text), "noise", text,
                      "a share above 0 % up to 100 %, such as 1% or 0.01");
}

void set_max_time(Spec& spec, std::string_view text) {
  spec.max_time = expect(units::parse_seconds(text), "max-time", text,
                         "a time above 0, such as 2s, 500ms or 0.5");
}

constexpr std::string_view unlimited = "none";

void set_time(Spec& spec, std::string_view text) {
  if (text == automatic || text == unlimited) {
    spec.time = text == automatic ? 0 : std::numeric_limits<double>::infinity();
    return;
  }
  spec.time = expect(units::parse_seconds(text), "time", text,
                     "a time above 0, such as 12s, none, or auto");
}

std::string time_text(const Spec& spec) {
  if (spec.time == 0) return std::string(automatic);
  return std::isinf(spec.time) ? std::string(unlimited) : fmt::format("{}s", spec.time);
}

std::string dtypes_text(const Spec& spec) { return names_of(spec.dtypes, ","); }

void check_text(const LabKnob& knob, std::string_view text) {
  if (text == automatic && knob.usual == automatic) return;
  if (knob.kind == LabKnob::Kind::choice &&
      std::ranges::find(knob.choices, text) == knob.choices.end())
    refuse(knob.name, text, fmt::format("one of {}", fmt::join(knob.choices, ", ")));
  if (knob.kind == LabKnob::Kind::flag && text != "on" && text != "off")
    refuse(knob.name, text, "on or off");
  const bool number = knob.kind == LabKnob::Kind::number;
  if (number && numbers_of(knob, text).size() != 1)
    refuse(knob.name, text, fmt::format("a whole number from {} to {}", knob.low, knob.high));
  if (knob.kind == LabKnob::Kind::numbers) numbers_of(knob, text);
  if (knob.kind == LabKnob::Kind::text && knob.refusal != nullptr) {
    if (const std::string expected = knob.refusal(text); !expected.empty())
      refuse(knob.name, text, expected);
  }
}

const std::string& workload_names() {
  static const std::string names = names_of(workloads(), "|");
  return names;
}

std::vector<Knob> make_knobs() {
  return {
      {"device",
       "What to measure: the CPU or a CUDA GPU; by default the first usable GPU, else the CPU.",
       "cpu|cuda:N", set_device,
       [](const Spec& s) { return s.device.empty() ? std::string(automatic) : s.device; }},
      {"lab", "The lab to run; `ridgepoint sweep --list` lists the labs and their questions.",
       "NAME", set_lab, [](const Spec& s) { return s.lab; }},
      {"kernel",
       "Workload: a chain of ops on each element, or tiles multiplied by tiles. The default is a "
       "chain on vector units, and tiles if you choose matrix units or both.",
       workload_names(), set_kernel,
       [](const Spec& s) { return std::string(s.kernel ? name_of(*s.kernel) : automatic); }},
      {"op", "The arithmetic instruction of a chain: mul, add and sqrt are 1 FLOP, fma is 2.",
       "mul|add|fma|sqrt", set_op, [](const Spec& s) { return std::string(name_of(s.op)); }},
      {"dtype", "Element types, separated by commas; smaller ones move fewer bytes per element.",
       "fp32[,fp64,...]", set_dtypes, dtypes_text},
      {"fusion",
       "One kernel with all ops in registers, one kernel per op with a trip to memory in between, "
       "or both.",
       "fused|unfused|both",
       [](Spec& s, std::string_view text) {
         s.fusion = parse_choice<FusionChoice>("fusion", text, fusion_choices);
       },
       [](const Spec& s) { return choice_text(s.fusion, fusion_choices); }},
      {"units",
       "Vector units (CUDA cores, SIMD), matrix units (tensor cores, AMX), or both at the same "
       "work.",
       "vector|matrix|both",
       [](Spec& s, std::string_view text) {
         s.units = parse_choice<UnitsChoice>("units", text, units_choices);
       },
       [](const Spec& s) { return choice_text(s.units, units_choices); }},
      {"repeat", "Ops per element: more means more arithmetic for the same bytes.",
       "1:1024:x2|1,2,3", [](Spec& s, std::string_view text) { s.repeats = parse_repeats(text); },
       [](const Spec& s) { return repeats_text(s.repeats); }, 1,
       static_cast<double>(kernels::max_repeat)},
      {"elements",
       "Elements of the input; inputs that fit in cache measure caches or launches, not memory.",
       "N", set_elements,
       [](const Spec& s) {
         return s.elements == 0 ? std::string(automatic) : fmt::format("{}", s.elements);
       },
       64, 4294967296.0},
      {"data",
       "Input values; zeros draw less power, so some devices clock higher. Do not quote such "
       "results.",
       "random|zeros", set_data, [](const Spec& s) { return std::string(name_of(s.data)); }},
      {"noise",
       "A point is good enough when its 95 % interval is narrower than this; smaller takes longer.",
       "1%", set_noise, [](const Spec& s) { return fmt::format("{}", s.noise); }, 0.001, 0.2},
      {"max-time",
       "Time limit for one point; a longer one narrows noisy points and allows slow ones.", "2s",
       set_max_time, [](const Spec& s) { return fmt::format("{}s", s.max_time); }, 0.1, 60},
      {"time",
       "Time limit for the points of the whole sweep, after its roofs; what is not reached is "
       "skipped.",
       "12s|none|auto", set_time, time_text},
  };
}

}  // namespace

bool can_be_asked_for(kernels::Family family) {
  return family->role == kernels::Role::workload && !family->for_labs;
}

std::vector<kernels::Family> workloads() {
  std::vector<kernels::Family> families = kernels::all_families();
  std::erase_if(families, [](kernels::Family family) { return !can_be_asked_for(family); });
  return families;
}

std::string names_of_workloads() { return names_of(workloads(), " or "); }

std::vector<kernels::Op> ops_to_choose() {
  std::vector<kernels::Op> ops;
  for (const kernels::Family family : workloads()) {
    if (family->chooses_op) ops.insert(ops.end(), family->ops.begin(), family->ops.end());
  }
  std::ranges::sort(ops);
  return ops;
}

kernels::Op Spec::op_of(kernels::Family family) const {
  return family->chooses_op ? op : family->ops.front();
}

kernels::Family Spec::family() const {
  if (kernel) return *kernel;
  return kernels::usual_family(units == UnitsChoice::vector ? kernels::Units::vector
                                                            : kernels::Units::matrix);
}

const std::vector<Knob>& knobs() {
  static const std::vector<Knob> table = make_knobs();
  return table;
}

const Knob* find_knob(std::string_view name) {
  const auto& table = knobs();
  const auto found = std::ranges::find(table, name, &Knob::name);
  return found == table.end() ? nullptr : &*found;
}

std::string text_of(const Spec& spec, const LabKnob& knob) {
  const auto found = spec.more.find(knob.name);
  return found != spec.more.end() ? found->second : std::string(knob.usual);
}

std::vector<std::uint64_t> numbers_of(const Spec& spec, const LabKnob& knob,
                                      std::optional<std::vector<std::uint64_t>> suitable) {
  const std::string text = text_of(spec, knob);
  return suitable && text == automatic ? *suitable : numbers_of(knob, text);
}

std::uint64_t number_of(const Spec& spec, const LabKnob& knob,
                        std::optional<std::uint64_t> suitable) {
  if (!suitable) return numbers_of(spec, knob).front();
  return numbers_of(spec, knob, std::vector{*suitable}).front();
}

std::string checked_text_of(const Spec& spec, const LabKnob& knob) {
  std::string text = text_of(spec, knob);
  check_text(knob, text);
  return text;
}

std::vector<LabKnob> further_knobs() {
  std::vector<LabKnob> found;
  const auto add = [&](const LabKnob& knob) {
    if (std::ranges::find(found, knob.name, &LabKnob::name) == found.end()) found.push_back(knob);
  };
  for (const Lab* lab : labs()) std::ranges::for_each(lab->knobs, add);
  for (const kernels::Family family : kernels::all_families()) {
    for (const kernels::AxisInfo& axis : family->axes) {
      add({LabKnob::Kind::numbers, axis.name, axis.help, "", axis.low, axis.high});
    }
  }
  return found;
}

void set_knob(Spec& spec, std::string_view name, std::string_view text) {
  if (const Knob* knob = find_knob(name)) {
    knob->set(spec, text);
    if (name == "dtype" || name == "units") spec.types_chosen = true;
    return;
  }
  const std::vector<LabKnob> further = further_knobs();
  const auto found = std::ranges::find(further, name, &LabKnob::name);
  if (found == further.end()) throw BadInput(fmt::format("there is no knob {}", name));
  check_text(*found, text);
  spec.more.insert_or_assign(std::string(name), std::string(text));
}

void set_known_knob(Spec& spec, std::string_view name, std::string_view text) {
  const std::vector<LabKnob> further = further_knobs();
  if (find_knob(name) != nullptr ||
      std::ranges::find(further, name, &LabKnob::name) != further.end())
    set_knob(spec, name, text);
}

std::vector<std::pair<std::string, std::string>> texts_of(const Spec& spec) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const Knob& knob : knobs()) texts.emplace_back(knob.name, knob.get(spec));
  texts.insert(texts.end(), spec.more.begin(), spec.more.end());
  return texts;
}

}  // namespace engine
