// What the counters of a CPU tell, over made-up files of Linux and a made-up kernel.
#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "kernels/counted.hpp"
#include "kernels/cpu/counters/activity.hpp"
#include "tests/kernels/folder.hpp"

using namespace kernels;
using namespace kernels::cpu;

namespace {

const ProcessorModel ice_lake{"GenuineIntel", 6, 0x6a};

/// Counts what the test says, for as long as it says.
struct Kernel {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> counts;  // by type, config
  double enabled = 1, running = 1;
  int refuses = 0;  // errno
  int opened = 0;

  OpenPerfGroup open() {
    return [this](std::span<const PerfEvent> events, int) -> std::unique_ptr<PerfGroup> {
      if (refuses != 0) throw std::system_error(refuses, std::generic_category());
      opened += static_cast<int>(events.size());
      return std::make_unique<Group>(*this, std::vector(events.begin(), events.end()));
    };
  }

  struct Group : PerfGroup {
    Group(Kernel& of, std::vector<PerfEvent> which) : kernel(of), events(std::move(which)) {}
    PerfCounts read() override {
      PerfCounts now{kernel.enabled, kernel.running, {}};
      for (const PerfEvent& event : events)
        now.counts.push_back(kernel.counts[{event.type, event.config}]);
      return now;
    }
    Kernel& kernel;
    std::vector<PerfEvent> events;
  };
};

constexpr std::uint32_t raw = 4, imc = 17;
std::pair<std::uint32_t, std::uint64_t> fp(unsigned mask) { return {raw, mask << 8 | 0xc7}; }
constexpr std::uint64_t reads = 0x304, writes = 0xc04;

/// A server with one memory controller, and two processors.
struct Server {
  Server() {
    const std::string sources = "sys/bus/event_source/devices/";
    write(sources + "cpu/type", "4");
    write(sources + "uncore_imc_0/type", std::to_string(imc));
    write(sources + "uncore_imc_0/cpumask", "0");
    write(sources + "uncore_imc_0/format/event", "config:0-7");
    write(sources + "uncore_imc_0/format/umask", "config:8-15");
    event("read", "event=0x04,umask=0x03");
    event("write", "event=0x04,umask=0x0c");
    write("sys/devices/system/cpu/online", "0-1");
    write("proc/sys/kernel/perf_event_paranoid", "2");
    stat(0, 0);
  }
  void event(const std::string& name, const std::string& terms) {
    const std::string file = "sys/bus/event_source/devices/uncore_imc_0/events/cas_count_" + name;
    write(file, terms);
    write(file + ".scale", "6.103515625e-5");
    write(file + ".unit", "MiB");
  }
  /// Ticks of 10 ms of both processors.
  void stat(int busy, int idle) {
    std::string text;
    for (const char* name : {"cpu0", "cpu1"})
      text += std::string(name) + " " + std::to_string(busy) + " 0 0 " + std::to_string(idle) +
              " 0 0 0 0\n";
    write("proc/stat", text);
  }
  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((folder.path() / file).parent_path());
    std::ofstream(folder.path() / file) << text << "\n";
  }
  std::unique_ptr<CpuActivity> reader(const ProcessorModel& model = ice_lake) {
    return std::make_unique<CpuActivity>(folder.path(), model, kernel.open());
  }
  std::string refusal(const ProcessorModel& model = ice_lake) {
    try {
      reader(model);
    } catch (const Unsupported& why) {
      return why.what();
    }
    return "";
  }

  Folder folder;
  Kernel kernel;
};

/// Reads until the window is long enough.
Activity window(ActivityReader& reader) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < end)
    if (const std::optional<Activity> activity = reader.read()) return *activity;
  FAIL("no window in 10 s");
  return {};
}

std::optional<double> value(const Activity& activity, std::string_view name) {
  for (const Value& one : activity.counted)
    if (one.name == name) return one.value;
  return std::nullopt;
}

}  // namespace

TEST_CASE("FLOP of both types, bytes of DRAM and busy cores are counted in SI units") {
  Server server;
  const auto reader = server.reader();
  CHECK(reader->why_not().empty());
  server.kernel.counts = {{fp(0x01), 100},      {fp(0x40), 1000000},  // 512 bit of doubles
                          {fp(0x20), 500},      {fp(0x80), 2000000},  // 256 and 512 bit of floats
                          {{imc, reads}, 3000}, {{imc, writes}, 1000}};
  server.kernel.enabled = server.kernel.running = 2;
  server.stat(75, 25);
  const Activity activity = window(*reader);
  const double per_second = 1 / activity.seconds;
  CHECK(activity.seconds >= 0.1);
  // Each of two processors.
  CHECK(value(activity, counted::fp64_rate).value_or(0) ==
        doctest::Approx(2 * 8000100.0 * per_second));
  CHECK(value(activity, counted::fp32_rate).value_or(0) ==
        doctest::Approx(2 * 32004000.0 * per_second));
  // A count is a line of 64 byte; the controller counts once for both.
  CHECK(value(activity, counted::dram_rate).value_or(0) == doctest::Approx(4000 * 64 * per_second));
  CHECK(value(activity, counted::cores_busy).value_or(0) == doctest::Approx(0.75));
}

