// Asks a running interpreter for so many additions, and reads how long it took and what came of it.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "kernels/families/interpreter.hpp"
#include "kernels/host/child.hpp"
#include "kernels/units.hpp"

namespace kernels {
namespace {

using Clock = std::chrono::steady_clock;

/// Importing PyTorch takes seconds where its files are not in memory; an interpreter alone starts
/// in 0.1 s at most.
constexpr double longest_start = 3, longest_import = 10, longest_answer = 2;  // s
constexpr auto look_every = std::chrono::microseconds(100);

/// Modules come from where they were installed, not from the present folder. Each line is a number
/// of additions; the answer is that number, the seconds, and the sum.
constexpr const char* python_text =
#include "kernels/host/python.inc"
    ;
constexpr const char* pytorch_text =
#include "kernels/host/pytorch.inc"
    ;

class InterpreterTrial final : public Trial {
 public:
  InterpreterTrial(const Case& c, std::string_view kind, const std::stop_token& stop)
      : case_(c),
        child_({"python3", "-c", is_torch() ? pytorch_text : python_text, std::string(kind)},
               Child::Input::written) {
    if (!child_.started()) throw Unsupported("there is no python3 on PATH");
    const std::string line = next_line(is_torch() ? longest_import : longest_start, stop);
    if (line == "absent") throw Unsupported("the python3 on PATH cannot import PyTorch");
    constexpr std::string_view ready = "ready ";
    if (!line.starts_with(ready)) refuse(line);
    note_ = units::printable(line.substr(ready.size()));
  }

  Sample run(std::stop_token stop) override {
    return {.seconds = ask(case_.repeat, stop).seconds, .note = note_};
  }
  Work work() const override { return work_of(case_); }
  /// The sum of so many ones is exact.
  Check verify(std::stop_token stop) override {
    const double sum = ask(case_.repeat, stop).sum, expected = static_cast<double>(case_.repeat);
    if (sum == expected) return {.ok = true};
    return {false, fmt::format("{} additions of 1 gave {}", case_.repeat, sum)};
  }
  bool cold() const override { return false; }

 private:
  struct Answer {
    double seconds = 0, sum = 0;
  };

  bool is_torch() const {
    return case_.more[0] == static_cast<std::uint64_t>(Interpreter::pytorch);
  }

  [[noreturn]] static void refuse(const std::string& line) {
    constexpr std::size_t longest = 80;
    throw Unsupported(fmt::format("python3 answered \"{}\", which is no result",
                                  units::printable(units::shortened(line, longest))));
  }

  Answer ask(std::uint64_t additions, const std::stop_token& stop) {
    if (!child_.write(fmt::format("{}\n", additions)))
      throw Unsupported("python3 ended before it was asked to");
    const std::string line = next_line(longest_answer, stop);
    unsigned long long of = 0;
    Answer answer;
    int length = 0;
    const int read =
        std::sscanf(line.c_str(), "%llu %lf %lf%n", &of, &answer.seconds, &answer.sum, &length);
    const bool whole = read == 3 && static_cast<std::size_t>(length) == line.size();
    if (!whole || of != additions || !(answer.seconds > 0)) refuse(line);
    return answer;
  }

  std::string next_line(double seconds, const std::stop_token& stop) {
    const auto limit = Clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
      const bool over = child_.ended();
      std::string& said = child_.output();
      if (const std::size_t end = said.find('\n'); end != std::string::npos) {
        const std::string line = said.substr(0, end);
        said.erase(0, end + 1);
        return line;
      }
      if (over) throw Unsupported("python3 ended before it was asked to");
      if (stop.stop_requested()) throw Cancelled();
      if (Clock::now() > limit) {
        child_.end();
        throw Unsupported(
            fmt::format("python3 gave no answer within {:.0f} s, and was ended", seconds));
      }
      std::this_thread::sleep_for(look_every);
    }
  }

  Case case_;
  std::string note_;
  Child child_;
};

}  // namespace

std::unique_ptr<Trial> prepare_interpreter(const Case& c, std::string_view kind,
                                           std::stop_token stop) {
  return std::make_unique<InterpreterTrial>(c, kind, stop);
}

}  // namespace kernels
