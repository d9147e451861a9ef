// What happens around a measurement, read from machines made of files.
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

#include "kernels/cpu/machine/watch.hpp"

using namespace kernels;
using namespace kernels::cpu;

namespace {

namespace fs = std::filesystem;

/// A folder with the files of a machine, gone afterwards.
class Root {
 public:
  Root() : path_(fs::temp_directory_path() / ("ridgepoint_watch_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Root() { fs::remove_all(path_); }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  const fs::path& path() const { return path_; }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
  }

 private:
  fs::path path_;
};

const std::vector<int> two{0, 2};

/// Readings with the process's own time and the moment chosen by the test.
Readings readings(const Root& root, double seconds, double own) {
  Readings now = readings_of(root.path(), {.processors = two});
  now.when = std::chrono::steady_clock::time_point(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(seconds)));
  now.own_seconds = own;
  return now;
}

Conditions between(const Readings& before, const Readings& after) {
  Conditions conditions;
  add_changes(before, after, two.size(), conditions);
  return conditions;
}

constexpr const char* package = "sys/class/powercap/intel-rapl:0/";
constexpr const char* core = "sys/class/powercap/intel-rapl:0:0/";

}  // namespace

TEST_CASE("what the hypervisor and other processes took is a share of our processors' time") {
  const Root root;
  // user nice system idle iowait irq softirq steal guest: 100 ticks a second
  root.write("proc/stat",
             "cpu  9 9 9 9 9 9 9 9 9 9\n"
             "cpu0 100 0 50 1000 0 0 0 10 0 0\n"
             "cpu1 0 0 0 0 0 0 0 0 0 0\n"
             "cpu2 200 0 50 2000 5 0 0 10 0 0\n"
             "intr 5\n");
  const Readings before = readings(root, 0, 1);
  root.write("proc/stat",
             "cpu0 180 0 50 1000 0 0 0 30 0 0\n"
             "cpu1 900 0 0 0 0 0 0 100 0 0\n"
             "cpu2 280 5 55 2005 5 3 2 10 0 0\n");
  // 200 ticks: 20 stolen, 175 in use, of them 1.25 s ours and 2 uncertain.
  const Conditions now = between(before, readings(root, 1, 2.25));
  CHECK(now.stolen.value_or(-1) == doctest::Approx(0.10));
  CHECK(now.other_load.value_or(-1) == doctest::Approx(0.24));
  // All of it ours: nobody else's.
  CHECK(between(before, readings(root, 1, 3)).other_load.value_or(-1) == 0);
}

TEST_CASE("nothing is said of times too short for the system's clock") {
  const Root root;
  root.write("proc/stat", "cpu0 1 0 0 0 0 0 0 0\ncpu2 1 0 0 0 0 0 0 0\n");
  const Readings before = readings(root, 0, 0);
  root.write("proc/stat", "cpu0 5 0 0 0 0 0 0 4\ncpu2 5 0 0 0 0 0 0 0\n");
  const Conditions now = between(before, readings(root, 0.04, 0));
  CHECK_FALSE(now.stolen);
  CHECK_FALSE(now.other_load);
}

TEST_CASE("what our threads missed is told of any time, however short, and at any length") {
  const Root root;
  Readings before = readings(root, 0, 0);
  Readings after = readings(root, 0.005, 0);
  before.missed_seconds = 3;
  after.missed_seconds = 3.001;
  const Conditions now = between(before, after);
  CHECK_FALSE(now.stolen);
  CHECK(now.other_load.value_or(-1) == doctest::Approx(0.1));
  CHECK_FALSE(between(before, before).other_load);
}

TEST_CASE("what the hypervisor stole of our threads is not counted as others' load again") {
  const Root root;
  root.write("proc/stat", "cpu0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0\n");
  Readings before = readings(root, 0, 0);
  root.write("proc/stat", "cpu0 80 0 0 0 0 0 0 20\ncpu2 80 0 0 0 0 0 0 20\n");
  Readings after = readings(root, 1, 1.6);
  before.missed_seconds = 0;
  after.missed_seconds = 0.5;
  const Conditions now = between(before, after);
  CHECK(now.stolen.value_or(-1) == doctest::Approx(0.2));
  CHECK(now.other_load.value_or(-1) == doctest::Approx(0.05));
}

TEST_CASE("who runs beside our threads on the same cores is others' load") {
  const Root root;
  const WatchedProcessors watched{.processors = {0}, .siblings = {1}};
  root.write("proc/stat", "cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n");
  Readings before = readings_of(root.path(), watched);
  root.write("proc/stat", "cpu0 100 0 0 0 0 0 0 0\ncpu1 51 0 0 49 0 0 0 0\n");
  Readings after = readings_of(root.path(), watched);
  before.own_seconds = 0;
  after.own_seconds = 1;
  Conditions now;
  add_changes(before, after, 1, now);
  CHECK(now.other_load.value_or(-1) == doctest::Approx(0.5));
}

