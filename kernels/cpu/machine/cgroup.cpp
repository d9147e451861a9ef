// What control groups grant this process: processor time and memory. Version 2 has one tree,
// version 1 one per controller; a limit of any ancestor holds, and inside a container the tree may
// begin at the process's own group.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>

#include "kernels/cpu/machine/topology.hpp"

namespace kernels::cpu {
namespace {

namespace fs = std::filesystem;

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;  // "max": no limit
  return value;
}

std::optional<double> number_of(const fs::path& file) { return number_in(first_line_of(file)); }

/// Where a hierarchy is mounted, and which group of it lies there.
struct Mount {
  fs::path point, top;
};

bool has_word(const std::string& list, std::string_view word) {
  return fmt::format(",{},", list).find(fmt::format(",{},", word)) != std::string::npos;
}

/// As that file writes them: \040.
std::string with_spaces(std::string path) {
  constexpr std::string_view space = "\\040";
  for (std::size_t at = path.find(space); at != std::string::npos; at = path.find(space, at + 1))
    path.replace(at, space.size(), " ");
  return path;
}

/// Of a hierarchy ("" = version 2, else a controller), as proc_pid_mountinfo(5) lists them; its
/// usual place where nothing is listed.
std::vector<Mount> mounts_of(const fs::path& root, std::string_view controller) {
  std::vector<Mount> mounts;
  std::ifstream in(root / "proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream place(line.substr(0, dash)), system(line.substr(dash + 3));
    std::string id, parent, device, top, point, type, source, options;
    place >> id >> parent >> device >> top >> point;
    system >> type >> source >> options;
    if (controller.empty() ? type == "cgroup2" : type == "cgroup" && has_word(options, controller))
      mounts.push_back({root / fs::path(with_spaces(point)).relative_path(), with_spaces(top)});
  }
  if (mounts.empty()) mounts.push_back({root / "sys/fs/cgroup" / controller, "/"});
  return mounts;
}

/// The group of this process in a hierarchy and its ancestors, as far as they are mounted.
std::vector<fs::path> groups(const fs::path& root, std::string_view controller) {
  std::vector<fs::path> result;
  const std::vector<Mount> mounts = mounts_of(root, controller);
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {  // id:controllers:path
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? !controllers.empty() : !has_word(controllers, controller)) continue;
    for (const Mount& mount : mounts) {
      fs::path group = fs::path(line.substr(second + 1)).lexically_relative(mount.top);
      if (group.empty() || *group.begin() == "..") continue;  // not of what is mounted
      for (; !group.empty() && group != "."; group = group.parent_path())
        result.push_back(mount.point / group);
      result.push_back(mount.point);
      return result;
    }
  }
  // It is none of what is mounted: the top is as near as it gets.
  result.push_back(mounts.front().point);
  return result;
}

void keep_least(std::optional<double>& least, std::optional<double> value) {
  if (value && (!least || *value < *least)) least = value;
}

struct MemoryLimit {
  std::optional<double> total, left;
};

/// Where a version keeps the limits, and of a group and all below it the usage and the page cache.
/// Above the second limit of version 2 a group runs on, but as slowly as its memory is taken back.
struct MemoryFiles {
  const char *limit, *slow_limit, *usage, *inactive, *active;
};
constexpr MemoryFiles version_2{"memory.max", "memory.high", "memory.current", "inactive_file",
                                "active_file"};
constexpr MemoryFiles version_1{"memory.limit_in_bytes", "memory.limit_in_bytes",
                                "memory.usage_in_bytes", "total_inactive_file",
                                "total_active_file"};

/// The number of a line "name number"; 0 without one.
double stat_of(const fs::path& file, std::string_view name) {
  std::ifstream in(file);
  std::string key;
  for (double value = 0; in >> key >> value;)
    if (key == name) return value;
  return 0;
}

