#include "engine/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/knob_text.hpp"
#include "engine/units.hpp"

namespace engine {
namespace {

// ---- choices

constexpr std::array<std::string_view, 3> fusion_choices{"fused", "unfused", "both"};
constexpr std::array<std::string_view, 3> units_choices{"vector", "matrix", "both"};

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
    refuse("device", text, "cpu or cuda:N, as cuda:0 (`ridgepoint devices` lists them)");
  }
  spec.device = text == automatic ? "" : std::string(text);
}

void set_experiment(Spec& spec, std::string_view text) {
  std::string names;
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == text) {
      spec.experiment = text;
      return;
    }
    names += fmt::format("{}{}", names.empty() ? "" : " or ", experiment.name);
  }
  refuse("experiment", text, names);
}

void set_kernel(Spec& spec, std::string_view text) {
  const auto family = kernels::family_named(text);
  if (text == automatic) {
    spec.kernel.reset();
  } else if (family == kernels::Family::chain || family == kernels::Family::tile) {
    spec.kernel = family;
  } else {
    refuse("kernel", text, "chain or tile");
  }
}

void set_op(Spec& spec, std::string_view text) {
  const auto op = kernels::op_named(text);
  using kernels::Op;
  if (op != Op::mul && op != Op::add && op != Op::fma) refuse("op", text, "mul, add or fma");
  spec.op = *op;
}

void set_dtypes(Spec& spec, std::string_view text) {
  std::vector<kernels::Dtype> chosen;
  for (const std::string_view name : split(text, ',')) {
    const auto dtype = kernels::dtype_named(name);
    if (!dtype) {
      std::string known;
      for (const auto& info : kernels::dtypes) known += fmt::format(" {}", info.name);
      refuse("dtype", text, fmt::format("one or more of{}, separated by commas", known));
    }
    if (std::find(chosen.begin(), chosen.end(), *dtype) == chosen.end()) chosen.push_back(*dtype);
  }
  spec.dtypes = std::move(chosen);
}

void set_elements(Spec& spec, std::string_view text) {
  const auto elements = units::parse_count(text);
  if (!elements && text != automatic) {
    refuse("elements", text, "a whole number above 0, as 4096, 64Mi or 1M");
  }
  spec.elements = elements.value_or(0);
}

void set_data(Spec& spec, std::string_view text) {
  const auto data = kernels::data_named(text);
  if (!data) refuse("data", text, "random or zeros");
  spec.data = *data;
}

void set_noise(Spec& spec, std::string_view text) {
  const auto noise = units::parse_share(text);
  if (!noise) refuse("noise", text, "a share above 0 % up to 100 %, as 1% or 0.01");
  spec.noise = *noise;
}

void set_max_time(Spec& spec, std::string_view text) {
  const auto time = units::parse_seconds(text);
  if (!time) refuse("max-time", text, "a time above 0, as 2s, 500ms or 0.5");
  spec.max_time = *time;
}

std::string dtypes_text(const Spec& spec) {
  std::string text;
  for (const kernels::Dtype dtype : spec.dtypes) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", name_of(dtype));
  }
  return text;
}

std::vector<Knob> make_knobs() {
  return {
      {"device",
       "What to measure: the CPU or a CUDA GPU; by default the first usable GPU, else the CPU.",
       "cpu|cuda:N", set_device,
       [](const Spec& s) { return s.device.empty() ? std::string(automatic) : s.device; }},
      {"experiment",
       "What to find out: points along the intensity axis, or the roofs of the device alone.",
       "intensity|roofs", set_experiment, [](const Spec& s) { return s.experiment; }},
      {"kernel",
       "Workload: a chain of ops per element, or tiles multiplied by tiles; by default chain, and "
       "tile when "
       "units is matrix or both.",
       "chain|tile", set_kernel,
       [](const Spec& s) { return std::string(s.kernel ? name_of(*s.kernel) : automatic); }},
      {"op", "The arithmetic instruction of a chain: mul and add are 1 FLOP, fma is 2.",
       "mul|add|fma", set_op, [](const Spec& s) { return std::string(name_of(s.op)); }},
      {"dtype", "Element types, separated by commas; smaller ones move fewer bytes per element.",
       "fp32[,fp64,...]", set_dtypes, dtypes_text},
      {"fusion",
       "One kernel with all ops in registers, one kernel per op with a trip to memory between, or "
       "both.",
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
      {"repeat", "Ops per element, the intensity: more means more arithmetic for the same bytes.",
       "1:1024:x2|1,2,3", [](Spec& s, std::string_view text) { s.repeats = parse_repeats(text); },
       [](const Spec& s) { return repeats_text(s.repeats); }, 1,
       static_cast<double>(kernels::max_repeat)},
      {"elements",
       "Elements of the input; fewer than the caches hold measures caches or launches, not memory.",
       "N", set_elements,
       [](const Spec& s) {
         return s.elements == 0 ? std::string(automatic) : fmt::format("{}", s.elements);
       },
       4096, 4294967296.0},
      {"data",
       "What inputs hold: zeros draw less power, so that some devices clock higher; to show that, "
       "not to quote.",
       "random|zeros", set_data, [](const Spec& s) { return std::string(name_of(s.data)); }},
      {"noise",
       "A point is good enough when its 95 % interval is narrower than this; smaller takes longer.",
       "1%", set_noise, [](const Spec& s) { return fmt::format("{}", s.noise); }, 0.001, 0.2},
      {"max-time", "Time limit for one point; longer narrows noisy points and lets slow ones run.",
       "2s", set_max_time, [](const Spec& s) { return fmt::format("{}s", s.max_time); }, 0.1, 60},
  };
}

}  // namespace

kernels::Family Spec::family() const {
  if (kernel) return *kernel;
  return units == UnitsChoice::vector ? kernels::Family::chain : kernels::Family::tile;
}

const std::vector<Knob>& knobs() {
  static const std::vector<Knob> table = make_knobs();
  return table;
}

const Knob* find_knob(std::string_view name) {
  const auto& table = knobs();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Knob& k) { return k.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace engine
