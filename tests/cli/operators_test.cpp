// The labs of pointwise operators, end to end: a chain is generated, compiled and measured, and
// what happens without a compiler.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program.hpp"

using nlohmann::json;

namespace {

struct MeasuredLab {
  Ended ended;
  json session;
};

/// A brief sweep over two lengths of a chain that needs no library.
MeasuredLab sweep_with(const TemporaryFolder& folder, const std::string& compiler) {
  const std::string file = folder / "session.json";
  Launch launch{.arguments = {"sweep", "--device", "cpu", "--lab", "fusion", "--chain", "relu,mul",
                              "--length", "1,2", "--elements", "8192", "--max-time", "200ms", "-o",
                              file}};
  launch.environment = {{"XDG_CACHE_HOME", folder.path().string()}, {"RIDGEPOINT_CXX", compiler}};
  MeasuredLab measured{run(launch), {}};
  measured.session = json::parse(read_file(file));
  return measured;
}

std::vector<json> fused_by(const json& session, const std::string& by) {
  std::vector<json> points;
  for (const json& point : session.at("points")) {
    const bool fused = point.at("fusion") == "fused" && point.value("label", json()) != "in cache";
    if (fused && point.value("by", "own") == by) points.push_back(point);
  }
  return points;
}

}  // namespace

TEST_CASE("a chain is compiled, measured, and says where its source is") {
  const TemporaryFolder folder;
  const MeasuredLab measured = sweep_with(folder, "c++");
  CHECK(measured.ended.code == 0);
  const std::vector<json> points = fused_by(measured.session, "generated");
  REQUIRE(points.size() == 2);
  for (const json& point : points) {
    CHECK(point.at("status") == "ok");
    const std::string note = point.at("note");
    const auto at = note.find(folder.path().string());
    REQUIRE(at != std::string::npos);
    const std::string file = note.substr(at);
    CHECK(read_file(file).find("relu_of") != std::string::npos);
    CHECK(measured.ended.out.find("Sources of the generated kernels:") != std::string::npos);
    CHECK(measured.ended.out.find(file) != std::string::npos);
    CHECK(run({"explain", folder / "session.json"}).out.find(file) != std::string::npos);
  }
  CHECK(fused_by(measured.session, "own").empty());
}

TEST_CASE("without a compiler the chain runs in blocks, and the reason is said") {
  const TemporaryFolder folder;
  const MeasuredLab measured = sweep_with(folder, folder / "no-compiler");
  CHECK(measured.ended.code == 0);
  CHECK(measured.ended.err.find("no C++ compiler here") != std::string::npos);
  for (const json& point : fused_by(measured.session, "generated"))
    CHECK(point.at("status") == "skipped");
  const std::vector<json> blocked = fused_by(measured.session, "own");
  REQUIRE(blocked.size() == 2);
  for (const json& point : blocked) CHECK(point.at("status") == "ok");
}

TEST_CASE("forward and backward pass are generated, measured, and say what they allocate") {
  const TemporaryFolder folder;
  for (const bool has_compiler : {true, false}) {
    const std::string file = folder / "session.json";
    Launch launch{.arguments = {"sweep", "--device", "cpu", "--lab", "rematerialize", "--operators",
                                "mul,relu", "--lengths", "1,3", "--elements", "8192", "--max-time",
                                "200ms", "-o", file}};
    launch.environment = {{"XDG_CACHE_HOME", folder.path().string()},
                          {"RIDGEPOINT_CXX", has_compiler ? "c++" : folder / "no-compiler"}};
    const Ended ended = run(launch);
    CHECK(ended.code == (has_compiler ? 0 : 1));  // 1: nothing could be measured
    const json session = json::parse(read_file(file));
    REQUIRE(session.at("points").size() == 2 * 2 * 3);
    for (const json& point : session.at("points")) {
      CAPTURE(point.dump());
      CHECK(point.at("status") == (has_compiler ? "ok" : "skipped"));
      if (!has_compiler) continue;
      CHECK(point.at("checked") == true);
      const json& sizes = point.at("sizes");
      const double tensors =
          sizes.at("activations") == 1 ? sizes.at("length").get<double>() + 3 : 4;
      CHECK(point.at("values").at("allocated") == 4 * 8192 * tensors);
    }
    if (!has_compiler) CHECK(ended.err.find("no C++ compiler here") != std::string::npos);
  }
  const Ended refused =
      run({"sweep", "--device", "cpu", "--lab", "rematerialize", "--operators", "mul,sine"});
  CHECK(refused.code == 2);
  CHECK(refused.err.find("1 to 16 operators") != std::string::npos);
}

