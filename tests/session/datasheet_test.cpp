#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/roofs/roofs.hpp"
#include "engine/session/session_file.hpp"
#include "tests/files.hpp"
#include "tests/session/examples.hpp"

using namespace engine;
using kernels::Dtype;
using kernels::Units;

namespace {

constexpr double mib = 1048576;

kernels::DeviceInfo gpu(const std::string& name, const std::string& capability, int multiprocessors,
                        double memory_mib) {
  kernels::DeviceInfo device;
  device.id = "cuda:0";
  device.kind = "cuda";
  device.name = name;
  device.compute_capability = capability;
  device.multiprocessors = multiprocessors;
  device.memory_bytes = memory_mib * mib;
  return device;
}

double rate_of(const std::vector<Roof>& roofs, const std::string& name) {
  const auto found = std::ranges::find(roofs, name, &Roof::name);
  return found == roofs.end() ? 0 : found->rate;
}

double bandwidth_of(const kernels::DeviceInfo& device) {
  return rate_of(datasheet_roofs(device), "DRAM copy");
}

}  // namespace

TEST_CASE("CUDA names find their datasheet") {
  CHECK(bandwidth_of(gpu("NVIDIA H200", "9.0", 132, 143771)) == 4800e9);
  CHECK(bandwidth_of(gpu("NVIDIA H100 80GB HBM3", "9.0", 132, 81559)) == 3350e9);
  CHECK(bandwidth_of(gpu("NVIDIA H100 PCIe", "9.0", 114, 81559)) == 2000e9);
  CHECK(bandwidth_of(gpu("NVIDIA A100-SXM4-80GB", "8.0", 108, 81920)) == 2039e9);
  CHECK(bandwidth_of(gpu("NVIDIA A100-SXM4-40GB", "8.0", 108, 40960)) == 1555e9);
  CHECK(bandwidth_of(gpu("A100-SXM4-40GB", "8.0", 108, 40536)) == 1555e9);
  CHECK(bandwidth_of(gpu("NVIDIA A100 80GB PCIe", "8.0", 108, 81920)) == 1935e9);
  CHECK(bandwidth_of(gpu("Tesla V100-SXM2-16GB", "7.0", 80, 16160)) == 900e9);
  CHECK(bandwidth_of(gpu("Tesla V100-SXM2-32GB", "7.0", 80, 32510)) == 900e9);
  CHECK(bandwidth_of(gpu("Tesla T4", "7.5", 40, 15360)) == 320e9);
  CHECK(bandwidth_of(gpu("NVIDIA L40S", "8.9", 142, 46068)) == 864e9);
  CHECK(bandwidth_of(gpu("NVIDIA B200", "10.0", 148, 183359)) == 7700e9);
  CHECK(bandwidth_of(gpu("NVIDIA GeForce RTX 4090", "8.9", 128, 24564)) == 1008e9);
  CHECK(bandwidth_of(gpu("NVIDIA GeForce RTX 5090", "12.0", 170, 32607)) == 1792e9);
  CHECK(bandwidth_of(gpu("NVIDIA H100 NVL", "9.0", 132, 95830)) == 3900e9);
  CHECK(bandwidth_of(gpu("NVIDIA H200 NVL", "9.0", 132, 143771)) == 4800e9);
  CHECK(bandwidth_of(gpu("NVIDIA GH200 480GB", "9.0", 132, 97871)) == 4000e9);
  CHECK(bandwidth_of(gpu("NVIDIA GH200 120GB", "9.0", 132, 97871)) == 4000e9);
  CHECK(bandwidth_of(gpu("NVIDIA GH200 144G HBM3e", "9.0", 132, 146831)) == 4900e9);
  CHECK(bandwidth_of(gpu("NVIDIA B300 SXM6 AC", "10.3", 148, 275040)) == 8000e9);
  CHECK(bandwidth_of(gpu("NVIDIA L4", "8.9", 58, 23034)) == 300e9);
  CHECK(bandwidth_of(gpu("NVIDIA A10", "8.6", 72, 23028)) == 600e9);
  CHECK(bandwidth_of(gpu("NVIDIA GeForce RTX 3090", "8.6", 82, 24576)) == 936e9);
  CHECK(bandwidth_of(gpu("NVIDIA GeForce RTX 4080", "8.9", 76, 16376)) == 716.8e9);
}

