#include "kernels/cpu/counters/activity.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "kernels/counted.hpp"
#include "kernels/cpu/machine/topology.hpp"

namespace kernels::cpu {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view sources = "sys/bus/event_source/devices";

/// Intel cores from Broadwell on, by CPUID's model (Intel SDM, volume 4, table 2-1), whose event
/// FP_ARITH_INST_RETIRED counts FLOP of vectors. Not Granite Rapids, of which
/// older kernels describe half of the memory's channels.
constexpr std::array counting_models{0x3d, 0x47, 0x4f, 0x56, 0x4e, 0x5e, 0x55,
                                     0x8e, 0x9e, 0xa5, 0xa6, 0x66, 0x7d, 0x7e,
                                     0x6a, 0x6c, 0xa7, 0x8c, 0x8d, 0x8f, 0xcf};

/// FP_ARITH_INST_RETIRED (perfmon-events.intel.com): one bit of the mask for each width. It counts
/// an FMA twice, so that a count is worth the elements of a vector in FLOP.
PerfEvent fp_arith(unsigned mask) { return {PERF_TYPE_RAW, (std::uint64_t{mask} << 8) | 0xc7U}; }

bool counts_flops(const ProcessorModel& model) {
  return model.vendor == "GenuineIntel" && model.family == 6 &&
         std::ranges::find(counting_models, model.model) != counting_models.end();
}

/// Every processor needs eight files: as many as this user may open.
void allow_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::string why_not_opened(const fs::path& root, const std::system_error& problem) {
  const int code = problem.code().value();
  if (code == EACCES || code == EPERM) {
    const std::string level = first_line_of(root / "proc/sys/kernel/perf_event_paranoid");
    const bool by_level = !level.empty() && level != "0" && !level.starts_with('-');
    return by_level ? fmt::format(
                          "the kernel lets this user count nothing of other programs: "
                          "sudo sysctl kernel.perf_event_paranoid=0 (it is {})",
                          level)
                    : "the kernel refuses its counters although perf_event_paranoid allows them: "
                      "a container needs CAP_PERFMON and the system call perf_event_open";
  }
  if (code == EMFILE)
    return "the counters of all cores need more open files than this user may have: ulimit -n 8192";
  return fmt::format("the kernel does not count FLOP here ({})", problem.code().message());
}

/// Throws Unsupported where the kernel knows no counters of these cores, or what they count is not
/// known here.
void check_counted(const fs::path& root, const ProcessorModel& model) {
  if (fs::exists(root / sources / "cpu_core")) {
    throw Unsupported(
        "this processor has two kinds of cores, and FLOP of the small ones are not counted: watch "
        "needs Intel processors from Broadwell on with one kind");
  }
  if (!fs::exists(root / sources / "cpu")) {
    throw Unsupported(
        "the kernel has no hardware counters of this CPU, as in most virtual machines: watch needs "
        "a machine of its own, or a virtual one with a PMU");
  }
  if (!counts_flops(model)) {
    throw Unsupported(
        "what this processor counts of FLOP is not known here: watch needs an Intel processor from "
        "Broadwell on, or an NVIDIA GPU");
  }
}

}  // namespace

CpuActivity::CpuActivity(fs::path root, const ProcessorModel& model, const OpenPerfGroup& open)
    : root_(std::move(root)) {
  check_counted(root_, model);
  const std::vector<int> online =
      parse_cpu_list(first_line_of(root_ / "sys/devices/system/cpu/online"));
  watched_.processors = one_per_core(root_, online);
  watched_.siblings = siblings_of(root_, watched_.processors);
  allow_open_files();
  try {
    open_cores(open);
  } catch (const std::system_error& problem) {
    throw Unsupported(why_not_opened(root_, problem));
  }
  open_memory(open);
  last_ = readings_of(root_, watched_);
}

void CpuActivity::add(Counters& counters, const OpenPerfGroup& open, std::vector<PerfEvent> events,
                      std::vector<double> worth, int processor) {
  auto group = open(events, processor);
  PerfCounts now = group->read();
  counters.push_back({std::move(group), std::move(worth), std::move(now)});
}

void CpuActivity::open_cores(const OpenPerfGroup& open) {
  std::vector<int> processors = watched_.processors;
  processors.insert(processors.end(), watched_.siblings.begin(), watched_.siblings.end());
  for (const int processor : processors) {  // scalars, 128, 256 and 512 bit
    add(fp64_, open, {fp_arith(0x01), fp_arith(0x04), fp_arith(0x10), fp_arith(0x40)}, {1, 2, 4, 8},
        processor);
    add(fp32_, open, {fp_arith(0x02), fp_arith(0x08), fp_arith(0x20), fp_arith(0x80)},
        {1, 4, 8, 16}, processor);
  }
}

