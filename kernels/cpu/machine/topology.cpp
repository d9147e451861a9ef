#include "kernels/cpu/machine/topology.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "kernels/cpu/machine/processor.hpp"

namespace kernels::cpu {
namespace {

namespace fs = std::filesystem;

fs::path processor_folder(const fs::path& root, int processor) {
  return root / "sys/devices/system/cpu" / fmt::format("cpu{}", processor);
}

/// "1024K", "32M", "65536" -> bytes; 0 when it is none.
double parse_size(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return 0;
  const char unit = end == text.data() + text.size() ? ' ' : *end;
  return static_cast<double>(number) * (unit == 'K'   ? 0x1p10
                                        : unit == 'M' ? 0x1p20
                                        : unit == 'G' ? 0x1p30
                                                      : 1);
}

struct Cache {
  int level;
  bool data;
  double bytes;
  std::string sharers;
};

std::vector<Cache> caches_in(const fs::path& folder) {
  std::vector<Cache> caches;
  std::error_code error;  // a folder that may not be read holds nothing
  for (int index = 0;; ++index) {
    const fs::path cache = folder / fmt::format("index{}", index);
    if (!fs::exists(cache, error)) return caches;
    caches.push_back({static_cast<int>(parse_size(first_line_of(cache / "level"))),
                      first_line_of(cache / "type") != "Instruction",
                      parse_size(first_line_of(cache / "size")),
                      first_line_of(cache / "shared_cpu_list")});
  }
}

/// Logical processors that share a core with this one, itself included.
std::vector<int> core_of(const fs::path& root, int processor) {
  const fs::path file = processor_folder(root, processor) / "topology/thread_siblings_list";
  return parse_cpu_list(first_line_of(file));
}

}  // namespace

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  // The operator++ of the iterator throws.
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    entries.push_back(at->path());
  }
  return entries;
}

std::string first_line_of(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

bool ask_affinity(std::size_t bytes, cpu_set_t* mask) {
  return sched_getaffinity(0, bytes, mask) == 0;
}

std::vector<cpu_set_t> affinity_mask(
    const std::function<bool(std::size_t bytes, cpu_set_t*)>& get) {
  // The kernel may know more processors than one cpu_set_t holds: grow until it takes the mask.
  for (std::size_t sets = 1; sets <= 1024; sets *= 2) {
    std::vector<cpu_set_t> mask(sets);
    if (get(sets * sizeof(cpu_set_t), mask.data())) return mask;
  }
  return {};
}

std::vector<int> allowed_processors() {
  const std::vector<cpu_set_t> mask = affinity_mask();
  std::vector<int> processors;
  for (std::size_t i = 0; i < mask.size() * CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i % CPU_SETSIZE, &mask[i / CPU_SETSIZE]))
      processors.push_back(static_cast<int>(i));
  }
  if (processors.empty()) processors.push_back(0);
  return processors;
}

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> processors;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    int first = 0;
    auto [next, error] = std::from_chars(at, end, first);
    if (error != std::errc() || first < 0) break;
    int last = first;
    if (next < end && *next == '-') {
      const auto range = std::from_chars(next + 1, end, last);
      if (range.ec != std::errc() || last < first || last - first > 1 << 20) break;
      next = range.ptr;
    }
    for (int i = first; i <= last; ++i) processors.push_back(i);
    at = next < end && *next == ',' ? next + 1 : end;
  }
  return processors;
}

std::vector<int> one_per_core(const fs::path& root, const std::vector<int>& allowed) {
  std::set<int> taken;
  std::vector<int> cores;
  for (const int processor : allowed) {
    if (taken.contains(processor)) continue;
    cores.push_back(processor);
    for (const int sibling : core_of(root, processor)) taken.insert(sibling);
  }
  return cores;
}

std::vector<int> siblings_of(const fs::path& root, const std::vector<int>& processors) {
  std::set<int> siblings;
  for (const int processor : processors) {
    for (const int sibling : core_of(root, processor)) siblings.insert(sibling);
  }
  for (const int processor : processors) siblings.erase(processor);
  return {siblings.begin(), siblings.end()};
}

std::vector<int> memory_nodes(const fs::path& root, const std::vector<int>& processors) {
  std::vector<int> nodes;
  for (const int processor : processors) {
    for (const fs::path& entry : entries_of(processor_folder(root, processor))) {
      const std::string name = entry.filename().string();
      const bool numbered = name.size() > 4 && name[4] >= '0' && name[4] <= '9';
      if (!name.starts_with("node") || !numbered) continue;
      const int node = std::stoi(name.substr(4));
      if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
    }
  }
  return nodes.empty() ? std::vector{0} : nodes;
}

