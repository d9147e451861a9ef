#include "kernels/cpu/machine/watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <sstream>

#include "kernels/cpu/machine/topology.hpp"

namespace kernels::cpu {
namespace {

namespace fs = std::filesystem;

constexpr double least_ticks = 10;

double ticks_per_second() {
  static const double ticks = std::max(1.0, static_cast<double>(sysconf(_SC_CLK_TCK)));
  return ticks;
}

double process_seconds() {
  timespec time{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::optional<double> number_in(const fs::path& file) {
  std::ifstream in(file);
  double value = -1;
  if (!(in >> value) || value < 0) return std::nullopt;
  return value;
}

/// Columns of a line of /proc/stat (proc(5)); guest time is part of user and nice.
enum Column { user, nice, system, idle, iowait, irq, softirq, steal, columns };

using Times = std::array<double, columns>;

/// Seconds of some processors together, by column; absent unless all are there.
std::optional<Times> times_of(const fs::path& root, const std::vector<int>& processors) {
  std::ifstream in(root / "proc/stat");
  Times sum{};
  std::size_t found = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const bool ours = std::ranges::any_of(
        processors, [&](int processor) { return name == fmt::format("cpu{}", processor); });
    if (!ours) continue;
    Times ticks{};
    for (double& value : ticks) words >> value;
    if (!words) return std::nullopt;
    for (std::size_t i = 0; i < columns; ++i) sum[i] += ticks[i] / ticks_per_second();
    ++found;
  }
  if (found != processors.size()) return std::nullopt;
  return sum;
}

double busy(const Times& times) {
  return times[user] + times[nice] + times[system] + times[irq] + times[softirq];
}

void add_times(const fs::path& root, const WatchedProcessors& watched, Readings& now) {
  const std::optional<Times> ours = times_of(root, watched.processors);
  const std::optional<Times> beside = times_of(root, watched.siblings);
  if (!ours || !beside) return;
  now.busy_seconds = busy(*ours) + busy(*beside);
  now.stolen_seconds = (*ours)[steal];
  now.total_seconds = busy(*ours) + (*ours)[idle] + (*ours)[iowait] + (*ours)[steal];
}

void add_energy(const fs::path& root, Readings& now) {
  for (const fs::path& zone : entries_of(root / "sys/class/powercap")) {
    const std::string name = first_line_of(zone / "name");
    if (!name.starts_with("package")) continue;  // the rest are parts of packages
    const auto microjoules = number_in(zone / "energy_uj");
    const auto range = number_in(zone / "max_energy_range_uj");
    if (microjoules) now.energy[name] = {*microjoules * 1e-6, range.value_or(0) * 1e-6};
  }
}

void add_throttling(const fs::path& root, const std::vector<int>& processors, Readings& now) {
  for (const int processor : processors) {
    const fs::path folder =
        root / fmt::format("sys/devices/system/cpu/cpu{}/thermal_throttle", processor);
    for (const char* file : {"core_throttle_count", "package_throttle_count"}) {
      if (const auto count = number_in(folder / file)) {
        now.throttled = now.throttled.value_or(0) + static_cast<std::uint64_t>(*count);
      }
    }
  }
}

std::optional<double> energy_between(const Readings& before, const Readings& after) {
  std::optional<double> sum;
  for (const auto& [name, now] : after.energy) {
    const auto then = before.energy.find(name);
    if (then == before.energy.end()) continue;
    double joules = now.joules - then->second.joules;
    if (joules < 0) joules += now.range;
    if (joules >= 0) sum = sum.value_or(0) + joules;
  }
  return sum;
}

/// What the ticks of the system say of others' shares.
void add_counted_shares(const Readings& before, const Readings& after, std::size_t processors,
                        Conditions& conditions) {
  if (!before.total_seconds || !after.total_seconds) return;
  const double tick = 1 / ticks_per_second();
  const double total = *after.total_seconds - *before.total_seconds;
  const double uncertain = tick * static_cast<double>(processors);
  if (total < least_ticks * uncertain) return;
  const double stolen = *after.stolen_seconds - *before.stolen_seconds;
  const double busy = *after.busy_seconds - *before.busy_seconds;
  const double others = busy - (after.own_seconds - before.own_seconds) - uncertain;
  conditions.stolen = std::clamp(stolen / total, 0.0, 1.0);
  conditions.other_load = std::clamp(others / total, 0.0, 1.0);
}

double seconds_between(const Readings& before, const Readings& after) {
  return std::chrono::duration<double>(after.when - before.when).count();
}

/// What our threads missed is others' at least, but for what the hypervisor and a quota took of it.
void add_missed(const Readings& before, const Readings& after, std::size_t processors,
                Conditions& conditions) {
  const double total = seconds_between(before, after) * static_cast<double>(processors);
  if (!before.missed_seconds || !after.missed_seconds || !(total > 0)) return;
  const double missed = (*after.missed_seconds - *before.missed_seconds) / total;
  const double besides = std::clamp(missed - conditions.stolen.value_or(0), 0.0, 1.0);
  if (before.over_quota_seconds && after.over_quota_seconds) {
    // A group waits as a whole: what it was kept from may be more than what our threads wanted.
    const double over = (*after.over_quota_seconds - *before.over_quota_seconds) / total;
    conditions.quota = std::clamp(over, 0.0, besides);
  }
  conditions.other_load =
      std::max(conditions.other_load.value_or(0), besides - conditions.quota.value_or(0));
}

}  // namespace

Readings readings_of(const fs::path& root, const WatchedProcessors& watched) {
  Readings now;
  now.when = std::chrono::steady_clock::now();
  now.own_seconds = process_seconds();
  now.over_quota_seconds = seconds_over_quota(root);
  add_times(root, watched, now);
  add_energy(root, now);
  add_throttling(root, watched.processors, now);
  return now;
}

void add_changes(const Readings& before, const Readings& after, std::size_t processors,
                 Conditions& conditions) {
  add_counted_shares(before, after, processors, conditions);
  add_missed(before, after, processors, conditions);
  const double seconds = seconds_between(before, after);
  const auto joules = energy_between(before, after);
  if (joules && *joules > 0 && seconds > 0) conditions.power_w = *joules / seconds;
  if (before.throttled && after.throttled) {
    conditions.throttled = *after.throttled > *before.throttled;
  }
}

}  // namespace kernels::cpu