void CpuActivity::open_memory(const OpenPerfGroup& open) {
  // Of servers; of desktops; of newer desktops. Some machines describe one counter twice.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> names{
      {{"cas_count_read", "cas_count_write"},
       {"data_reads", "data_writes"},
       {"data_read", "data_write"}}};
  const std::vector<fs::path> folders = entries_of(root_ / sources);
  try {
    for (const auto& [reads, writes] : names) {
      for (const fs::path& folder : folders) {
        if (!folder.filename().string().starts_with("uncore_imc")) continue;
        for (const NamedEvent& one : {named_event(folder, reads), named_event(folder, writes)})
          for (const int processor : one.processors)
            add(memory_, open, {one.event}, {one.unit}, processor);
      }
      if (!memory_.empty()) return;
    }
  } catch (const std::system_error& problem) {
    memory_.clear();
    why_not_ = fmt::format("Traffic of DRAM is not counted: {}.", why_not_opened(root_, problem));
  }
  resctrl_ = bytes_by_resctrl();
  if (!resctrl_.empty())
    why_not_.clear();
  else if (why_not_.empty())
    why_not_ =
        "Traffic of DRAM is not counted: there are no counters of memory controllers, and "
        "/sys/fs/resctrl is not mounted, or counts no bytes.";
}

CpuActivity::ByDomain CpuActivity::bytes_by_resctrl() const {
  const fs::path all = root_ / "sys/fs/resctrl";
  std::vector<fs::path> groups = entries_of(all);  // other groups of tasks count for themselves
  groups.push_back(all);
  // All traffic where it is counted, else that of the domain's own memory: never both.
  for (const char* file : {"mbm_total_bytes", "mbm_local_bytes"}) {
    ByDomain bytes;
    for (const fs::path& group : groups) {
      for (const fs::path& domain : entries_of(group / "mon_data")) {
        double value = -1;
        if (std::ifstream(domain / file) >> value) bytes[(domain / file).string()] = value;
      }
    }
    if (!bytes.empty()) return bytes;
  }
  return {};
}

std::optional<double> CpuActivity::resctrl_bytes() {
  const ByDomain before = std::exchange(resctrl_, bytes_by_resctrl());
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  // A group that came or went takes its count along.
  if (before.empty() || !std::ranges::equal(before, resctrl_, same)) return std::nullopt;
  double sum = 0;
  for (const auto& [file, bytes] : resctrl_) sum += bytes - before.at(file);
  return sum;
}

std::optional<double> CpuActivity::counted_of(Counters& counters) {
  std::optional<double> sum = counters.empty() ? std::nullopt : std::optional(0.0);
  for (Counter& counter : counters) {
    const PerfCounts now = counter.group->read();
    const double running = now.running - counter.last.running;
    const double enabled = now.enabled - counter.last.enabled;
    if (running <= 0) sum.reset();
    for (std::size_t i = 0; sum && i < now.counts.size(); ++i) {
      const auto count = static_cast<double>(now.counts[i] - counter.last.counts[i]);
      *sum += counter.worth[i] * count * enabled / running;
    }
    counter.last = now;
  }
  return sum;
}

std::optional<Activity> CpuActivity::read() {
  const Readings now = readings_of(root_, watched_);
  const double seconds = std::chrono::duration<double>(now.when - last_.when).count();
  if (seconds < least_window()) return std::nullopt;
  Activity activity{.seconds = seconds};
  const auto tell = [&](std::string_view name, double value) {
    activity.counted.push_back({std::string(name), value});
  };
  std::optional<double> fp64, fp32, bytes;
  try {
    fp64 = counted_of(fp64_);
    fp32 = counted_of(fp32_);
    bytes = memory_.empty() ? resctrl_bytes() : counted_of(memory_);
  } catch (const std::system_error& problem) {
    throw Unsupported(
        fmt::format("the kernel does not tell what it counted ({})", problem.code().message()));
  }
  const Readings before = std::exchange(last_, now);
  // A window of which a part was not counted would tell of less work than there was.
  if (!fp64 || !fp32 || (!bytes && why_not_.empty())) return std::nullopt;
  tell(counted::fp64_rate, *fp64 / seconds);
  tell(counted::fp32_rate, *fp32 / seconds);
  if (bytes) tell(counted::dram_rate, *bytes / seconds);
  if (now.total_seconds && before.total_seconds) {
    const double total = *now.total_seconds - *before.total_seconds;
    const double busy = *now.busy_seconds - *before.busy_seconds;
    // Of both hardware threads of a core: the most that it can have been at work.
    if (total > 0) tell(counted::cores_busy, std::clamp(busy / total, 0.0, 1.0));
  }
  Conditions changes;
  add_changes(before, now, watched_.processors.size(), changes);
  activity.conditions.power_w = changes.power_w;
  activity.conditions.throttled = changes.throttled;
  activity.conditions.temperature_c = package_temperature(root_);
  return activity;
}

}  // namespace kernels::cpu