int slow_cores(const fs::path& root, const std::vector<int>& processors) {
  // The best core of a processor whose cores are alike clocks up to 8 % higher than its worst.
  constexpr double alike = 0.9;
  for (const char* file : {"cpu_capacity", "cpufreq/cpuinfo_max_freq"}) {
    std::vector<double> speeds;
    for (const int processor : processors) {
      speeds.push_back(parse_size(first_line_of(processor_folder(root, processor) / file)));
    }
    if (speeds.empty() || std::ranges::min(speeds) <= 0) continue;
    const double slow = alike * std::ranges::max(speeds);
    const auto count = std::ranges::count_if(speeds, [&](double speed) { return speed < slow; });
    if (count > 0) return static_cast<int>(count);
  }
  return 0;
}

Caches caches_of(const fs::path& root, const std::vector<int>& processors) {
  std::map<std::pair<int, std::string>, double> all;  // one entry per cache, however many share it
  for (const int processor : processors) {
    for (const Cache& cache : caches_in(processor_folder(root, processor) / "cache")) {
      if (!cache.data) continue;
      const bool alone = cache.sharers.empty() && cache.level < 3;
      all[{cache.level, alone ? fmt::format("{}", processor) : cache.sharers}] = cache.bytes;
    }
  }
  std::map<int, double> levels;
  for (const auto& [key, bytes] : all) levels[key.first] += bytes;
  const auto cores = static_cast<double>(std::max<std::size_t>(processors.size(), 1));
  return {levels[1] / cores, levels[2] / cores, levels[3]};
}

Caches caches_by_library() {
  const auto size_of = [](int name) { return static_cast<double>(std::max(0L, sysconf(name))); };
  return {size_of(_SC_LEVEL1_DCACHE_SIZE), size_of(_SC_LEVEL2_CACHE_SIZE),
          size_of(_SC_LEVEL3_CACHE_SIZE)};
}

std::string processor_name(const fs::path& root) {
  std::ifstream in(root / "proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos && line.starts_with("model name")) {
      const std::size_t first = line.find_first_not_of(' ', colon + 1);
      if (first != std::string::npos)
        return line.substr(first, line.find_last_not_of(' ') - first + 1);
    }
  }
  utsname names{};
  return uname(&names) == 0 ? fmt::format("{} processor", static_cast<const char*>(names.machine))
                            : "processor";
}

// MIDR_EL1: bits 31 to 24 implementer, 15 to 4 part (Arm Architecture Reference Manual).
ProcessorModel arm_model(const fs::path& root, const std::vector<int>& processors) {
  std::optional<ProcessorModel> all;
  for (const int processor : processors) {
    const std::string text =
        first_line_of(processor_folder(root, processor) / "regs/identification/midr_el1");
    const std::uint64_t midr = std::strtoull(text.c_str(), nullptr, 16);
    const auto bits = [&](int first, int count) {
      return static_cast<int>((midr >> first) & ((1U << count) - 1));
    };
    const ProcessorModel own{std::string(arm_vendor), bits(24, 8), bits(4, 12)};
    if (midr == 0 || (all && *all != own)) return {};
    all = own;
  }
  return all.value_or(ProcessorModel{});
}

std::string operating_system() {
  utsname names{};
  if (uname(&names) != 0) return {};
  return fmt::format("{} {}", static_cast<const char*>(names.sysname),
                     static_cast<const char*>(names.release));
}

bool on_battery(const fs::path& root) {
  // Linux, Documentation/ABI/testing/sysfs-class-power; a mouse has scope "Device".
  return std::ranges::any_of(entries_of(root / "sys/class/power_supply"),
                             [](const fs::path& supply) {
                               return first_line_of(supply / "type") == "Battery" &&
                                      first_line_of(supply / "scope") != "Device" &&
                                      first_line_of(supply / "status") == "Discharging";
                             });
}

std::optional<double> package_temperature(const fs::path& root) {
  for (const fs::path& sensor : entries_of(root / "sys/class/hwmon")) {
    const std::string name = first_line_of(sensor / "name");
    if (name != "coretemp" && name != "k10temp" && name != "zenpower") continue;
    const double millidegrees = parse_size(first_line_of(sensor / "temp1_input"));
    if (millidegrees > 0) return millidegrees / 1000;
  }
  return std::nullopt;
}

}  // namespace kernels::cpu
