// Asks a running interpreter for so many additions, and reads how long it took and what came of it.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "kernels/families/interpreter/interpreter.hpp"
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
/// of additions; the answer is that number, the seconds, and the sum. Without a line for 10 s
/// they end.
constexpr const char* python_text =
#include "kernels/host/python.inc"
    ;
constexpr const char* pytorch_text =
#include "kernels/host/pytorch.inc"
    ;

/// An interpreter that has started, and has imported what it adds with.
class Running {
 public:
  /// Throws Unsupported, Cancelled.
  Running(Interpreter which, std::string_view kind, const std::stop_token& stop)
      : child_({"python3", "-c", which == Interpreter::pytorch ? pytorch_text : python_text,
                std::string(kind)},
               Child::Input::written) {
    if (!child_.started()) throw Unsupported("there is no python3 on PATH");
    const bool imports = which == Interpreter::pytorch;
    const std::string line = next_line(imports ? longest_import : longest_start, stop);
    if (line == "absent") throw Unsupported("the python3 on PATH cannot import PyTorch");
    constexpr std::string_view ready = "ready ";
    if (!line.starts_with(ready)) refuse(line);
    name_ = units::printable(line.substr(ready.size()));
  }

  /// "Python 3.11.2".
  const std::string& name() const { return name_; }
  /// Whether it waits for a question: it may have ended, or not have answered the last one.
  bool waits() { return !asked_ && !child_.ended(); }

  /// Whether it still does: it ends by itself when nobody asks.
  bool answers(const std::stop_token& stop) {
    try {
      return waits() && ask(1, stop).sum == 1;
    } catch (const Unsupported&) {
      return false;
    }
  }

  struct Answer {
    double seconds = 0, sum = 0;
  };
  Answer ask(std::uint64_t additions, const std::stop_token& stop) {
    asked_ = true;
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
    asked_ = false;
    return answer;
  }

 private:
  [[noreturn]] static void refuse(const std::string& line) {
    constexpr std::size_t longest = 80;
    throw Unsupported(fmt::format("python3 answered \"{}\", which is no result",
                                  units::printable(units::shortened(line, longest))));
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

  Child child_;
  std::string name_;
  bool asked_ = false;
};

/// Those that wait for the next trial of their kind: importing PyTorch takes seconds. They end with
/// this program, or by themselves when nobody asks for 10 s.
class Waiting {
 public:
  struct Key {
    Interpreter which;
    std::string kind;
    std::string path;  // PATH: another one may have another interpreter
    auto operator<=>(const Key&) const = default;
  };

  /// Null where none waits.
  std::unique_ptr<Running> take(const Key& key, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    auto found = waiting_.extract(key);
    lock.unlock();
    if (found.empty() || !found.mapped()->answers(stop)) return nullptr;
    return std::move(found.mapped());
  }
  void keep(const Key& key, std::unique_ptr<Running> running) {
    const std::scoped_lock lock(mutex_);
    waiting_.try_emplace(key, std::move(running));  // one is enough
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<Running>> waiting_;
};

Waiting& waiting() {
  static Waiting instance;
  return instance;
}

class InterpreterTrial final : public Trial {
 public:
  InterpreterTrial(const Case& c, std::string_view kind, const std::stop_token& stop)
      : case_(c), key_{static_cast<Interpreter>(c.more[0]), std::string(kind), path()} {
    running_ = waiting().take(key_, stop);
    if (!running_) running_ = std::make_unique<Running>(key_.which, kind, stop);
  }
  ~InterpreterTrial() override {
    try {
      if (running_->waits()) waiting().keep(key_, std::move(running_));
    } catch (...) {  // no memory to keep it: it ends
    }
  }

  Sample run(std::stop_token stop) override {
    return {.seconds = running_->ask(case_.repeat, stop).seconds, .note = running_->name()};
  }
  Work work() const override { return work_of(case_); }
  /// The sum of so many ones is exact.
  Check verify(std::stop_token stop) override {
    const double sum = running_->ask(case_.repeat, stop).sum,
                 expected = static_cast<double>(case_.repeat);
    if (sum == expected) return {.ok = true};
    return {false, fmt::format("{} additions of 1 gave {}", case_.repeat, sum)};
  }
  bool cold() const override { return false; }

 private:
  static std::string path() {
    const char* const text = std::getenv("PATH");
    return text != nullptr ? text : "";
  }

  Case case_;
  Waiting::Key key_;
  std::unique_ptr<Running> running_;
};

}  // namespace

std::unique_ptr<Trial> prepare_interpreter(const Case& c, std::string_view kind,
                                           std::stop_token stop) {
  return std::make_unique<InterpreterTrial>(c, kind, stop);
}

}  // namespace kernels
