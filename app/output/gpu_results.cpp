#include "app/output/gpu_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <optional>
#include <string_view>

#include "app/cli/exit_codes.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/session/session_file.hpp"
#include "kernels/units.hpp"

namespace app {
namespace {

namespace fs = std::filesystem;
using Fields = std::vector<std::string>;

constexpr std::array session_names{"roofs-cold", "roofs-warm", "sweep", "tile"};
constexpr std::array figure_files{"figures.txt", "nvbandwidth.txt", "torch.txt"};
constexpr std::array outcomes{"ok", "failed", "skipped", "timed out"};
// Longer than any line of the check; what is longer is another file.
constexpr std::size_t longest_line = 65'536;
constexpr std::size_t most_lines = 100'000;

Fields split(std::string_view line, char mark) {
  Fields fields(1);
  for (const char c : line) {
    if (c == mark) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

/// A number that is not negative; nothing for anything else.
std::optional<double> number_in(const std::string& text) {
  const std::optional<double> value = units::parse_number(text);
  return value && *value >= 0 ? value : std::nullopt;
}

/// Calls `read` with the fields of each line that it wants; it returns false for a bad one.
void read_lines(const fs::path& file, std::string_view expected,
                const std::function<bool(const Fields&)>& read) {
  std::ifstream input(file, std::ios::binary);
  std::size_t number = 0;
  for (std::string line; std::getline(input, line);) {
    ++number;
    if (line.size() <= longest_line && number <= most_lines && read(split(line, '\t'))) continue;
    throw Failure(Exit::usage,
                  fmt::format("{}:{}: expected {}", file.string(), number, expected));
  }
  if (input.bad() || !input.is_open()) {
    throw Failure(Exit::usage, fmt::format("{} cannot be read: expected {}", file.string(), expected));
  }
}

std::vector<GpuStep> read_steps(const fs::path& file) {
  std::vector<GpuStep> steps;
  read_lines(file, "part, step, outcome, seconds, limit and reason, with tabs between them",
             [&](const Fields& fields) {
               if (fields.size() != 6) return false;
               const auto part = number_in(fields[0]), seconds = number_in(fields[3]),
                          limit = number_in(fields[4]);
               const bool known = std::ranges::find(outcomes, fields[2]) != outcomes.end();
               if (!part || *part > 9 || !seconds || !limit || !known) return false;
               steps.push_back({static_cast<int>(*part), fields[1], fields[2], *seconds, *limit,
                                fields[5]});
               return true;
             });
  if (steps.empty()) {
    throw Failure(Exit::usage, fmt::format("{} is empty: expected a line for each step", file.string()));
  }
  return steps;
}

// Empty where the program crashed, or hung, before it measured anything: the page says so.
void read_figures(const fs::path& file, GpuResults& results) {
  read_lines(file, "\"figure\", name, unit, amount, samples and perhaps a clock, with tabs between them",
             [&](const Fields& fields) {
               if (fields.front() == "skipped" && fields.size() == 3)
                 results.left_out.push_back(fields[1] + ": " + fields[2]);
               if (fields.front() != "figure") return true;  // what the program says beside them
               if (fields.size() != 5 && fields.size() != 6) return false;
               const auto amount = number_in(fields[3]);
               const auto clock = fields.size() == 6 ? number_in(fields[5]) : std::optional<double>(0);
               if (!clock) return false;
               GpuFigure figure{fields[1], fields[2], amount.value_or(0), {}, *clock};
               for (const std::string& text : split(fields[4], ',')) {
                 const auto seconds = number_in(text);
                 if (!seconds) return false;  // two events can show the same time
                 figure.samples.push_back(*seconds);
               }
               results.figures.push_back(std::move(figure));
               return amount.has_value();
             });
}

std::map<std::string, engine::Session> read_sessions(const fs::path& folder) {
  std::map<std::string, engine::Session> sessions;
  for (const char* const name : session_names) {
    const fs::path file = folder / fmt::format("{}.json", name);
    if (fs::exists(file)) sessions[name] = engine::load_session(file.string());
  }
  const engine::Session* first = nullptr;
  for (const auto& [name, session] : sessions) {
    const std::string file = (folder / (name + ".json")).string();
    if (session.device.kind != "cuda") {
      throw Failure(Exit::usage, fmt::format("{} was measured on {}: expected a GPU", file,
                                             session.device.name));
    }
    if (first == nullptr) first = &session;
    if (session.device.name != first->device.name) {
      throw Failure(Exit::usage, fmt::format("{} was measured on {}, another session on {}: expected "
                                             "results of one GPU",
                                             file, session.device.name, first->device.name));
    }
  }
  return sessions;
}

std::string text_of(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

}  // namespace

double GpuFigure::rate() const {
  const double seconds = engine::median_of(samples);
  return seconds > 0 ? amount / seconds : 0;
}

GpuResults read_gpu_results(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw Failure(Exit::usage,
                  fmt::format("'{}' is no folder: expected the results of scripts/gpu-check.sh",
                              folder.string()));
  }
  if (!fs::exists(folder / "steps.tsv", error)) {
    throw Failure(Exit::usage, fmt::format("'{}' holds no steps.tsv: expected the results of "
                                           "scripts/gpu-check.sh",
                                           folder.string()));
  }
  GpuResults results;
  results.steps = read_steps(folder / "steps.tsv");
  for (const char* const name : figure_files) {
    if (fs::exists(folder / name, error)) read_figures(folder / name, results);
  }
  results.sessions = read_sessions(folder);
  results.counters = text_of(folder / "counters.txt");
  return results;
}

}  // namespace app
