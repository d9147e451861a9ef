// Disturbs the measurement of the real CPU on purpose: a process that spins on one of its cores,
// and one that streams through 512 MiB on another. Undisturbed and disturbed sweeps of the same
// points alternate. Prints how often the program noticed, how often it raised a false alarm, and
// how far rate and share of the roof moved. Usage: disturbed [ROUNDS]; 5 unless told.
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "engine/measure/statistics.hpp"
#include "kernels/backends.hpp"
#include "kernels/units.hpp"
#include "tests/bench/sweeps.hpp"

namespace {

using engine::Point;

enum class Load { none, spins, streams };
constexpr std::array<const char*, 3> names{"nothing", "a spinning process",
                                           "a stream over 512 MiB"};

[[noreturn]] void spin() {
  while (true) asm volatile("");  // nothing that the compiler could leave out
}

[[noreturn]] void stream() {
  constexpr std::size_t half = std::size_t{256} << 20;
  const auto from = std::make_unique<char[]>(half), to = std::make_unique<char[]>(half);
  for (int value = 0;; ++value) {
    std::memset(from.get(), value, half);
    std::memcpy(to.get(), from.get(), half);
    asm volatile("" : : "r"(to.get()) : "memory");
  }
}

/// The cores that this process may use.
std::vector<int> cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    throw std::runtime_error("the system does not tell the cores of this process");
  std::vector<int> all;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed)) all.push_back(core);
  }
  return all;
}

/// A child process that loads one core until this object is destroyed, or this process ends.
class Disturber {
 public:
  Disturber(Load load, int core) {
    if (load == Load::none) return;
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("no second process could be started");
    if (child_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
    if (load == Load::spins) spin();
    stream();
  }
  ~Disturber() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Disturber(const Disturber&) = delete;
  Disturber& operator=(const Disturber&) = delete;

 private:
  pid_t child_ = 0;
};

/// Marked as unreliable: this point has a ring in the window and a sentence in `explain`.
bool is_marked(const Point& point) { return point.disturbed; }
/// Anything that the point says of others on the cores.
bool is_noticed(const Point& point) {
  return is_marked(point) || point.contended > 0 || point.limit == engine::Limit::others ||
         std::ranges::any_of(point.visits,
                             [](const engine::Visit& visit) { return !visit.set_aside.empty(); });
}

/// What was measured of one point under one load.
struct Kept {
  std::size_t points = 0, noticed = 0, marked = 0, without_share = 0;
  std::vector<double> rates, shares;

  void add(const Point& point) {
    ++points;
    noticed += is_noticed(point);
    marked += is_marked(point);
    rates.push_back(1 / point.seconds.median);
    if (point.share)
      shares.push_back(point.share->of.median);
    else
      ++without_share;
  }
};
using ByRepeat = std::map<std::uint64_t, std::array<Kept, names.size()>>;

struct Bench {
  engine::Sweeper sweeper{[] {
                            kernels::Devices devices;
                            devices.usable.push_back(kernels::open_cpu());
                            return devices;
                          },
                          [] {}};
  engine::SweepRequest request{};
  std::vector<int> all_cores = cores();

  /// Memory-bound, near the ridge, compute-bound. Roofs once, undisturbed: those that run beside
  /// the points give the shares.
  Bench() {
    request.spec.device = "cpu";
    request.spec.repeats = {1, 32, 512};
    request.spec.max_time = 1;
    request.known_roofs = bench::sweep(sweeper, request).roofs;
  }
  void round(Load load, ByRepeat& kept) {
    fmt::print(stderr, "with {}\n", names[static_cast<std::size_t>(load)]);
    const int core = load == Load::spins ? all_cores.front() : all_cores.back();
    const Disturber disturber(load, core);
    const engine::Session session = bench::sweep(sweeper, request);
    const auto points = bench::points_of(session);
    if (points.size() != request.spec.repeats.size())
      throw std::runtime_error("not every point was measured");
    for (const Point* point : points)
      kept[point->what.repeat][static_cast<std::size_t>(load)].add(*point);
  }
};

/// "-3.1 %": of the medians.
std::string moved(const std::vector<double>& from, const std::vector<double>& to) {
  if (from.empty() || to.empty()) return "-";
  return fmt::format("{:+.1f} %", 100 * (engine::median_of(to) / engine::median_of(from) - 1));
}

std::string of(std::size_t some, std::size_t all) {
  return fmt::format("{} of {} ({:.0f} %)", some, all,
                     all == 0 ? 0.0 : 100.0 * static_cast<double>(some) / static_cast<double>(all));
}

void print(const ByRepeat& kept) {
  fmt::print("{:<23} {:>6}  {:>16} {:>16} {:>10} {:>10} {:>10}\n", "beside the measurement",
             "repeat", "noticed", "marked", "rate", "share of", "its change");
  for (std::size_t load = 0; load < names.size(); ++load) {
    for (const auto& [repeat, loads] : kept) {
      const Kept& plain = loads.front();
      const Kept& mine = loads[load];
      fmt::print("{:<23} {:>6}  {:>16} {:>16} {:>10} {:>10} {:>10}\n", names[load], repeat,
                 of(mine.noticed, mine.points), of(mine.marked, mine.points),
                 load == 0 ? "-" : moved(plain.rates, mine.rates),
                 mine.shares.empty() ? "-" : units::percent(engine::median_of(mine.shares)),
                 load == 0 ? "-" : moved(plain.shares, mine.shares));
    }
  }
  Kept disturbed, plain;
  for (const auto& [repeat, loads] : kept) {
    for (std::size_t load = 0; load < names.size(); ++load) {
      Kept& total = load == 0 ? plain : disturbed;
      total.points += loads[load].points;
      total.noticed += loads[load].noticed;
      total.marked += loads[load].marked;
    }
  }
  fmt::print(
      "disturbed points: noticed {}, marked {}; false alarms in undisturbed ones: noticed {}, "
      "marked {}\n",
      of(disturbed.noticed, disturbed.points), of(disturbed.marked, disturbed.points),
      of(plain.noticed, plain.points), of(plain.marked, plain.points));
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  if (rounds < 1) {
    fmt::print(stderr, "usage: disturbed [ROUNDS]\n");
    return 2;
  }
  try {
    Bench bench;
    fmt::print(
        "{} cores, all of them measured on, so that what disturbs shares its core with the "
        "measurement; fp32 chains, {} rounds\n"
        "noticed: samples or visits were left out because of others\n"
        "marked: the point says that it is disturbed\n"
        "false alarms are false only where nothing else runs on this machine\n",
        bench.all_cores.size(), rounds);
    ByRepeat kept;
    for (int round = 0; round < rounds; ++round) {
      for (const Load load : {Load::none, Load::spins, Load::none, Load::streams})
        bench.round(load, kept);
    }
    print(kept);
  } catch (const std::exception& error) {
    fmt::print(stderr, "disturbed: {}\n", error.what());
    return 1;
  }
}
