// How long the program takes from its start to a complete first curve with its roofs, and to the
// end of the default sweep; and what the worker spends that time on. One argument: the program.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "engine/measure/statistics.hpp"
#include "engine/session/session_file.hpp"

namespace {

using Json = nlohmann::json;

/// s since the start of the program; 0: it did not come.
struct Times {
  double first_point = 0;
  double curve = 0;       ///< every fused point has a time
  double unfused_16 = 0;  ///< and the unfused ones up to repeat 16
  double end = 0;
};

/// Repeats of the points that have come.
struct Come {
  std::set<std::uint64_t> fused, unfused;
  bool up_to_16() const {
    return std::ranges::all_of(std::initializer_list<std::uint64_t>{1, 2, 4, 8, 16},
                               [&](std::uint64_t repeat) { return unfused.contains(repeat); });
  }
};

constexpr std::size_t points_of_a_curve = 11;  // repeat 1 to 1024

std::string read_line(std::FILE* from, bool& more) {
  std::string line;
  int c = 0;
  while ((c = std::fgetc(from)) != EOF && c != '\n') line += static_cast<char>(c);
  more = c != EOF;
  return line;
}

Times run(const std::string& program, const std::string& options, const std::string& session) {
  const std::string command = fmt::format("'{}' sweep --device cpu --stream -o '{}' {} 2>/dev/null",
                                          program, session, options);
  const auto begin = std::chrono::steady_clock::now();
  const auto now = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(popen(command.c_str(), "r"), pclose);
  Times times;
  Come come;
  for (bool more = out != nullptr; more;) {
    const std::string line = read_line(out.get(), more);
    const double at = now();
    const Json event = Json::parse(line, nullptr, false);
    if (event.is_discarded() || event.value("event", "") != "point") continue;
    const Json& point = event["point"];
    if (point.value("status", "") != "ok") continue;
    if (times.first_point == 0) times.first_point = at;
    const bool fused = point.value("fusion", "") == "fused";
    (fused ? come.fused : come.unfused).insert(point.value("repeat", std::uint64_t{0}));
    if (times.curve == 0 && come.fused.size() == points_of_a_curve) times.curve = at;
    if (times.unfused_16 == 0 && come.up_to_16()) times.unfused_16 = at;
  }
  times.end = now();
  return times;
}

void print(const char* what, const std::vector<Times>& all, double Times::*time) {
  std::vector<double> seconds;
  for (const Times& one : all) seconds.push_back(one.*time);
  std::string list;
  for (const double s : seconds) list += fmt::format(" {:.2f}", s);
  fmt::print("{:<34}{:>7.2f} s   of{}\n", what, engine::median_of(seconds), list);
}

/// What the worker did, by lane, over a whole session.
void print_breakdown(const std::string& file) {
  const engine::Session session = engine::load_session(file);
  std::map<std::string, double> lanes;
  for (const engine::Point& point : session.points) {
    for (const kernels::Span& span : point.phases) lanes[span.lane] += span.end - span.begin;
  }
  fmt::print("\nWhat the worker did in the last of these sweeps:\n");
  for (const auto& [lane, seconds] : lanes) fmt::print("{:<34}{:>7.2f} s\n", lane, seconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "first_curve: give the program to start, such as app/ridgepoint\n");
    return 2;
  }
  const int runs = argc > 2 ? std::max(1, std::atoi(argv[2])) : 10;
  const std::string session =
      (std::filesystem::temp_directory_path() / fmt::format("first-curve-{}.json", getpid()))
          .string();
  run(argv[1], "--max-time 0.4", session);  // finds the shapes of the kernels
  std::vector<Times> fused, both;
  for (int i = 0; i < runs; ++i) {
    both.push_back(run(argv[1], "--fusion both --max-time 0.2", session));
    fused.push_back(run(argv[1], "", session));
  }
  fmt::print("From the start of the program, median of {} runs, kernel shapes known:\n", runs);
  print("first point", fused, &Times::first_point);
  print("complete fused curve with its roofs", fused, &Times::curve);
  print("complete default sweep", fused, &Times::end);
  print("fused and unfused up to repeat 16", both, &Times::unfused_16);
  print_breakdown(session);
  std::filesystem::remove(session);
}
