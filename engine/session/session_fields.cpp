// The tables of what a device, a run and a roof have: JSON reader and JSON writer are driven by
// them.
#include <array>

#include "engine/session/fields.hpp"
#include "engine/session/session_file.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using enum Presence;
using kernels::DeviceInfo;
using kernels::LoadedLibrary;
using kernels::PeakPerClock;

constexpr std::array peak_fields{
    member_field<&PeakPerClock::dtype>("dtype", required),
    member_field<&PeakPerClock::units>("units", required),
    member_field<&PeakPerClock::flops_per_clock_per_core>("flops_per_clock_per_core", required),
    text_field<&PeakPerClock::derivation>("derivation", optional),
};

constexpr std::array library_fields{
    text_field<&LoadedLibrary::name>("name", required),
    text_field<&LoadedLibrary::file>("file", required),
};

void read_kind(const JsonReader& json, DeviceInfo& device) {
  device.kind = json.text();
  if (device.kind != "cpu" && device.kind != "cuda") json.fail("\"cpu\" or \"cuda\"");
}

constexpr std::array device_table{
    text_field<&DeviceInfo::id>("id", required),
    read_as<DeviceInfo>(read_kind, text_field<&DeviceInfo::kind>("kind", required)),
    text_field<&DeviceInfo::name>("name", required),
    text_field<&DeviceInfo::driver>("driver", optional),
    text_field<&DeviceInfo::compute_capability>("compute_capability", optional),
    member_field<&DeviceInfo::instruction_sets>("instruction_sets", optional),
    member_field<&DeviceInfo::multiprocessors>("multiprocessors", optional),
    member_field<&DeviceInfo::threads>("threads", optional),
    clock_field<&DeviceInfo::clock_hz>("clock_hz"),
    clock_field<&DeviceInfo::memory_clock_hz>("memory_clock_hz"),
    member_field<&DeviceInfo::memory_bytes>("memory_bytes", optional),
    member_field<&DeviceInfo::l1_bytes>("l1_bytes", optional),
    member_field<&DeviceInfo::l2_bytes>("l2_bytes", optional),
    member_field<&DeviceInfo::l3_bytes>("l3_bytes", optional),
    member_field<&DeviceInfo::draws_screen>("draws_screen", optional),
    member_field<&DeviceInfo::virtual_machine>("virtual_machine", rare),
    member_field<&DeviceInfo::slow_cores>("slow_cores", rare),
    member_field<&DeviceInfo::link_rate>("link_rate", rare),
    text_field<&DeviceInfo::peer>("peer", rare),
    member_field<&DeviceInfo::memory_nodes, Range{1, max_whole}>("memory_nodes", rare),
    member_field<&DeviceInfo::product_tile, Range{1, max_whole}>("product_tile", rare),
    list_field<&DeviceInfo::peaks, peak_fields>("peaks", optional),
    list_field<&DeviceInfo::libraries, library_fields>("libraries", rare),
    text_field<&DeviceInfo::partition>("partition", rare),
};

/// Every knob as text, whole: a list that is cut off is none. One that no reader takes is left out.
/// Types that nobody chose are those that the lab ran in.
Json json_of_spec(const Run& run) {
  Json json;
  for (const auto& [name, text] : texts_of(run.spec))
    if (text.size() <= max_text) json[name] = units::printable(text);
  if (!run.spec.types_chosen) json["types_chosen"] = false;
  return json;
}

void read_spec(const JsonReader& json, Run& run) {
  constexpr std::size_t most_knobs = 1000;
  constexpr std::string_view types_chosen = "types_chosen", expected = "expected ";
  for (const auto& [name, value] : json.members(most_knobs)) {
    if (name == types_chosen) continue;
    try {
      if (name == "lab")
        run.spec.lab = value.text();  // of another version, perhaps
      else
        set_known_knob(run.spec, name, value.text());
    } catch (const BadInput& bad) {
      const std::string_view what = bad.what();
      const auto at = what.rfind(expected);
      if (at == std::string_view::npos) throw;
      value.fail(what.substr(at + expected.size()));
    }
  }
  const auto chosen = json.find(types_chosen);
  run.spec.types_chosen = !chosen || chosen->boolean();
}

constexpr std::array run_table{
    member_field<&Run::number, Range{0, max_whole}>("number", required),
    special<Run>("spec", required, json_of_spec, read_spec),
    member_field<&Run::begin>("begin", required),
    member_field<&Run::end>("end", optional),
    member_field<&Run::why>("why", optional),
};

void read_source(const JsonReader& json, Roof& roof) {
  roof.source = json.choice(names::parse<names::roof_sources>,
                            "\"measured\", \"datasheet\" or \"theoretical\"");
}

constexpr std::array roof_table{
    text_field<&Roof::name>("name", required),
    word_field<&Roof::kind, names::roof_kinds>("kind", required),
    member_field<&Roof::dtype>("dtype", optional),
    member_field<&Roof::units>("units", optional),
    member_field<&Roof::rate, Range{.low = 1e-6}>("rate", required),
    read_as<Roof>([](const JsonReader& json, Roof& r) { r.rate_low = json.number(0, r.rate); },
                  member_field<&Roof::rate_low>("rate_low", rare)),
    read_as<Roof>(
        [](const JsonReader& json, Roof& r) { r.rate_high = json.number(r.rate, max_count); },
        member_field<&Roof::rate_high>("rate_high", rare)),
    member_field<&Roof::best>("best", rare),
    member_field<&Roof::rounds>("rounds", rare),
    special<Roof>(
        "source", required, [](const Roof& roof) { return Json(source_word(roof)); }, read_source),
    text_field<&Roof::cite>("cite", optional),
    member_field<&Roof::shape>("shape", optional),
    member_field<&Roof::data>("data", optional),
    member_field<&Roof::conditions>("conditions", optional),
    member_field<&Roof::stated_clock>("stated_clock", rare),
    member_field<&Roof::disturbed>("disturbed", rare),
    member_field<&Roof::partly_cached>("partly_cached", rare),
    member_field<&Roof::sustained>("sustained", rare),
    member_field<&Roof::sustained_conditions>("sustained_conditions", rare),
    member_field<&Roof::counted_busy, Range{.high = 1}>("counted_busy", rare),
};

}  // namespace

std::span<const Field<DeviceInfo>> device_fields() { return device_table; }

std::span<const Field<Run>> run_fields() { return run_table; }

std::span<const Field<Roof>> roof_fields() { return roof_table; }

}  // namespace engine
