// Machines made of files: what /proc and /sys say elsewhere.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <limits>

#include "kernels/cpu/machine/machine.hpp"
#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/machine/topology.hpp"
#include "kernels/device.hpp"

using namespace kernels::cpu;

namespace {

namespace fs = std::filesystem;

/// A root folder that goes away with it.
class FakeRoot {
 public:
  FakeRoot() {
    std::string name = (fs::temp_directory_path() / "ridgepoint-root-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~FakeRoot() { fs::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  const fs::path& path() const { return path_; }
  FakeRoot& with(const fs::path& file, const std::string& text) {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
    return *this;
  }

 private:
  fs::path path_;
};

constexpr double gibibyte = 0x1p30;

void add_cache(FakeRoot& root, int processor, int index, const std::string& level,
               const std::string& type, const std::string& size, const std::string& sharers) {
  const fs::path folder = "sys/devices/system/cpu/cpu" + std::to_string(processor) +
                          "/cache/index" + std::to_string(index);
  root.with(folder / "level", level).with(folder / "type", type).with(folder / "size", size);
  root.with(folder / "shared_cpu_list", sharers);
}

}  // namespace

TEST_CASE("Arm cores tell who made them and which part they are, where all are alike") {
  const auto midr = [](int processor) {
    return fs::path("sys/devices/system/cpu/cpu" + std::to_string(processor) +
                    "/regs/identification/midr_el1");
  };
  FakeRoot root;
  CHECK(arm_model(root.path(), {0, 1}) == ProcessorModel{});
  root.with(midr(0), "0x00000000413fd0c1\n");
  CHECK(arm_model(root.path(), {0, 1}) == ProcessorModel{});
  root.with(midr(1), "0x00000000410fd0c0\n");  // another revision
  CHECK(arm_model(root.path(), {0, 1}) == ProcessorModel{"Arm", 0x41, 0xd0c});
  root.with(midr(1), "0x00000000411fd050\n");  // a little core
  CHECK(arm_model(root.path(), {0, 1}) == ProcessorModel{});
  CHECK(arm_model(root.path(), {0}) == ProcessorModel{"Arm", 0x41, 0xd0c});
  CHECK(arm_model(root.path(), {}) == ProcessorModel{});
}

TEST_CASE("an affinity mask grows until the system takes it") {
  std::vector<std::size_t> asked;
  const auto mask = affinity_mask([&](std::size_t bytes, cpu_set_t* set) {
    asked.push_back(bytes);
    if (bytes < 512) return false;  // 4096 processors
    CPU_SET(5, set);
    return true;
  });
  CHECK(asked == std::vector<std::size_t>{128, 256, 512});
  REQUIRE(mask.size() == 4);
  CHECK(CPU_ISSET(5, &mask[0]));
  CHECK(affinity_mask([](std::size_t, cpu_set_t*) { return false; }).empty());
}

TEST_CASE("only a virtual machine may take half a gibibyte for DRAM below its cache's size") {
  constexpr double mib = 1024 * 1024;
  CHECK(cache_borders(384 * mib, false, 2).in_dram == 4 * 384 * mib);
  CHECK(cache_borders(384 * mib, true, 2).in_dram == 512 * mib);
  CHECK(cache_borders(1024 * mib, false, 2).beyond_caches == 1024 * mib);
  CHECK(cache_borders(1024 * mib, true, 2).beyond_caches == 512 * mib);
  CHECK(cache_borders(16 * mib, true, 2).in_dram == 64 * mib);
  // A virtual machine of 96 cores may have all of the L3s of its host.
  CHECK(cache_borders(768 * mib, true, 96).in_dram == 4 * 768 * mib);
  CHECK(cache_borders(768 * mib, true, 96).beyond_caches == 768 * mib);
  Machine machine("/nowhere", {allowed_processors().front()}, cache_borders(8 * mib, true, 1));
  CHECK_FALSE(machine.beyond_caches(8 * mib));
  CHECK(machine.beyond_caches(9 * mib));
  CHECK_FALSE(machine.in_dram(31 * mib));
  CHECK(machine.in_dram(32 * mib));
  CHECK(cache_borders(0, false, 1).beyond_caches == 32 * mib);
}

TEST_CASE("lists of processors are read as the kernel writes them") {
  CHECK(parse_cpu_list("0-3,8") == std::vector<int>{0, 1, 2, 3, 8});
  CHECK(parse_cpu_list("5") == std::vector<int>{5});
  CHECK(parse_cpu_list("").empty());
  CHECK(parse_cpu_list("x").empty());
  CHECK(parse_cpu_list("1,3-2") == std::vector<int>{1});
  CHECK(parse_cpu_list("0-99999999999").empty());
}

TEST_CASE("of two hardware threads on a core one gets a worker") {
  FakeRoot root;
  for (int i = 0; i < 4; ++i) {
    root.with("sys/devices/system/cpu/cpu" + std::to_string(i) + "/topology/thread_siblings_list",
              i % 2 == 0 ? "0,2" : "1,3");
  }
  CHECK(one_per_core(root.path(), {0, 1, 2, 3}) == std::vector<int>{0, 1});
  CHECK(one_per_core(root.path(), {2, 3}) == std::vector<int>{2, 3});
  CHECK(one_per_core("/nowhere", {0, 1}) == std::vector<int>{0, 1});
  CHECK(siblings_of(root.path(), {0, 1}) == std::vector<int>{2, 3});
  CHECK(siblings_of(root.path(), {2}) == std::vector<int>{0});
  CHECK(siblings_of("/nowhere", {0, 1}).empty());
}

TEST_CASE("caches are those of one core, and every last-level cache that the cores reach") {
  FakeRoot root;
  for (int i = 0; i < 4; ++i) {
    add_cache(root, i, 0, "1", "Data", "48K", std::to_string(i));
    add_cache(root, i, 1, "1", "Instruction", "64K", std::to_string(i));
    add_cache(root, i, 2, "2", "Unified", "2048K", std::to_string(i));
    add_cache(root, i, 3, "3", "Unified", "32M", i < 2 ? "0-1" : "2-3");
  }
  const Caches all = caches_of(root.path(), {0, 1, 2, 3});
  CHECK(all.l1_bytes == 48 * 1024);
  CHECK(all.l2_bytes == 2 * 0x1p20);
  CHECK(all.l3_bytes == 64 * 0x1p20);
  CHECK(caches_of(root.path(), {0, 1}).l3_bytes == 32 * 0x1p20);
  CHECK(caches_of("/nowhere", {0}).l3_bytes == 0);
}

TEST_CASE("cores that share a cache have it once") {
  FakeRoot root;  // as an Intel N100 without its L3
  for (int i = 0; i < 4; ++i) {
    add_cache(root, i, 0, "1", "Data", "32K", std::to_string(i));
    add_cache(root, i, 1, "2", "Unified", "2048K", "0-3");
  }
  const Caches four = caches_of(root.path(), {0, 1, 2, 3});
  CHECK(four.l1_bytes == 32 * 1024);
  CHECK(four.l2_bytes == 512 * 1024);
  CHECK(caches_of(root.path(), {0}).l2_bytes == 2 * 0x1p20);
  kernels::DeviceInfo info;
  info.kind = "cpu";
  info.multiprocessors = 4;
  info.l2_bytes = four.l2_bytes;
  CHECK(info.last_level_cache() == 2 * 0x1p20);
}

TEST_CASE("without an L3 the last-level cache is that of all cores together") {
  kernels::DeviceInfo info;
  info.kind = "cpu";
  info.multiprocessors = 4;
  info.l2_bytes = 0x1p20;
  CHECK(info.last_level_cache() == 4 * 0x1p20);
  CHECK(kernels::dram_working_set(info) == 16 * 0x1p20);
  info.l3_bytes = 6 * 0x1p20;
  CHECK(info.last_level_cache() == 10 * 0x1p20);  // and what it took over from the L2s
  kernels::DeviceInfo gpu;
  gpu.kind = "cuda";
  gpu.multiprocessors = 132;
  gpu.l2_bytes = 50 * 0x1p20;
  CHECK(gpu.last_level_cache() == 50 * 0x1p20);
}

TEST_CASE("files and folders that cannot be reached are as if they were not there") {
  FakeRoot root;
  const fs::path processor = root.path() / "sys/devices/system/cpu/cpu0";
  fs::create_directories(processor);
  fs::create_symlink("cache", processor / "cache");  // for ever: every access to it is an error
  CHECK(caches_of(root.path(), {0}).l1_bytes == 0);
  CHECK(entries_of(processor / "cache").empty());
  CHECK(entries_of(root.with("file", "text").path() / "file").empty());
  CHECK(entries_of(root.path()).size() == 2);
}

TEST_CASE("a control group of version 2 limits processor time, whichever ancestor sets it") {
  FakeRoot root;
  root.with("proc/self/cgroup", "0::/user/app\n");
  CHECK_FALSE(cpu_quota(root.path()));
  root.with("sys/fs/cgroup/user/app/cpu.max", "max 100000\n");
  CHECK_FALSE(cpu_quota(root.path()));
  root.with("sys/fs/cgroup/user/cpu.max", "250000 100000\n");
  CHECK(cpu_quota(root.path()) == 2.5);
  root.with("sys/fs/cgroup/user/cpu.stat",
            "usage_usec 9\nnr_throttled 2\nthrottled_usec 1500000\n");
  CHECK(seconds_over_quota(root.path()) == doctest::Approx(1.5));
}

TEST_CASE("a control group of version 1 limits processor time") {
  FakeRoot root;
  root.with("proc/self/cgroup", "4:memory:/box\n2:cpu,cpuacct:/box\n");
  root.with("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "-1\n");
  root.with("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
  root.with("sys/fs/cgroup/cpu/box/cpu.stat", "nr_throttled 2\nthrottled_time 2500000000\n");
  CHECK_FALSE(cpu_quota(root.path()));
  CHECK_FALSE(seconds_over_quota(root.path()));
  root.with("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "150000\n");
  CHECK(cpu_quota(root.path()) == 1.5);
  CHECK(seconds_over_quota(root.path()) == doctest::Approx(2.5));
}

TEST_CASE("free memory is what the system has, or what is left of a limit") {
  FakeRoot root;
  root.with("proc/meminfo", "MemTotal:       8388608 kB\nMemAvailable:   4194304 kB\n");
  CHECK(available_memory(root.path()) == 4 * gibibyte);
  CHECK(total_memory(root.path()) == 8 * gibibyte);
  root.with("proc/self/cgroup", "0::/app\n");
  root.with("sys/fs/cgroup/app/memory.max", "max\n");
  CHECK(available_memory(root.path()) == 4 * gibibyte);
  root.with("sys/fs/cgroup/app/memory.max", "3221225472\n");
  root.with("sys/fs/cgroup/app/memory.current", "1073741824\n");
  CHECK(available_memory(root.path()) == 2 * gibibyte);
  CHECK(total_memory(root.path()) == 3 * gibibyte);
}

TEST_CASE("groups are where their hierarchies are mounted, and memory.high is a limit, too") {
  FakeRoot root;
  root.with("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 12000000 kB\n");
  root.with("proc/self/cgroup", "4:memory:/docker/a/job\n3:cpu,cpuacct:/docker/a/job\n0::/init\n");
  // Both versions at once, and what a container sees of version 1.
  root.with("proc/self/mountinfo",
            "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
            "35 31 0:32 /docker/a /groups/memory rw,relatime shared:9 - cgroup none rw,memory\n"
            "36 31 0:33 /docker/b /groups/cpu rw - cgroup none rw,cpu,cpuacct\n"
            "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n");
  CHECK(available_memory(root.path()) == 12000000 * 1024.0);
  root.with("sys/fs/cgroup/unified/init/memory.max", "max\n");
  root.with("sys/fs/cgroup/unified/init/memory.high", "3221225472\n");
  root.with("sys/fs/cgroup/unified/init/memory.current", "1073741824\n");
  CHECK(available_memory(root.path()) == 2147483648.0);
  root.with("groups/memory/job/memory.limit_in_bytes", "1073741824\n");
  CHECK(available_memory(root.path()) == 1073741824.0);
  // Its own group is not mounted: the top of what is counts.
  root.with("groups/cpu/job/cpu.cfs_quota_us", "50000\n");
  root.with("groups/cpu/job/cpu.cfs_period_us", "100000\n");
  CHECK_FALSE(cpu_quota(root.path()));
  root.with("groups/cpu/cpu.cfs_quota_us", "50000\n")
      .with("groups/cpu/cpu.cfs_period_us", "100000\n");
  CHECK(cpu_quota(root.path()) == 0.5);
}

TEST_CASE("the page cache of a control group is memory that Linux gives back") {
  constexpr const char* stat =
      "cache 1063256064\nanon 1048576\ninactive_file 536870912\nactive_file 268435456\n"
      "total_inactive_file 805306368\ntotal_active_file 134217728\n";
  for (const bool second : {true, false}) {
    CAPTURE(second);
    FakeRoot root;
    root.with("proc/meminfo", "MemTotal:       8388608 kB\nMemAvailable:   4194304 kB\n");
    root.with("proc/self/cgroup", second ? "0::/user/app\n" : "4:memory:/user/app\n");
    const std::string user = second ? "sys/fs/cgroup/user/" : "sys/fs/cgroup/memory/user/";
    const std::string limit = second ? "memory.max" : "memory.limit_in_bytes";
    const std::string usage = second ? "memory.current" : "memory.usage_in_bytes";
    root.with(user + "app/" + limit, "1073741824\n");
    root.with(user + "app/" + usage, "1073741824\n");
    CHECK(available_memory(root.path()) == 0);
    root.with(user + "app/memory.stat", stat);
    CHECK(available_memory(root.path()) == (second ? 0.75 : 0.875) * gibibyte);
    // Another group above it whose own files leave less.
    root.with(user + limit, "1073741824\n");
    root.with(user + usage, "1073741824\n");
    root.with(user + "memory.stat", "inactive_file 268435456\ntotal_inactive_file 268435456\n");
    CHECK(available_memory(root.path()) == 0.25 * gibibyte);
  }
}

TEST_CASE("free memory is what the limits on this process leave of what it has not mapped yet") {
  FakeRoot root;
  root.with("proc/self/status", "Name:\tx\nVmSize:\t 1048576 kB\nVmData:\t  524288 kB\n");
  constexpr double none = std::numeric_limits<double>::infinity();
  constexpr double reserve = gibibyte / 32;
  CHECK(unmapped_memory(root.path(), none, none) == none);
  CHECK(unmapped_memory(root.path(), 3 * gibibyte, none) == 2 * gibibyte - reserve);
  CHECK(unmapped_memory(root.path(), 3 * gibibyte, gibibyte) == 0.5 * gibibyte - reserve);
  CHECK(unmapped_memory(root.path(), gibibyte, none) == 0);
}

TEST_CASE("inside a container of version 1 the limit lies at the top of the tree") {
  FakeRoot root;
  root.with("proc/meminfo", "MemTotal:       8388608 kB\nMemAvailable:   4194304 kB\n");
  root.with("proc/self/cgroup", "4:memory:/docker/0123\n");
  root.with("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  root.with("sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n");
  CHECK(available_memory(root.path()) == 0);
}

TEST_CASE("the processor's name and temperature are read where there are any") {
  FakeRoot root;
  root.with("proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 9654 \n");
  CHECK(processor_name(root.path()) == "AMD EPYC 9654");
  CHECK_FALSE(processor_name("/nowhere").empty());
  CHECK_FALSE(package_temperature(root.path()));
  root.with("sys/class/hwmon/hwmon0/name", "nvme\n")
      .with("sys/class/hwmon/hwmon0/temp1_input", "1\n");
  root.with("sys/class/hwmon/hwmon1/name", "k10temp\n");
  root.with("sys/class/hwmon/hwmon1/temp1_input", "54250\n");
  CHECK(package_temperature(root.path()) == 54.25);
}

TEST_CASE("a battery that is being discharged is told from one that charges, and from a mouse's") {
  FakeRoot root;
  CHECK_FALSE(on_battery(root.path()));
  const std::string battery = "sys/class/power_supply/BAT0/";
  root.with(battery + "type", "Battery\n").with(battery + "status", "Charging\n");
  const std::string mouse = "sys/class/power_supply/hidpp_battery_0/";
  root.with(mouse + "type", "Battery\n").with(mouse + "status", "Discharging\n");
  root.with(mouse + "scope", "Device\n");
  CHECK_FALSE(on_battery(root.path()));
  root.with(battery + "status", "Discharging\n");
  CHECK(on_battery(root.path()));
}

TEST_CASE("slow cores are those clearly below the fastest, by capacity or by top clock") {
  const auto slow_of = [](const char* file, const std::vector<std::string>& speeds) {
    FakeRoot root;
    std::vector<int> processors;
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      root.with(fmt::format("sys/devices/system/cpu/cpu{}/{}", i, file), speeds[i] + "\n");
      processors.push_back(static_cast<int>(i));
    }
    return slow_cores(root.path(), processors);
  };
  CHECK(slow_of("cpu_capacity", {"1024", "1024", "446", "446"}) == 2);
  CHECK(slow_of("cpufreq/cpuinfo_max_freq", {"5100000", "5100000", "3800000"}) == 1);
  // Favoured cores of a processor whose cores are alike.
  CHECK(slow_of("cpufreq/cpuinfo_max_freq", {"5880000", "5880000", "5462000"}) == 0);
  CHECK(slow_of("cpufreq/cpuinfo_max_freq", {"5100000", ""}) == 0);
  CHECK(slow_of("none", {"1", "2"}) == 0);
}

TEST_CASE("memory nodes are those of the processors that are used") {
  FakeRoot root;
  CHECK(memory_nodes(root.path(), {0, 1}) == std::vector{0});
  for (const int processor : {0, 1, 2})
    root.with(fmt::format("sys/devices/system/cpu/cpu{}/node{}/cpulist", processor, processor / 2),
              "");
  CHECK(memory_nodes(root.path(), {0, 1}) == std::vector{0});
  CHECK(memory_nodes(root.path(), {0, 2}) == std::vector{0, 1});
  CHECK(memory_nodes(root.path(), {2, 1}) == std::vector{1, 0});
}

TEST_CASE("on several memory nodes inputs are placed anew when the shares of the threads change") {
  FakeRoot root;
  const int processor = allowed_processors().front();
  const kernels::Case what{.elements = 4096};
  for (const int nodes : {1, 2}) {
    root.with(fmt::format("sys/devices/system/cpu/cpu{}/node{}/cpulist", processor, nodes), "");
    root.with("proc/meminfo", "MemAvailable: 1048576 kB\n");
    Machine machine(root.path(), {processor}, cache_borders(8 * 0x1p20, false, 1));
    const std::uint64_t seed = machine.input(Slot::first, what, 4096, {});
    CHECK(machine.input(Slot::first, what, 4096, {}) == seed);
    CHECK((machine.input(Slot::first, what, 2048, {}) == seed) == (nodes == 1));
  }
}