/// The usage of a group counts its page cache, which Linux takes back when memory runs short
/// (Linux, Documentation/admin-guide/cgroup-v2.rst, memory.stat).
void add_memory_limit(MemoryLimit& limit, const fs::path& group, const MemoryFiles& files) {
  std::optional<double> total = number_of(group / files.limit);
  keep_least(total, number_of(group / files.slow_limit));
  if (!total) return;
  keep_least(limit.total, total);
  const fs::path stat = group / "memory.stat";
  const double cached = stat_of(stat, files.inactive) + stat_of(stat, files.active);
  const double held = std::max(0.0, number_of(group / files.usage).value_or(0) - cached);
  keep_least(limit.left, std::max(0.0, *total - held));
}

MemoryLimit memory_limit(const fs::path& root) {
  MemoryLimit limit;
  for (const fs::path& group : groups(root, "")) add_memory_limit(limit, group, version_2);
  for (const fs::path& group : groups(root, "memory")) add_memory_limit(limit, group, version_1);
  return limit;
}

/// "MemAvailable:   24105000 kB" -> bytes.
std::optional<double> bytes_in(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t digit = line.find_first_of("0123456789");
    if (digit == std::string::npos) return 0;
    return 1024 * number_in(std::string_view(line).substr(digit)).value_or(0);
  }
  return std::nullopt;
}

/// What the C library knows (`pages`) where there is no such line.
double meminfo(const fs::path& root, std::string_view key, int pages) {
  const auto known = bytes_in(root / "proc/meminfo", key);
  if (known) return *known;
  return static_cast<double>(sysconf(pages)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double limit_of(int resource) {
  rlimit limit{};
  const bool limited = getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? static_cast<double>(limit.rlim_cur) : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root) {
  std::optional<double> least;
  for (const fs::path& group : groups(root, "")) {
    std::istringstream line(first_line_of(group / "cpu.max"));  // "max 100000" or "150000 100000"
    std::string quota, period;
    line >> quota >> period;
    const std::optional<double> time = number_in(quota), of = number_in(period);
    if (time && of && *of > 0) keep_least(least, *time / *of);
  }
  for (const fs::path& group : groups(root, "cpu")) {
    const std::optional<double> time = number_of(group / "cpu.cfs_quota_us");  // -1: no limit
    const std::optional<double> of = number_of(group / "cpu.cfs_period_us");
    if (time && of && *time > 0 && *of > 0) keep_least(least, *time / *of);
  }
  return least;
}

std::optional<double> seconds_over_quota(const fs::path& root) {
  if (!cpu_quota(root)) return std::nullopt;
  double seconds = 0;  // Linux, Documentation/scheduler/sched-bwc.rst
  for (const fs::path& group : groups(root, ""))
    seconds += 1e-6 * stat_of(group / "cpu.stat", "throttled_usec");
  for (const fs::path& group : groups(root, "cpu"))
    seconds += 1e-9 * stat_of(group / "cpu.stat", "throttled_time");
  return seconds;
}

double available_memory(const fs::path& root) {
  const double available = meminfo(root, "MemAvailable:", _SC_AVPHYS_PAGES);
  const double unmapped = unmapped_memory(root, limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA));
  return std::min({available, memory_limit(root).left.value_or(available), unmapped});
}

double unmapped_memory(const fs::path& root, double address_limit, double data_limit) {
  // Room for the stacks and heaps of threads, which are mapped beside the buffers.
  constexpr double reserve = 32.0 * 1024 * 1024;
  const fs::path status = root / "proc/self/status";
  const double address = address_limit - bytes_in(status, "VmSize:").value_or(0);
  const double data = data_limit - bytes_in(status, "VmData:").value_or(0);
  return std::max(0.0, std::min(address, data) - reserve);
}

double total_memory(const fs::path& root) {
  const double total = meminfo(root, "MemTotal:", _SC_PHYS_PAGES);
  return std::min(total, memory_limit(root).total.value_or(total));
}

}  // namespace kernels::cpu