TEST_CASE("near misses find nothing: unknown is better than wrong") {
  for (const auto& device : {
           gpu("NVIDIA H100 64GB HBM2", "9.0", 132, 65247),
           gpu("NVIDIA H100 80GB HBM3 MIG 1g.10gb", "9.0", 16, 9856),
           gpu("NVIDIA H100 80GB HBM3", "9.0", 114, 81559),
           gpu("NVIDIA H100 80GB HBM2e", "9.0", 132, 81559),
           gpu("NVIDIA H100", "9.0", 132, 95830),
           gpu("NVIDIA H800", "9.0", 132, 81559),
           gpu("NVIDIA H20", "9.0", 78, 97871),
           gpu("NVIDIA GB200", "10.0", 148, 189471),
           gpu("NVIDIA A100-PCIE-40GB", "8.0", 108, 40960),
           gpu("NVIDIA A100-SXM-64GB", "8.0", 124, 65247),
           gpu("NVIDIA A800-SXM4-80GB", "8.0", 108, 81920),
           gpu("GRID A100-40C", "8.0", 108, 40960),
           gpu("Tesla V100-PCIE-16GB", "7.0", 80, 16160),
           gpu("Tesla V100-SXM3-32GB", "7.0", 80, 32510),
           gpu("NVIDIA L40", "8.9", 142, 46068),
           gpu("NVIDIA GeForce RTX 4090 Laptop GPU", "8.9", 76, 16376),
           gpu("NVIDIA GeForce RTX 4090 D", "8.9", 114, 24564),
           gpu("NVIDIA GeForce RTX 4080 SUPER", "8.9", 80, 16376),
           gpu("NVIDIA GeForce RTX 4080 Laptop GPU", "8.9", 58, 12282),
           gpu("NVIDIA GeForce RTX 3090 Ti", "8.6", 84, 24564),
           gpu("NVIDIA A10G", "8.6", 80, 23028),
           gpu("NVIDIA A10-24Q", "8.6", 72, 24512),
           gpu("NVIDIA GH200", "9.0", 132, 97871),
           gpu("NVIDIA GH200 480GB", "9.0", 114, 97871),
           gpu("NVIDIA GB300", "10.3", 152, 288768),
           gpu("NVIDIA GeForce RTX 5090 D", "12.0", 170, 32607),
           gpu("AMD Instinct MI300X", "gfx942", 304, 196592),
           gpu("Instinct MI300X", "gfx942", 304, 196592),
           gpu("NVIDIA", "9.0", 132, 143771),
           gpu("", "9.0", 132, 143771),
           gpu("NVIDIA H200", "8.0", 132, 143771),
           gpu("NVIDIA A100", "8.0", 108, 81920),  // SXM or PCIe: two sheets fit
       }) {
    CAPTURE(device.name);
    CHECK(datasheet_roofs(device).empty());
  }
}

