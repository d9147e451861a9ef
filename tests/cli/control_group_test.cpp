// The program in real control groups of version 1, where this machine lets a test make them;
// without, each test says why it was skipped.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "program.hpp"

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr double mebibyte = 1024.0 * 1024;

/// A group of its own below the top of a controller; none where it cannot be made.
class Group {
 public:
  Group(const char* controller, const std::vector<std::pair<const char*, std::string>>& limits)
      : path_(fs::path("/sys/fs/cgroup") / controller /
              ("ridgepoint-test-" + std::to_string(getpid()))) {
    std::error_code error;
    made_ = fs::create_directory(path_, error);
    for (const auto& [file, value] : limits) made_ = made_ && put(file, value);
    if (!made_)
      std::printf("skipped: no control group can be made below /sys/fs/cgroup/%s\n", controller);
  }
  ~Group() {
    // The kernel counts processes that have just ended a moment longer.
    for (int tries = 0; rmdir(path_.c_str()) != 0 && errno == EBUSY && tries < 1000; ++tries)
      usleep(1000);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  bool made() const { return made_; }
  Ended run_in(
      std::vector<std::string> arguments, const std::function<void()>& first = [] {}) const {
    return run(Launch{.arguments = std::move(arguments), .before_exec = [&] {
                        if (!put("cgroup.procs", "0")) _exit(99);
                        first();
                      }});
  }

 private:
  bool put(const char* file, const std::string& value) const {
    const int out = open((path_ / file).c_str(), O_WRONLY | O_CLOEXEC);
    const bool done =
        out >= 0 && write(out, value.data(), value.size()) == static_cast<ssize_t>(value.size());
    if (out >= 0) close(out);
    return done;
  }

  fs::path path_;
  bool made_ = false;
};

bool is_in_memory(const fs::path& folder) {
  struct statfs found {};
  return statfs(folder.c_str(), &found) == 0 && found.f_type == TMPFS_MAGIC;
}

}  // namespace

TEST_CASE("page cache that fills a control group is free memory") {
  const TemporaryFolder folder;
  if (is_in_memory(folder.path())) {
    std::printf("skipped: files in %s are no page cache\n", folder.path().c_str());
    return;
  }
  const Group group("memory", {{"memory.limit_in_bytes", std::to_string(256 * 1024 * 1024)}});
  if (!group.made()) return;
  const auto fill = [&] {
    const int file = open((folder / "large").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    const std::vector<char> some(1024 * 1024);
    for (int i = 0; i < 300; ++i)
      if (write(file, some.data(), some.size()) != static_cast<ssize_t>(some.size())) _exit(98);
    fsync(file);  // what is not written yet cannot be given back
    close(file);
  };
  const Ended listed = group.run_in({"devices", "--json"}, fill);
  CHECK_MESSAGE(listed.code == 0, listed.err);
  const json devices = json::parse(listed.out);
  const json& cpu = devices.at("devices").back();
  CHECK(cpu.at("memory_bytes") == 256 * mebibyte);
  CHECK(cpu.at("free_bytes").get<double>() > 100 * mebibyte);
}

TEST_CASE("a processor quota is named, and what it took is recorded") {
  const Group group("cpu", {{"cpu.cfs_period_us", "100000"}, {"cpu.cfs_quota_us", "30000"}});
  if (!group.made()) return;
  const TemporaryFolder folder;
  const Ended swept = group.run_in({"sweep", "--device", "cpu", "--elements", "64Ki", "--repeat",
                                    "64", "--max-time", "1s", "-o", folder / "a.json"});
  CHECK_MESSAGE(swept.code == 0, swept.err);
  const json session = json::parse(read_file(folder / "a.json"));
  const std::string partition = session.at("device").at("partition");
  CHECK(partition.ends_with("control group: 0.3 processors"));
  // How much it took depends on where visits lie between two throttled times.
  CHECK(session.at("points").at(0).at("conditions").at("quota").is_number());
}
