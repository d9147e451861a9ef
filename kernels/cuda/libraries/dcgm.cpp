#include "kernels/cuda/libraries/dcgm.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "kernels/counted.hpp"

namespace kernels::cuda {
namespace {

struct Field {
  int id;  ///< dcgm_fields.h, DCGM_FI_PROF_*
  std::string_view name;
};
/// Shares of 1, and byte/s. Before Hopper the tensor pipe is one, so its share is that of the units
/// of the chosen type.
constexpr std::array fields{Field{1002, counted::busy},         Field{1003, counted::occupancy},
                            Field{1004, counted::hmma},         Field{1005, counted::dram},
                            Field{1006, counted::fp64},         Field{1007, counted::fp32},
                            Field{1008, counted::fp16},         Field{1009, counted::pcie_sent},
                            Field{1010, counted::pcie_received}};

std::vector<std::string> command(int gpu) {
  std::string ids;
  for (const Field& field : fields) ids += fmt::format("{}{}", ids.empty() ? "" : ",", field.id);
  return {"dcgmi", "dmon", "-i", std::to_string(gpu), "-e", ids, "-d", "100"};
}

/// The values of a line such as "GPU 0  0.980  N/A ..."; nothing of a line of another kind.
using Line = std::array<std::optional<double>, fields.size()>;
std::optional<Line> parsed(const std::string& text, const std::string& gpu) {
  std::istringstream words(text);
  std::string word;
  if (!(words >> word) || word != "GPU" || !(words >> word) || word != gpu) return std::nullopt;
  Line line;
  for (std::optional<double>& value : line) {
    if (!(words >> word)) return std::nullopt;
    double number = 0;
    const char* const end = word.data() + word.size();
    const auto [last, error] = std::from_chars(word.data(), end, number);
    if (error == std::errc() && last == end && std::isfinite(number)) value = number;
  }
  // One that was cut off has too few words, and the next one in its line too many.
  return words >> word ? std::nullopt : std::optional(line);
}

/// The first line that says something, of a tool that failed.
std::string first_words(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) return line;
  return "it ended without a word";
}

}  // namespace

Dcgm::Dcgm(int gpu) : tool_(command(gpu)), gpu_(std::to_string(gpu)), told_(fields.size()) {
  using namespace std::chrono_literals;
  if (!tool_.started()) throw Unsupported("dcgmi is not installed");
  const auto latest = std::chrono::steady_clock::now() + 3s;
  while (!tool_.ended()) {
    if (tool_.output().find("GPU " + gpu_) != std::string::npos) return;
    if (std::chrono::steady_clock::now() > latest)
      throw Unsupported("dcgmi printed nothing for 3 s");
    std::this_thread::sleep_for(10ms);
  }
  throw Unsupported("dcgmi says: " + first_words(tool_.output()));
}

void Dcgm::look() {
  if (tool_.ended()) throw Unsupported("dcgmi ended: " + first_words(tool_.output()));
  std::string& output = tool_.output();
  const std::size_t whole = output.rfind('\n');
  if (whole == std::string::npos) return;
  std::istringstream lines(output.substr(0, whole));
  output.erase(0, whole + 1);
  for (std::string text; std::getline(lines, text);) {
    const std::optional<Line> line = parsed(text, gpu_);
    for (std::size_t i = 0; line && i < fields.size(); ++i) {
      if (!(*line)[i]) continue;
      told_[i].sum += *(*line)[i];
      ++told_[i].lines;
    }
  }
}

std::vector<Value> Dcgm::read() {
  look();
  std::vector<Value> values;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Told told = std::exchange(told_[i], {});
    if (told.lines > 0) values.push_back({std::string(fields[i].name), told.sum / told.lines});
  }
  return values;
}

}  // namespace kernels::cuda