namespace {

/// A brief sweep of a lab; with `no_libraries` the loader finds broken ones.
MeasuredLab sweep_of(const TemporaryFolder& folder, const std::vector<std::string>& lab,
                     bool no_libraries = false) {
  const std::string file = folder / "session.json";
  Launch launch{
      .arguments = {"sweep", "--device", "cpu", "--max-time", "200ms", "-o", file, "--lab"}};
  launch.arguments.insert(launch.arguments.end(), lab.begin(), lab.end());
  if (no_libraries) {
    for (const char* name : {"libsleef.so.3", "libdnnl.so.3", "libdnnl.so.2"})
      write_text(folder / name, "no library");
    launch.environment = {{"LD_LIBRARY_PATH", folder.path().string()}};
  }
  MeasuredLab measured{run(launch), {}};
  measured.session = json::parse(read_file(file));
  return measured;
}

/// MeasuredLab points are verified; all others say why they are not.
std::size_t count_measured(const json& session) {
  std::size_t count = 0;
  for (const json& point : session.at("points")) {
    CAPTURE(point.dump());
    const bool ok = point.at("status") == "ok";
    CHECK((ok ? point.at("checked") == true : !point.at("why").get<std::string>().empty()));
    count += ok ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("the lab operators measures every operator, and says which library lacks") {
  const TemporaryFolder folder;
  const std::vector<std::string> lab{"operators", "--elements", "65536"};
  const MeasuredLab all = sweep_of(folder, lab);
  CHECK_MESSAGE(all.ended.code == 0, all.ended.err);
  CHECK(all.ended.out.find("Claim (") != std::string::npos);
  CHECK(all.session.at("points").size() == 11 + 8);  // pointwise, on rows
  count_measured(all.session);

  const MeasuredLab some = sweep_of(folder, lab, true);
  CHECK_MESSAGE(some.ended.code == 0, some.ended.err);
  const std::size_t measured = count_measured(some.session);
  CHECK(measured > 8);
  CHECK(measured < 19);
  CHECK(some.ended.out.find("gelu was not measured: needs the library SLEEF") != std::string::npos);
}

TEST_CASE("the lab precision measures every element type, with the error of each") {
  const TemporaryFolder folder;
  const MeasuredLab all =
      sweep_of(folder, {"precision", "--matrix", "64", "--elements", "65536", "--repeat", "16"});
  CHECK_MESSAGE(all.ended.code == 0, all.ended.err);
  CHECK(all.ended.out.find("against fp32 (") != std::string::npos);
  CHECK(count_measured(all.session) > 7);
  std::vector<std::string> products;
  for (const json& point : all.session.at("points")) {
    if (point.at("kernel") != "matmul" || point.at("status") != "ok") continue;
    CHECK(point.at("sizes") == json({{"m", 64}, {"n", 64}, {"k", 64}}));
    products.push_back(point.at("dtype"));
  }
  for (const char* dtype : {"fp64", "fp32", "bf16", "int8"})
    CHECK(std::ranges::find(products, dtype) != products.end());
}

TEST_CASE("the lab matmul runs without oneDNN, and says how to get it") {
  const TemporaryFolder folder;
  const MeasuredLab alone = sweep_of(folder, {"matmul", "--sizes", "16,64,128"}, true);
  CHECK_MESSAGE(alone.ended.code == 0, alone.ended.err);
  CHECK(count_measured(alone.session) == 3 + 3);  // and bias and relu, fused and apart
  CHECK(alone.ended.err.find("install libdnnl2") != std::string::npos);
  CHECK(alone.ended.out.find("our kernel over") == std::string::npos);
}

TEST_CASE(
    "kept activations that a kernel does not write are found, though no gradient reads them") {
  const TemporaryFolder folder;
  const std::string compiler = folder / "c++";
  write_text(compiler,
             "#!/bin/sh\nfor source; do :; done\ncase $source in *.cpp)\n"
             "  sed -i 's/for (int i = 0; i < operators; ++i)/for (int i = operators - 1; i < "
             "operators; ++i)/' \"$source\" ;;\nesac\nexec c++ \"$@\"\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  const std::string file = folder / "session.json";
  Launch launch{.arguments = {"sweep", "--device", "cpu", "--lab", "rematerialize", "--operators",
                              "mul", "--lengths", "1,3", "--elements", "8192", "--max-time",
                              "200ms", "-o", file}};
  launch.environment = {{"XDG_CACHE_HOME", folder.path().string()}, {"RIDGEPOINT_CXX", compiler}};
  run(launch);
  const json session = json::parse(read_file(file));
  REQUIRE(session.at("points").size() == 2 * 3);
  for (const json& point : session.at("points")) {
    CAPTURE(point.dump());
    const bool unwritten = point.at("fusion") == "fused" && point.at("sizes").at("length") == 3 &&
                           point.at("sizes").at("activations") == 1;
    CHECK(point.at("status") == (unwritten ? "failed" : "ok"));
    if (unwritten)
      CHECK(point.at("why").get<std::string>().find("kept result 1 of 3") != std::string::npos);
  }
}
