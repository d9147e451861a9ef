// The program on processors that lack instruction sets, emulated by qemu-user: what it runs before
// it asked the processor, and what it compiles, must run on every one.
#include <doctest/doctest.h>
#include <sched.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"

namespace {

using nlohmann::json;

constexpr const char* qemu = "/usr/bin/qemu-x86_64";

#ifdef RIDGEPOINT_ASAN
constexpr bool is_emulated = false;  // its shadow memory does not fit beside that of qemu
#elif defined(RIDGEPOINT_TSAN)
constexpr bool is_emulated = false;
#elif defined(__x86_64__)
constexpr bool is_emulated = true;
#else
constexpr bool is_emulated = false;
#endif

bool can_emulate() {
  if (is_emulated && std::filesystem::exists(qemu)) return true;
  MESSAGE("skipped: ", is_emulated ? "qemu-x86_64 is not installed (Debian: qemu-user)"
                                   : "this build does not run in qemu-x86_64");
  return false;
}

/// The program with `arguments` on a processor that qemu calls `model`: one of them, because
/// threads that wait for each other take many times as long there.
Ended run_on(const std::string& model, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"-cpu", model, real_program()});
  return run(Launch{.arguments = std::move(arguments),
                    .before_exec =
                        [] {
                          cpu_set_t one;
                          CPU_ZERO(&one);
                          CPU_SET(sched_getcpu(), &one);
                          sched_setaffinity(0, sizeof one, &one);
                        },
                    .program = qemu});
}

}  // namespace

// x86-64-v2, v2 with AVX, v3. qemu 7.2 emulates no AVX-512.
TEST_CASE("the program lists devices on processors of each level") {
  if (!can_emulate()) return;
  for (const char* model : {"Nehalem", "SandyBridge", "Haswell"}) {
    CAPTURE(model);
    const Ended listed = run_on(model, {"devices"});
    CHECK_MESSAGE(listed.code == 0, listed.signal, listed.err);
  }
}

TEST_CASE("the program measures with what a processor has") {
  if (!can_emulate()) return;
  const std::pair<const char*, const char*> levels[] = {{"Nehalem", "baseline"},
                                                        {"Haswell", "AVX2+FMA"}};
  for (const auto& [model, kernels] : levels) {
    CAPTURE(model);
    const TemporaryFolder folder;
    const Ended swept = run_on(model, {"sweep", "--device", "cpu", "--elements", "4Ki", "--repeat",
                                       "1,8", "--time", "1s", "-o", folder / "a.json"});
    CHECK_MESSAGE(swept.code == 0, swept.signal, swept.err);
    const json session = json::parse(read_file(folder / "a.json"));
    REQUIRE(session.at("points").size() == 2);
    for (const json& point : session.at("points")) {
      CAPTURE(point.dump());
      CHECK(point.at("status") == "ok");
      CHECK(point.at("checked") == true);
      CHECK(point.at("note").get<std::string>().starts_with(kernels));
    }
  }
}