TEST_CASE("counters that took turns stand for the time in which they did not count") {
  Server server;
  const auto reader = server.reader();
  server.kernel.counts = {{fp(0x40), 1000}};
  server.kernel.enabled = 2;
  server.kernel.running = 1.25;  // a quarter of the second that passed
  const Activity activity = window(*reader);
  CHECK(value(activity, counted::fp64_rate).value_or(0) ==
        doctest::Approx(2 * 8 * 4 * 1000.0 / activity.seconds));
  server.kernel.enabled = 3;  // no turn at all: such a window is left out
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::milliseconds(150);
  while (clock::now() < end) CHECK_FALSE(reader->read());
}

TEST_CASE("where memory controllers do not count, resctrl does, for all its groups") {
  Server server;
  std::filesystem::remove_all(server.folder.path() / "sys/bus/event_source/devices/uncore_imc_0");
  CHECK(server.reader()->why_not().find("/sys/fs/resctrl is not mounted") != std::string::npos);
  const std::string all = "sys/fs/resctrl/", domain = "mon_data/mon_L3_00/";
  server.write(all + domain + "mbm_total_bytes", "1000");
  server.write(all + "others/" + domain + "mbm_total_bytes", "500");
  const auto reader = server.reader();
  CHECK(reader->why_not().empty());
  server.kernel.enabled = server.kernel.running = 2;
  server.write(all + domain + "mbm_total_bytes", "1600");
  server.write(all + "others/" + domain + "mbm_total_bytes", "900");
  const Activity activity = window(*reader);
  CHECK(value(activity, counted::dram_rate).value_or(0) ==
        doctest::Approx(1000 / activity.seconds));
  // A group that goes takes its count along: that window is left out, the next one is whole again.
  std::filesystem::remove_all(server.folder.path() / "sys/fs/resctrl/others");
  server.kernel.enabled = server.kernel.running = 3;
  server.write(all + domain + "mbm_total_bytes", "1700");
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::milliseconds(150);
  while (clock::now() < end) CHECK_FALSE(reader->read());
}

TEST_CASE("what the kernel refuses is said with the setting that would allow it") {
  Server server;
  server.kernel.refuses = EACCES;
  CHECK(server.refusal().find("sysctl kernel.perf_event_paranoid=0 (it is 2)") !=
        std::string::npos);
  server.write("proc/sys/kernel/perf_event_paranoid", "-1");
  CHECK(server.refusal().find("CAP_PERFMON") != std::string::npos);
  server.kernel.refuses = EMFILE;
  CHECK(server.refusal().find("ulimit -n") != std::string::npos);
  server.kernel.refuses = ENOENT;
  CHECK(server.refusal().find("does not count FLOP here") != std::string::npos);
}

TEST_CASE("a CPU whose counters are not known, or that has none, is refused before any is opened") {
  Server server;
  CHECK(server.refusal({"AuthenticAMD", 25, 1}).find("Intel") != std::string::npos);
  CHECK(server.refusal({"GenuineIntel", 6, 0x3c}).find("Broadwell") != std::string::npos);
  std::filesystem::remove_all(server.folder.path() / "sys/bus/event_source/devices/cpu");
  CHECK(server.refusal().find("virtual") != std::string::npos);
  server.write("sys/bus/event_source/devices/cpu_core/type", "4");
  CHECK(server.refusal().find("two kinds of cores") != std::string::npos);
  CHECK(server.kernel.opened == 0);
}

TEST_CASE("an event in words that are not understood is not counted at all") {
  Server server;
  const auto folder = server.folder.path() / "sys/bus/event_source/devices/uncore_imc_0";
  CHECK(named_event(folder, "cas_count_read").event == PerfEvent{imc, reads});
  CHECK(named_event(folder, "cas_count_write").unit == doctest::Approx(64));
  CHECK(named_event(folder, "clockticks").processors.empty());
  server.event("read", "event=0x04,edge=1");
  CHECK(named_event(folder, "cas_count_read").processors.empty());
  server.write("sys/bus/event_source/devices/uncore_imc_0/format/umask", "config:8-15,32-55");
  CHECK(named_event(folder, "cas_count_write").event == PerfEvent{imc, writes});
  server.event("read", "event=0x04,umask=0x1cf");  // the upper bits lie apart
  CHECK(named_event(folder, "cas_count_read").event == PerfEvent{imc, 1ULL << 32 | 0xcf04});
  server.write("sys/bus/event_source/devices/uncore_imc_0/format/umask", "config1:8-15");
  CHECK(named_event(folder, "cas_count_write").processors.empty());
}
