#include <doctest/doctest.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "program.hpp"

using nlohmann::json;

TEST_CASE("devices names the CPU, its facts, and what each kernel can run or why not") {
  const Ended ended = run({"devices"});
  CHECK(ended.code == 0);
  CHECK(ended.err == "");
  CHECK(ended.out.find("cpu (cpu): ") != std::string::npos);
  for (const char* word :
       {"cores", "GHz", "L2 ", "memory ", "instruction sets ", "chain", "tile", "fp64", "int8"}) {
    CHECK_MESSAGE(ended.out.find(word) != std::string::npos, word);
  }
}

TEST_CASE("devices --json names the folder of the datasheets, or null when it is nowhere") {
  const json found = json::parse(run({"devices", "--json"}).out);
  const std::filesystem::path folder = found.at("assets").get<std::string>();
  CHECK(std::filesystem::exists(folder / "gpu_specs.json"));
  const Ended without = run(Launch{{"devices", "--json"}, {{"RIDGEPOINT_ASSETS", "/nowhere"}}});
  CHECK(json::parse(without.out).at("assets").is_null());
}

TEST_CASE("devices --json holds every device with a row per kernel, op, dtype and units") {
  const Ended ended = run({"devices", "--json"});
  CHECK(ended.code == 0);
  const json all = json::parse(ended.out);
  const json& cpu = all.at("devices").back();
  CHECK(cpu.at("id") == "cpu");
  CHECK(cpu.at("kind") == "cpu");
  CHECK(cpu.at("multiprocessors").get<int>() >= 1);
  CHECK(cpu.at("free_bytes").get<double>() > 0);
  CHECK(all.at("unavailable").is_array());
  bool chain_runs = false;
  for (const json& kernel : cpu.at("kernels")) {
    CHECK(kernel.at("runs").get<bool>() == kernel.at("why_not").is_null());
    chain_runs = chain_runs || (kernel.at("kernel") == "chain" && kernel.at("op") == "fma" &&
                                kernel.at("dtype") == "fp32" && kernel.at("runs") == true);
  }
  CHECK(chain_runs);
}

TEST_CASE("a GPU that is not there ends with 3 and the list of devices that are") {
  const Ended ended = run({"sweep", "--device", "cuda:99"});
  CHECK(ended.code == 3);
  CHECK(ended.out == "");
  CHECK(lines_in(ended.err) == 1);
  CHECK(ended.err.find("'cuda:99'") != std::string::npos);
  CHECK(ended.err.find("there is ") != std::string::npos);
  CHECK(ended.err.find("cpu") != std::string::npos);
}

TEST_CASE("without a visible GPU the CPU is measured, and one sentence says why") {
  const std::vector<std::string> arguments{"sweep", "--elements", "64Ki", "--repeat",
                                           "1",     "--max-time", "20ms", "--stream"};
  const Ended ended = run(Launch{arguments, {{"CUDA_VISIBLE_DEVICES", ""}}});
  CHECK(ended.code == 0);
  CHECK(json::parse(ended.out.substr(0, ended.out.find('\n'))).at("device").at("id") == "cpu");
  const std::size_t first = ended.err.find("measuring on the CPU: ");
  CHECK_MESSAGE(first != std::string::npos, ended.err);
  CHECK(ended.err.find("measuring on the CPU: ", first + 1) == std::string::npos);
}

TEST_CASE("a sweep of which nothing can be measured names the reason and ends with 1") {
  // No CPU computes with fp8.
  const Ended ended = run(small_sweep({"--dtype", "fp8"}));
  CHECK(ended.code == 1);
  CHECK(ended.err.find("skipped fp8 fused") != std::string::npos);
  CHECK(ended.err.find("nothing could be measured") != std::string::npos);
}

// Sanitizers need terabytes of address space.
#if defined(RIDGEPOINT_ASAN) || defined(RIDGEPOINT_TSAN)
constexpr bool limits_address_space = false;
#else
constexpr bool limits_address_space = true;
#endif

TEST_CASE("a limit on the address space counts as memory that is not free" *
          doctest::skip(!limits_address_space)) {
  Launch launch{small_sweep({"--elements", "128Mi"})};
  launch.before_exec = [] {
    constexpr rlim_t bytes = rlim_t{1} << 30;
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
  };
  const Ended ended = run(launch);
  CHECK(ended.code == 2);
  CHECK_MESSAGE(ended.err.find(" MiB free; use at most") != std::string::npos, ended.err);
}
