// The program on processors that lack instruction sets, emulated by qemu-user: what it runs before it asked the
// processor, and what it compiles, must run on every one.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.hpp"

namespace {

using nlohmann::json;

constexpr const char* qemu = "/usr/bin/qemu-x86_64";

#ifdef __SANITIZE_ADDRESS__
constexpr bool is_emulated = false;  // its shadow memory does not fit beside that of qemu
#elif defined(__SANITIZE_THREAD__)
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

/// The program with `arguments` on a processor that qemu calls `model`.
Ended run_on(const std::string& model, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"-cpu", model, real_program()});
  return run(Launch{.arguments = std::move(arguments), .program = qemu});
}

struct Level {
  const char *model, *kernels;
};
// x86-64-v2, v2 with AVX, v3. qemu 7.2 emulates no AVX-512.
constexpr Level levels[] = {{"Nehalem", "baseline"}, {"SandyBridge", "baseline"}, {"Haswell", "AVX2+FMA"}};

}  // namespace

TEST_CASE("the program lists devices and measures on processors of each level") {
  if (!can_emulate()) return;
  for (const auto& [model, kernels] : levels) {
    CAPTURE(model);
    const Ended listed = run_on(model, {"devices"});
    CHECK_MESSAGE(listed.code == 0, listed.signal, listed.err);
    const TemporaryFolder folder;
    const Ended swept = run_on(model, {"sweep", "--device", "cpu", "--elements", "4Ki", "--repeat", "1,8",
                                       "--fusion", "both", "--time", "3s", "-o", folder / "a.json"});
    CHECK_MESSAGE(swept.code == 0, swept.signal, swept.err);
    const json session = json::parse(read_file(folder / "a.json"));
    for (const json& point : session.at("points")) {
      CAPTURE(point.dump());
      CHECK(point.at("status") == "ok");
      CHECK(point.at("checked") == true);
      CHECK(point.at("note").get<std::string>().starts_with(kernels));
    }
  }
}