TEST_CASE("the sheet of an H200 gives vector and matrix peaks in FLOP/s, and no others") {
  const auto roofs = datasheet_roofs(gpu("NVIDIA H200", "9.0", 132, 143771));
  CHECK(rate_of(roofs, "fp64 FMA") == doctest::Approx(33.5e12));
  CHECK(rate_of(roofs, "fp32 FMA") == doctest::Approx(66.9e12));
  CHECK(rate_of(roofs, "fp16 FMA") == doctest::Approx(133.8e12));
  CHECK(rate_of(roofs, "fp64 matrix") == doctest::Approx(66.9e12));
  CHECK(rate_of(roofs, "tf32 matrix") == doctest::Approx(494.7e12));
  CHECK(rate_of(roofs, "bf16 matrix") == doctest::Approx(989.4e12));
  CHECK(rate_of(roofs, "fp8 matrix") == doctest::Approx(1978.9e12));
  CHECK(rate_of(roofs, "int8 matrix") == doctest::Approx(1978.9e12));
  CHECK(rate_of(roofs, "bf16 FMA") == 0);  // the sheet does not say
  for (const Roof& roof : roofs) {
    CAPTURE(roof.name);
    CHECK(roof.source == RoofSource::datasheet);
    CHECK(roof.cite.find("H200 SXM 141GB datasheet") == 0);
    CHECK(roof.cite.find("; http") != std::string::npos);
  }
  const auto tensor = std::ranges::find(roofs, "bf16 matrix", &Roof::name);
  CHECK(tensor->cite.find("1830 MHz") != std::string::npos);
  const auto fp64_tensor = std::ranges::find(roofs, "fp64 matrix", &Roof::name);
  CHECK(fp64_tensor->cite.find("at 1980 MHz") != std::string::npos);
}

namespace {

/// A rate of a sheet in TFLOP/s, the column of the table of FMA per clock and SM, and the clock.
struct RateColumn {
  const char* rate;
  const char* per_clock;
  const char* clock;
};
constexpr RateColumn rate_columns[] = {
    {"fp64_tflops", "fp64", "boost_mhz"},
    {"fp32_tflops", "fp32", "boost_mhz"},
    {"fp16_vector_tflops", "fp16_packed", "boost_mhz"},
    {"fp64_tc_tflops", "tc_fp64", "boost_mhz"},
    {"tf32_tc_tflops", "tc_tf32", "boost_mhz_tensor"},
    {"fp16_tc_tflops", "tc_fp16", "boost_mhz_tensor"},
    {"bf16_tc_tflops", "tc_bf16", "boost_mhz_tensor"},
    {"fp8_tc_tflops", "tc_fp8", "boost_mhz_tensor"},
    {"int8_tc_tops", "tc_int8", "boost_mhz_tensor"},
    {"fp16_tc_f16acc_tflops", "tc_fp16_f16acc", "boost_mhz_tensor"},
    {"fp8_tc_f16acc_tflops", "tc_fp8_f16acc", "boost_mhz_tensor"},
};

/// 0 where the file has null, or nothing.
double number_in(const nlohmann::json& object, const char* field) {
  const auto found = object.find(field);
  return found == object.end() || found->is_null() ? 0 : found->get<double>();
}

}  // namespace

TEST_CASE("every stated rate is what the SMs do in a clock, times SMs and clock") {
  std::ifstream file(assets_folder() / "gpu_specs.json");
  const nlohmann::json specs = nlohmann::json::parse(file);
  const nlohmann::json& table = specs.at("fma_per_clk_per_sm").at("table");
  int checked = 0;
  for (const nlohmann::json& sheet : specs.at("gpus")) {
    const std::string name = sheet.at("name");
    const std::string capability = sheet.at("compute_capability");
    const std::string row = sheet.value("fma_table", capability);
    CAPTURE(name);
    // Sheets of other vendors have no row.
    REQUIRE(table.contains(row) == (sheet.at("vendor") == "NVIDIA"));
    if (!table.contains(row)) continue;
    for (const RateColumn& column : rate_columns) {
      const double stated = number_in(sheet, column.rate) * 1e12;
      const double fmas = number_in(table.at(row), column.per_clock);
      if (stated == 0 || !table.at(row).contains(column.per_clock)) continue;
      const double tensor = number_in(sheet, column.clock);
      const double clock = 1e6 * (tensor > 0 ? tensor : number_in(sheet, "boost_mhz"));
      CAPTURE(column.rate);
      // Vendors round to two digits.
      CHECK(stated ==
            doctest::Approx(2 * fmas * number_in(sheet, "sm_count") * clock).epsilon(0.025));
      ++checked;
    }
  }
  CHECK(checked > 150);
}

