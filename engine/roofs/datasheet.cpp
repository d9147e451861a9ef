// Roofs that vendors state: which row of assets/gpu_specs.json describes a GPU, and a CPU's peak by
// its own arithmetic. No row is better than a wrong one.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/build_info.hpp"
#include "engine/roofs/roofs.hpp"
#include "engine/session/json_reader.hpp"
#include "engine/session/session_file.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view specs_name = "gpu_specs.json";
constexpr double max_rate = 1e24;

using Words = std::vector<std::string>;

/// Upper-case words of a product name up to a parenthesis: "NVIDIA A100-SXM4-80GB" -> NVIDIA A100
/// SXM4 80GB.
Words words_of(std::string_view name) {
  Words words(1);
  for (const char c : name.substr(0, name.find('('))) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '.') {
      words.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_form_factor(const std::string& word) {
  return word.starts_with("SXM") || word.starts_with("PCIE");
}

/// 80 of "80GB"; 0 for any other word.
double gigabytes_in(const std::string& word) {
  double gigabytes = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), gigabytes);
  const bool is_size = error == std::errc{} && std::string_view(end) == "GB";
  return is_size ? gigabytes : 0;
}

/// What a product name says: which chip in which shape, and how much memory of which kind.
struct Product {
  Words model;  ///< everything that must agree: RTX 4090, H100, and NVL, LAPTOP, MIG, ...
  std::string form_factor;  ///< SXM4, PCIE; empty when not said
  std::string memory_type;  ///< HBM3; empty when not said
  double gigabytes = 0;     ///< 0 when not said
};

Product product_named(std::string_view name) {
  // The vendor and the brand decide nothing: "Tesla T4" and "NVIDIA T4" are one thing.
  constexpr std::array<std::string_view, 3> brands{"NVIDIA", "TESLA", "GEFORCE"};
  Product product;
  for (const std::string& word : words_of(name)) {
    if (std::ranges::find(brands, word) != brands.end()) continue;
    if (is_form_factor(word)) {
      product.form_factor = word;
    } else if (word.starts_with("HBM")) {
      product.memory_type = word;
    } else if (const double gigabytes = gigabytes_in(word); gigabytes > 0) {
      product.gigabytes = gigabytes;
    } else {
      product.model.push_back(word);
    }
  }
  return product;
}

/// "80GB" parts show 79.6 GiB, "141GB" 140.4: names mean GiB, and the driver keeps a little.
bool has_memory(double bytes, double gigabytes) {
  const double gib = bytes / 0x1p30;
  return gib > 0.9 * gigabytes && gib < 1.05 * gigabytes;
}

/// Whether the driver's name is one that the sheet lists; of sheets that list names.
std::optional<bool> lists_name(const JsonReader& sheet, const std::string& name) {
  const auto names = sheet.find("driver_names");
  if (!names) return std::nullopt;
  return std::ranges::any_of(names->items(),
                             [&](const JsonReader& listed) { return listed.text() == name; });
}

bool name_describes(const JsonReader& sheet, const kernels::DeviceInfo& device) {
  if (const auto listed = lists_name(sheet, device.name)) return *listed;
  const Product here = product_named(device.name);
  const Product there = product_named(sheet.at("name").text());
  const auto agree = [](const auto& said, const auto& other) {
    return said == std::decay_t<decltype(said)>{} || said == other;
  };
  const bool memory_fits = there.gigabytes == 0 || has_memory(device.memory_bytes, there.gigabytes);
  const std::string memory_type = words_of(sheet.at("dram_type").text()).front();
  return !here.model.empty() && here.model == there.model &&
         agree(here.form_factor, there.form_factor) && agree(here.memory_type, memory_type) &&
         (there.gigabytes == 0 || agree(here.gigabytes, there.gigabytes)) && memory_fits;
}

