// STREAM: the program where it is on PATH, else the same loops compiled here.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

#include "tests/bench/peers.hpp"
#include "tests/bench/programs.hpp"

namespace bench {
namespace {

struct Loop {
  const char* roof;
  const char* name;
  const char* heading;  ///< in the table that STREAM prints
};
// Scale moves what copy moves, add what triad does.
constexpr std::array<Loop, 4> loops{{{"DRAM copy", "copy", "Copy:"},
                                     {"DRAM copy", "scale", "Scale:"},
                                     {"DRAM triad", "add", "Add:"},
                                     {"DRAM triad", "triad", "Triad:"}}};

Turn turn_from(const Output& output, const std::string& label, double unit) {
  if (!output.why.empty()) return {.why = output.why};
  const auto rate = number_after(output.text, label);
  return rate ? Turn{*rate * unit} : Turn{.why = "its output holds no figure"};
}

/// STREAM itself. ImageMagick has a program called `stream`, so only these names count.
std::string installed() {
  for (const char* name : {"stream_c.exe", "stream_c"}) {
    if (on_path(name)) return name;
  }
  return "";
}

/// Compiles the loops; the sentence says why that failed, and is empty when it did not.
std::string compile(const std::filesystem::path& program) {
  for (const char* compiler : {"c++", "g++", "clang++"}) {
    if (!on_path(compiler)) continue;
    const Output output =
        output_of(fmt::format("{} -std=c++20 -O3 -march=native -pthread -o '{}' '{}' 2>&1",
                              compiler, program.string(), RIDGEPOINT_STREAM_LOOPS));
    return output.why.empty() ? ""
                              : fmt::format("{} could not compile it: {}", compiler, output.why);
  }
  return "there is no C++ compiler on PATH";
}

}  // namespace

Scratch::Scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "ridgepoint-peers-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create a folder: " + name);
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;  // a destructor does not throw
  std::filesystem::remove_all(path_, ignored);
}

void add_stream(Peers& peers, const kernels::DeviceInfo& device) {
  if (device.kind != "cpu") return;
  if (const std::string program = installed(); !program.empty()) {
    for (const auto& [roof, name, heading] : loops) {
      peers.found.push_back(
          {roof, "STREAM", name,
           "bytes of each, theirs over arrays of its own and the fastest of its passes; it reads "
           "lines before it stores, where its compiler chose ordinary stores",
           [program, heading] { return turn_from(output_of(program), heading, 1e6); }});
    }
    return;
  }
  const std::filesystem::path program = peers.scratch.path() / "stream_loops";
  if (const std::string why = compile(program); !why.empty()) {
    peers.missing.push_back({"STREAM", why + "; or put STREAM on PATH as stream_c.exe"});
    return;
  }
  for (const auto& [roof, name, heading] : loops) {
    const std::string command = fmt::format("'{}' {} {:.0f} {} {}", program.string(), name,
                                            peers.working_set, device.threads, turn_seconds);
    peers.found.push_back({roof, "STREAM loops", name,
                           "bytes of each over the same working set; theirs in plain C++, the "
                           "stores as the compiler chose",
                           [command] { return turn_from(output_of(command), "byte/s:", 1); }});
  }
}

}  // namespace bench