TEST_CASE("the power of all packages is their energy over the time, also when a counter restarts") {
  const Root root;
  root.write(std::string(package) + "name", "package-0\n");
  root.write(std::string(package) + "max_energy_range_uj", "1000000000\n");
  root.write(std::string(package) + "energy_uj", "990000000\n");
  root.write(std::string(core) + "name", "core\n");
  root.write(std::string(core) + "energy_uj", "0\n");
  root.write("sys/class/powercap/intel-rapl:1/name", "package-1\n");
  root.write("sys/class/powercap/intel-rapl:1/energy_uj", "5000000\n");
  const Readings before = readings(root, 10, 0);
  root.write(std::string(package) + "energy_uj", "50000000\n");
  root.write(std::string(core) + "energy_uj", "30000000\n");
  root.write("sys/class/powercap/intel-rapl:1/energy_uj", "45000000\n");
  const Conditions now = between(before, readings(root, 10.5, 0));
  CHECK(now.power_w.value_or(0) == doctest::Approx((60 + 40) / 0.5));
  CHECK_FALSE(between(before, before).power_w);
}

TEST_CASE("heat that slowed a core down in between is told, and only that in between") {
  const Root root;
  const std::string folder = "sys/devices/system/cpu/cpu2/thermal_throttle/";
  CHECK_FALSE(between(readings(root, 0, 0), readings(root, 1, 0)).throttled);
  root.write(folder + "core_throttle_count", "7\n");
  const Readings before = readings(root, 0, 0);
  CHECK(between(before, readings(root, 1, 0)).throttled == false);
  root.write(folder + "core_throttle_count", "8\n");
  CHECK(between(before, readings(root, 2, 0)).throttled == true);
}

TEST_CASE("files that are missing, empty or nonsense leave conditions out and throw nothing") {
  const Root root;
  for (const char* text :
       {"", "cpu0\ncpu2\n", "cpu0 a b c\ncpu2 1 2 3\n", "cpu0 1 2 3 4 5 6 7 8\n", "\0\xff\n"}) {
    root.write("proc/stat", text);
    root.write(std::string(package) + "name", "package-0\n");
    root.write(std::string(package) + "energy_uj", "many\n");
    fs::create_directories(root.path() / "sys/class/powercap/intel-rapl:1/energy_uj");
    root.write("sys/class/powercap/intel-rapl:1/name", "package-1\n");
    root.write("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "-3\n");
    const Readings before = readings(root, 0, 0);
    const Conditions now = between(before, readings(root, 1, 0));
    CHECK_FALSE(now.stolen);
    CHECK_FALSE(now.other_load);
    CHECK_FALSE(now.power_w);
    CHECK_FALSE(now.throttled);
  }
  CHECK_FALSE(readings_of("/nowhere", {.processors = two}).total_seconds);
}

TEST_CASE("a counter that runs backwards is no power and no load") {
  const Root root;
  root.write("proc/stat", "cpu0 500 0 0 500 0 0 0 90\ncpu2 500 0 0 500 0 0 0 90\n");
  root.write(std::string(package) + "name", "package-0\n");
  root.write(std::string(package) + "energy_uj", "990000000\n");
  const Readings before = readings(root, 0, 0);
  root.write("proc/stat", "cpu0 700 0 0 700 0 0 0 80\ncpu2 700 0 0 700 0 0 0 80\n");
  root.write(std::string(package) + "energy_uj", "5\n");
  const Conditions now = between(before, readings(root, 1, 9));
  CHECK(now.stolen.value_or(-1) == 0);
  CHECK(now.other_load.value_or(-1) == 0);
  CHECK_FALSE(now.power_w);
}

TEST_CASE("what a quota of the control group took is not blamed on others") {
  const Root root;
  root.write("proc/self/cgroup", "0::/app\n");
  root.write("sys/fs/cgroup/app/cpu.max", "50000 100000\n");
  root.write("sys/fs/cgroup/app/cpu.stat", "throttled_usec 1000000\n");
  Readings before = readings(root, 0, 0);
  root.write("sys/fs/cgroup/app/cpu.stat", "throttled_usec 1800000\n");
  Readings after = readings(root, 1, 1);
  before.missed_seconds = 0;
  after.missed_seconds = 1;  // of two processors
  Conditions conditions = between(before, after);
  CHECK(conditions.quota.value_or(0) == doctest::Approx(0.4));
  CHECK(conditions.other_load.value_or(0) == doctest::Approx(0.1));
  after.missed_seconds = 0.5;  // the group waits for longer than our threads wanted to run
  conditions = between(before, after);
  CHECK(conditions.quota.value_or(0) == doctest::Approx(0.25));
  CHECK(conditions.other_load.value_or(0) == doctest::Approx(0));
}