bool describes(const JsonReader& sheet, const kernels::DeviceInfo& device) {
  return sheet.at("vendor").text() == "NVIDIA" && name_describes(sheet, device) &&
         sheet.at("compute_capability").text() == device.compute_capability &&
         static_cast<int>(sheet.at("sm_count").whole(1, 100'000)) == device.multiprocessors;
}

/// A rate of a sheet: which field holds it, in which unit, and which roof it is.
struct SheetRate {
  std::string_view field;
  kernels::Dtype dtype;
  kernels::Units units;
};
using enum kernels::Dtype;
using enum kernels::Units;
constexpr std::array sheet_rates{
    SheetRate{"fp64_tflops", fp64, vector},        SheetRate{"fp32_tflops", fp32, vector},
    SheetRate{"fp16_vector_tflops", fp16, vector}, SheetRate{"fp64_tc_tflops", fp64, matrix},
    SheetRate{"tf32_tc_tflops", tf32, matrix},     SheetRate{"fp16_tc_tflops", fp16, matrix},
    SheetRate{"bf16_tc_tflops", bf16, matrix},     SheetRate{"fp8_tc_tflops", fp8, matrix},
    SheetRate{"int8_tc_tops", int8, matrix},
};

/// "H200 SXM 141GB datasheet, tensor peaks at 1830 MHz; https://...", with all its sources.
std::string citation(const JsonReader& sheet, std::string_view what) {
  std::string text = fmt::format("{} datasheet, {}", sheet.at("name").text(), what);
  for (const auto& source : sheet.at("sources").items()) text += "; " + source.text();
  return text;
}

/// In MHz; 0 where the sheet does not say. Matrix units have a clock of their own in some sheets,
/// but for fp64, whose rates are stated at that of the vector units (NVIDIA H100 white paper
/// v1.04).
double clock_of(const JsonReader& sheet, const SheetRate& rate) {
  const bool apart = rate.units == matrix && rate.dtype != fp64;
  auto clock = apart ? sheet.find("boost_mhz_tensor") : std::nullopt;
  if (!clock) clock = sheet.find("boost_mhz");
  return clock ? clock->number(1, 1e5) : 0;
}

Roof stated_peak(kernels::Dtype dtype, kernels::Units units, double rate, std::string cite) {
  Roof roof;
  roof.name = compute_roof_name(dtype, units);
  roof.dtype = dtype;
  roof.units = units;
  roof.rate = rate;
  roof.source = RoofSource::datasheet;
  roof.cite = std::move(cite);
  return roof;
}

std::vector<Roof> roofs_of(const JsonReader& sheet) {
  std::vector<Roof> roofs;
  if (const auto rate = sheet.find("dram_gbs")) {
    Roof roof;
    roof.name = "DRAM copy";
    roof.kind = RoofKind::bandwidth;
    roof.rate = rate->number(1, max_rate) * 1e9;
    roof.source = RoofSource::datasheet;
    roof.cite =
        citation(sheet, sheet.at("dram_type").text() + " peak, any mix of reads and writes");
    roofs.push_back(roof);
  }
  for (const SheetRate& entry : sheet_rates) {
    const auto rate = sheet.find(entry.field);
    if (!rate) continue;
    const double mhz = clock_of(sheet, entry);
    const std::string what =
        mhz > 0 ? fmt::format("dense, FMA = 2, at {} MHz", mhz) : "dense, FMA = 2";
    roofs.push_back(stated_peak(entry.dtype, entry.units, rate->number(1e-3, max_rate) * 1e12,
                                citation(sheet, what)));
    roofs.back().stated_clock = mhz * 1e6;
  }
  return roofs;
}

/// Byte; 0 where the sheet does not say.
double last_cache_of(const JsonReader& sheet) {
  constexpr double mib = 0x1p20;
  auto size = sheet.find("llc_mb");  // behind the L2
  if (!size) size = sheet.find("l2_mb");
  return size ? size->number(0, 1e6) * mib : 0;
}

void for_each_sheet(const std::function<void(const JsonReader&)>& visit) {
  const fs::path file = assets_folder() / specs_name;
  const std::string source = file.string();
  const nlohmann::json parsed = parse_json(read_json_file(file), source, "datasheets");
  for (const JsonReader& sheet : JsonReader(parsed, source).at("gpus").items()) visit(sheet);
}

std::vector<Roof> gpu_roofs(const kernels::DeviceInfo& device) {
  std::vector<std::vector<Roof>> rows;
  for_each_sheet([&](const JsonReader& sheet) {
    if (describes(sheet, device)) rows.push_back(roofs_of(sheet));
  });
  // Two rows that fit leave open which it is.
  return rows.size() == 1 ? rows.front() : std::vector<Roof>{};
}

/// Both kinds, so that there is a roofline.
bool has_roofline(const std::vector<Roof>& roofs) {
  const auto has = [&](RoofKind kind) {
    return std::ranges::any_of(roofs, [&](const Roof& roof) { return roof.kind == kind; });
  };
  return has(RoofKind::bandwidth) && has(RoofKind::compute);
}

/// Nothing and a sentence where the assets are missing or broken.
template <typename Read>
auto or_nothing(std::vector<std::string>* problems, Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const BadInput& bad) {
    if (problems != nullptr) {
      problems->push_back(fmt::format("no datasheet roofs: {}", bad.what()));
    }
    return {};
  }
}

std::vector<Roof> cpu_roofs(const kernels::DeviceInfo& device) {
  std::vector<Roof> roofs;
  for (const auto& peak : device.peaks) {
    const double rate = peak.flops_per_clock_per_core * device.multiprocessors * device.clock_hz;
    if (rate <= 0) continue;
    const std::string cite =
        fmt::format("{} FLOP per clock and core ({}) x {} cores x {}",
                    units::number(peak.flops_per_clock_per_core), peak.derivation,
                    device.multiprocessors, units::hertz(device.clock_hz));
    roofs.push_back(stated_peak(peak.dtype, peak.units, rate, cite));
    roofs.back().conditions.clock_hz = device.clock_hz;
  }
  return roofs;
}

fs::path executable_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

std::vector<Roof> datasheet_roofs(const kernels::DeviceInfo& device,
                                  std::vector<std::string>* problems) {
  return or_nothing(problems,
                    [&] { return device.kind == "cuda" ? gpu_roofs(device) : cpu_roofs(device); });
}

std::optional<Roof> theoretical_roof(kernels::DeviceInfo device, const Roof& measured) {
  if (device.kind != "cpu" || !measured.conditions.clock_hz) return std::nullopt;
  // The median of the rounds can be of a higher clock than the one reading of a typical round.
  device.clock_hz = std::max(measured.highest_clock, *measured.conditions.clock_hz);
  for (Roof& roof : cpu_roofs(device)) {
    if (roof.name == measured.name) return std::move(roof);
  }
  return std::nullopt;
}

std::vector<SheetDevice> datasheet_devices(std::vector<std::string>* problems) {
  return or_nothing(problems, [] {
    std::vector<SheetDevice> devices;
    for_each_sheet([&](const JsonReader& sheet) {
      SheetDevice device{sheet.at("name").text(), roofs_of(sheet), last_cache_of(sheet)};
      if (has_roofline(device.roofs)) devices.push_back(std::move(device));
    });
    return devices;
  });
}

fs::path assets_folder() {
  std::error_code error;
  const auto holds_assets = [&](const fs::path& folder) {
    return fs::is_regular_file(folder / specs_name, error);
  };
  if (const char* given = std::getenv("RIDGEPOINT_ASSETS"); given != nullptr && *given != '\0') {
    if (holds_assets(given)) return given;
    throw BadInput(fmt::format("RIDGEPOINT_ASSETS is {}; expected the folder that holds {}", given,
                               specs_name));
  }
  const fs::path executable = executable_folder();
  for (const fs::path& folder :
       {executable / "../share/ridgepoint", executable / "assets", fs::path(source_assets)}) {
    if (holds_assets(folder)) return folder.lexically_normal();
  }
  throw BadInput(fmt::format(
      "{} is neither in {} nor in {}; reinstall, or set RIDGEPOINT_ASSETS to the assets folder",
      specs_name, (executable / "../share/ridgepoint").lexically_normal().string(), source_assets));
}

}  // namespace engine