TEST_CASE("a unit that a GPU does not have has no roof") {
  const auto roofs = datasheet_roofs(gpu("Tesla T4", "7.5", 40, 15360));
  CHECK(rate_of(roofs, "fp16 matrix") == doctest::Approx(65e12));
  CHECK(rate_of(roofs, "bf16 matrix") == 0);
}

TEST_CASE(
    "every device of the sheets that has a roofline is on offer, the GPUs of other vendors too") {
  const auto devices = datasheet_devices();
  std::vector<std::string> names;
  for (const SheetDevice& device : devices) {
    names.push_back(device.name);
    CHECK(rate_of(device.roofs, "DRAM copy") > 1e11);
    CHECK(rate_of(device.roofs, "fp32 FMA") > 1e12);
  }
  for (const char* name : {"H200 SXM 141GB", "GeForce RTX 5090", "AMD Instinct MI300X"}) {
    CHECK(std::ranges::count(names, name) == 1);
  }
}

TEST_CASE(
    "a CPU's peak is cores times clock times what a core does per clock, with the derivation") {
  kernels::DeviceInfo device;
  device.kind = "cpu";
  device.multiprocessors = 2;
  device.clock_hz = 3.7e9;
  device.peaks = {{Dtype::fp32, Units::vector, 64, "2 ports x 16 lanes x 2 (FMA)"}};
  const auto roofs = datasheet_roofs(device);
  REQUIRE(roofs.size() == 1);
  CHECK(roofs[0].name == "fp32 FMA");
  CHECK(roofs[0].rate == doctest::Approx(473.6e9));
  CHECK(roofs[0].source == RoofSource::datasheet);
  CHECK(roofs[0].cite.find("2 ports x 16 lanes x 2 (FMA)") != std::string::npos);
  CHECK(roofs[0].cite.find("3.70 GHz") != std::string::npos);
  CHECK(source_word(roofs[0]) == "theoretical");
  Roof measured = roofs[0];
  measured.source = RoofSource::measured;
  CHECK(source_word(measured) == "measured");
  measured.conditions.clock_hz = 4e9;  // faster than when the device was opened
  const auto then = theoretical_roof(device, measured);
  REQUIRE(then);
  CHECK(then->rate == doctest::Approx(512e9));
  CHECK(then->cite.find("4.00 GHz") != std::string::npos);
  measured.name = "fp64 FMA";
  CHECK_FALSE(theoretical_roof(device, measured));
  device.clock_hz = 0;
  CHECK(datasheet_roofs(device).empty());
}

TEST_CASE("assets are found where the environment says, or it is said that they are not there") {
  CHECK(std::filesystem::exists(assets_folder() / "gpu_specs.json"));
  const examples::Folder folder;
  ::setenv("RIDGEPOINT_ASSETS", folder.path().c_str(), 1);
  CHECK_THROWS_WITH_AS(assets_folder(), doctest::Contains("RIDGEPOINT_ASSETS"), BadInput);
  std::vector<std::string> problems;
  CHECK(datasheet_roofs(gpu("NVIDIA H200", "9.0", 132, 143771), &problems).empty());
  CHECK(problems.size() == 1);
  CHECK(datasheet_devices(&problems).empty());
  CHECK(problems.size() == 2);
  tests::write_text(folder / "gpu_specs.json", "{\"gpus\": [{\"name\": 5}]}");
  CHECK(assets_folder() == folder.path());
  CHECK(datasheet_roofs(gpu("NVIDIA H200", "9.0", 132, 143771), &problems).empty());
  REQUIRE(problems.size() == 3);
  CHECK(problems[2].find("gpus[0]") != std::string::npos);
  ::unsetenv("RIDGEPOINT_ASSETS");
}
