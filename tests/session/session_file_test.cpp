#include "engine/session/session_file.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/session/examples.hpp"

using namespace engine;

namespace {

/// Every field has a value that no default has.
Session full_session() {
  Session session = examples::session();
  auto& device = session.device;
  device.driver = "6.1";
  device.instruction_sets = {"AVX2", "AVX-512"};
  device.threads = 2;
  device.slow_cores = 1;
  device.link_rate = 63.0e9;
  device.peer = "cuda:1";
  device.memory_nodes = 2;
  device.virtual_machine = true;
  device.memory_clock_hz = 1e9 / 3;
  device.memory_bytes = 8589934592.0;
  device.l1_bytes = 32768;
  device.l2_bytes = 1048576;
  device.l3_bytes = 33554432;
  device.draws_screen = true;
  device.partition = "MIG slice: 60 of 132 SMs";
  device.product_tile = 128;
  device.libraries = {{"NVML", "/usr/lib/libnvidia-ml.so.1"}};
  device.peaks = {{kernels::Dtype::fp32, kernels::Units::vector, 64, "2 ports x 16 lanes x 2"}};
  Roof& roof = session.roofs.front();
  roof.rate_low = 99.9e9;
  roof.rate_high = 100.1e9;
  roof.cite = "copy, \"best\" of 3";
  roof.conditions.power_w = 0.1 + 0.2;
  roof.shape = {{"stores", "non-temporal"}, {"width", "512"}};
  roof.data = kernels::Data::zeros;
  roof.disturbed = true;
  Point point = examples::point(examples::chain(64), 1.0 / 3);
  point.lab = "probe";
  point.note = "AVX-512";
  point.seconds = {1.0 / 3, 0.1, 0.7, {0.1, 1.0 / 3, 0.7, 1e-9}, {3}};
  point.stop = Stop::time_limit;
  point.cold = false;
  point.probe = true;
  point.cached = true;
  point.run = 7;
  point.limit = Limit::samples;
  point.disturbed = true;
  point.discarded = 3;
  point.contended = 5;
  point.before.clock_hz = 2.5e9;
  point.what.data = kernels::Data::zeros;
  point.what.shape = {{"chains", "8"}, {"unroll", "256"}};
  point.conditions = {.clock_hz = 3.1e9,
                      .memory_clock_hz = 1.6e9,
                      .power_w = 65.5,
                      .temperature_c = -3.25,
                      .throttled = true,
                      .power_limited = false,
                      .stolen = 0.25,
                      .other_load = 0.125,
                      .others = "python3 (process 4711)",
                      .note = "power cap"};
  session.points.push_back(point);
  Point skipped = examples::point(examples::chain(4096), 1);
  skipped.status = Status::skipped;
  skipped.why = "would take 12 s";
  skipped.seconds = {};
  skipped.checked = false;
  session.points.push_back(skipped);
  Run run{.number = 7, .begin = "2026-11-21T10:00:00Z", .end = "2026-11-21T10:00:12Z"};
  run.spec.lab = "matmul";
  set_knob(run.spec, "dtype", "fp64,bf16");
  set_knob(run.spec, "units", "both");
  set_knob(run.spec, "time", "none");
  set_knob(run.spec, "sizes", "33,34");
  run.why = "complete";
  session.runs = {run, {.number = 8, .begin = "2026-11-21T10:01:00Z"}};
  return session;
}

}  // namespace

TEST_CASE("a session read back is written the same, bit by bit") {
  const std::string text = to_json(full_session());
  CHECK(to_json(from_json(text, "a.json")) == text);
}

TEST_CASE("every field of a session comes back") {
  const Session before = full_session();
  const Session after = from_json(to_json(before), "a.json");
  CHECK(after.created == before.created);
  CHECK(after.app.commit == before.app.commit);
  CHECK(after.host.os == before.host.os);
  CHECK(after.device == before.device);
  REQUIRE(after.roofs.size() == before.roofs.size());
  CHECK(after.roofs[0].rate_low == before.roofs[0].rate_low);
  CHECK(after.roofs[0].cite == before.roofs[0].cite);
  CHECK(after.roofs[0].conditions.power_w == before.roofs[0].conditions.power_w);
  CHECK(after.roofs[2].dtype == kernels::Dtype::fp32);
  REQUIRE(after.points.size() == 2);
  CHECK(after.roofs == before.roofs);
  const Point& point = after.points[0];
  const Point& original = before.points[0];
  CHECK(point.what == original.what);
  CHECK(point.seconds.median == original.seconds.median);
  CHECK(point.seconds.samples == original.seconds.samples);
  CHECK(point.seconds.outliers == original.seconds.outliers);
  CHECK(point.stop == Stop::time_limit);
  CHECK_FALSE(point.cold);
  CHECK(point.probe);
  CHECK(point.cached);
  CHECK(point.run == 7);
  CHECK(point.limit == Limit::samples);
  CHECK(point.disturbed);
  CHECK(point.discarded == 3);
  CHECK(point.contended == 5);
  CHECK(point.before.clock_hz == 2.5e9);
  CHECK(point.conditions.stolen == 0.25);
  CHECK(point.conditions.other_load == 0.125);
  CHECK(after.roofs[0].shape == before.roofs[0].shape);
  CHECK(after.roofs[0].data == kernels::Data::zeros);
  CHECK(after.roofs[1].data == kernels::Data::random);
  CHECK(after.roofs[1].shape.empty());
  CHECK(point.conditions.temperature_c == -3.25);
  CHECK(point.conditions.throttled == true);
  CHECK(point.conditions.power_limited == false);
  CHECK(point.conditions.others == "python3 (process 4711)");
  CHECK(point.conditions.note == "power cap");
  CHECK(after.points[1].status == Status::skipped);
  CHECK(after.points[1].why == "would take 12 s");
}

TEST_CASE("the longest list of a knob comes back whole") {
  Session before = full_session();
  before.runs.front().spec.repeats.clear();
  for (std::uint64_t repeat = 3001; repeat <= 4000; ++repeat)
    before.runs.front().spec.repeats.push_back(repeat);
  CHECK(from_json(to_json(before), "a.json").runs == before.runs);
}

TEST_CASE("the runs of a session come back, with every knob that they were asked with") {
  const Session before = full_session();
  CHECK(from_json(to_json(before), "a.json").runs == before.runs);
  auto json = nlohmann::json::parse(to_json(before));
  const auto& run = json["runs"][0];
  CHECK(run["number"] == 7);
  CHECK(run["spec"]["lab"] == "matmul");
  CHECK(run["spec"]["dtype"] == "fp64,bf16");
  CHECK(run["spec"]["sizes"] == "33,34");
  CHECK_FALSE(run["spec"].contains("types_chosen"));
  CHECK(run["begin"] == "2026-11-21T10:00:00Z");
  CHECK(run["why"] == "complete");
  CHECK(json["runs"][1]["end"].is_null());
  CHECK(json["runs"][1]["spec"]["types_chosen"] == false);
  // Of another version: its labs and knobs are no reason to refuse the points.
  json["runs"][0]["spec"]["lab"] = "later";
  json["runs"][0]["spec"]["later"] = "3";
  CHECK(from_json(json.dump(), "a.json").runs[0].spec.lab == "later");
}

TEST_CASE("a run that is not as it should be is refused with its place") {
  const auto refusal = [](const char* pointer, const nlohmann::json& value) -> std::string {
    auto json = nlohmann::json::parse(to_json(full_session()));
    json[nlohmann::json::json_pointer(pointer)] = value;
    try {
      from_json(json.dump(), "bad.json");
    } catch (const BadInput& bad) {
      return bad.what();
    }
    return "accepted";
  };
  CHECK(refusal("/runs/0/number", -1).starts_with("bad.json: runs[0].number is -1; expected"));
  CHECK(refusal("/runs/0/spec/repeat", "0").starts_with("bad.json: runs[0].spec.repeat is"));
  CHECK(refusal("/runs/0/spec/dtype", 3).starts_with("bad.json: runs[0].spec.dtype is 3"));
  CHECK(refusal("/runs/0/spec/sizes", "7").starts_with("bad.json: runs[0].spec.sizes is"));
  CHECK(refusal("/runs/0/spec", nullptr).starts_with("bad.json: runs[0].spec"));
  CHECK(refusal("/runs/0/begin", 3).starts_with("bad.json: runs[0].begin is 3"));
}

TEST_CASE("of an older file without runs, its points tell them, and it is written as it was") {
  Session session = full_session();
  session.runs.clear();
  const std::string text = to_json(session);
  const Session after = from_json(text, "a.json");
  REQUIRE(after.runs.size() == 1);  // the first point is the slider's
  CHECK(after.runs[0].number == 1);
  CHECK(after.runs[0].spec.lab == "intensity");
  CHECK(after.runs[0].spec.device == "cpu");
  CHECK(after.runs[0].spec.types_chosen);
  CHECK(after.runs[0].begin.empty());
  CHECK(to_json(after) == text);
}

TEST_CASE("what matrix units sustain comes back, with clock and power") {
  Session session = full_session();
  session.roofs[0].sustained = 0.8 * session.roofs[0].rate;
  session.roofs[0].sustained_conditions.clock_hz = 1.47e9;
  session.roofs[0].sustained_conditions.power_w = 683;
  CHECK(from_json(to_json(session), "a.json").roofs[0] == session.roofs[0]);
  const auto json = nlohmann::json::parse(to_json(session));
  CHECK(json["roofs"][0]["sustained"].get<double>() == session.roofs[0].sustained);
  CHECK_FALSE(json["roofs"][1].contains("sustained"));
}

TEST_CASE("a power limit that an older session calls throttling is read as what it is") {
  const auto read = [](const std::string& note) {
    Session session = full_session();
    session.points[0].conditions.throttled = true;
    session.points[0].conditions.power_limited.reset();
    session.points[0].conditions.note = note;
    return from_json(to_json(session), "a.json").points[0].conditions;
  };
  for (const char* note : {"clocks lowered: power cap", "clocks lowered: power cap; a graph"}) {
    CHECK(read(note).power_limited == true);
    CHECK(read(note).throttled == false);
  }
  for (const char* note :
       {"clocks lowered: power cap, thermal limit", "clocks lowered: thermal limit"}) {
    CHECK_FALSE(read(note).power_limited.has_value());
    CHECK(read(note).throttled == true);
  }
}

TEST_CASE("the file has the fields of the contract under their names") {
  const auto json = nlohmann::json::parse(to_json(full_session()));
  CHECK(json["format"] == "ridgepoint-session");
  CHECK(json["version"] == 1);
  CHECK(json["device"]["multiprocessors"] == 2);
  const auto& roof = json["roofs"][0];
  CHECK(roof["dtype"].is_null());
  CHECK(roof["kind"] == "bandwidth");
  CHECK(roof["source"] == "measured");
  const auto& point = json["points"][0];
  CHECK(point["kernel"] == "chain");
  CHECK(point["op"] == "fma");
  CHECK(point["repeat"] == 64);
  CHECK(point["flops"] == kernels::work_of(examples::chain(64)).flops);
  CHECK(point["status"] == "ok");
  CHECK(point["why"].is_null());
  CHECK(point["seconds"]["samples"].size() == 4);
  CHECK(point["conditions"]["clock_hz"] == 3.1e9);
  CHECK(point["shape"]["unroll"] == "256");
  CHECK(json["points"][1]["shape"].is_null());
  CHECK(json["points"][1]["limit"].is_null());
  CHECK(json["points"][1]["seconds"].is_null());
}

TEST_CASE("unknown fields are ignored") {
  auto json = nlohmann::json::parse(to_json(full_session()));
  json["later"] = {{"nested", 1}};
  json["roofs"][0]["flaws"] = "the clock was held back";  // written by earlier versions
  json["points"][0]["later"] = "text";
  CHECK(from_json(json.dump(), "a.json").points.size() == 2);
}

TEST_CASE("fields beyond the contract may be missing") {
  auto json = nlohmann::json::parse(to_json(full_session()));
  auto& point = json["points"][0];
  for (const char* key : {"note", "stop", "cold", "probe", "run", "limit", "data", "shape",
                          "disturbed", "discarded", "crowded", "before"})
    point.erase(key);
  point["seconds"].erase("outliers");
  json["roofs"][0].erase("conditions");
  json["device"] = {{"id", "cpu"}, {"kind", "cpu"}, {"name", "x"}};
  const Session session = from_json(json.dump(), "a.json");
  CHECK(session.points[0].cold);
  CHECK(session.points[0].run == 0);
}

TEST_CASE("a clock that gave infinity leaves a failed point and a file that can be read") {
  Session session = examples::session();
  const double infinity = std::numeric_limits<double>::infinity();
  Point point = examples::point(examples::chain(1), 1);
  point.seconds = {infinity, 1, infinity, {1, infinity}, {}};
  point.conditions.power_w = std::numeric_limits<double>::quiet_NaN();
  session.points.push_back(point);
  session.roofs.push_back(examples::roof("L2", RoofKind::bandwidth, infinity));
  const Session after = from_json(to_json(session), "a.json");
  CHECK(after.roofs.size() == session.roofs.size() - 1);
  REQUIRE(after.points.size() == 1);
  CHECK(after.points[0].status == Status::failed);
  CHECK(after.points[0].why.find("clock") != std::string::npos);
  CHECK_FALSE(after.points[0].conditions.power_w.has_value());
}

TEST_CASE("a point without a time says nothing of why its measurement stopped") {
  Session session = examples::session();
  Point point = examples::point(examples::chain(1), 1);
  session.points.push_back(point);
  point.status = Status::skipped;
  point.why = "too large";
  session.points.push_back(point);
  const auto points = nlohmann::json::parse(to_json(session)).at("points");
  CHECK(points[0].at("stop") == "noise_goal");
  CHECK(points[1].at("stop").is_null());
  CHECK(points[1].at("limit").is_null());
  CHECK(from_json(to_json(session), "a.json").points.size() == 2);
}

TEST_CASE("text that is no UTF-8 or would command a terminal is written as harmless text") {
  Session session = examples::session();
  session.device.name = "bad \xff name\x1b[2J\nend";
  const Session after = from_json(to_json(session), "a.json");
  CHECK(after.device.name.find('\x1b') == std::string::npos);
  CHECK(after.device.name.find('\n') == std::string::npos);
  CHECK(after.device.name.find("end") != std::string::npos);
}

TEST_CASE("text of any length and any bytes is written so that it can be read") {
  Session session = examples::session();
  session.device.name = std::string(100'000, '\xff');
  session.roofs[0].cite = std::string(100'000, 'c');
  const Session after = from_json(to_json(session), "a.json");
  CHECK(after.roofs[0].cite == std::string(4000, 'c') + "...");
  CHECK_FALSE(after.device.name.empty());
}

TEST_CASE("a session is saved to disk and loaded again") {
  const examples::Folder folder;
  save_session(full_session(), folder / "a.json");
  CHECK(to_json(load_session(folder / "a.json")) == to_json(full_session()));
}

TEST_CASE("a later point of the same run and case replaces the earlier one") {
  Session session = examples::session();
  add_point(session, examples::point(examples::chain(1), 1));
  add_point(session, examples::point(examples::chain(1), 2));
  Point other_run = examples::point(examples::chain(1), 3);
  other_run.run = 2;
  add_point(session, other_run);
  REQUIRE(session.points.size() == 2);
  CHECK(session.points[0].seconds.median == 2);
}

TEST_CASE(
    "a point at the slider never replaces a sweep's point of the same case, nor it the other") {
  Session session = examples::session();
  Point probe = examples::point(examples::chain(1), 2);
  probe.probe = true;
  add_point(session, examples::point(examples::chain(1), 1));
  add_point(session, probe);
  probe.seconds = examples::point(examples::chain(1), 3).seconds;
  add_point(session, probe);
  REQUIRE(session.points.size() == 2);
  CHECK(session.points[0].seconds.median == 1);
  CHECK_FALSE(session.points[0].probe);
  CHECK(session.points[1].seconds.median == 3);
  CHECK(from_json(to_json(session), "a.json").points.size() == 2);
}

TEST_CASE("a session takes no more points than a file may hold, and says what it left out") {
  Session session = examples::session();
  session.points.resize(max_points - 1);
  for (std::size_t i = 0; i < session.points.size(); ++i) {
    session.points[i] = examples::point(examples::chain(1), 1);
    session.points[i].run = i + 10;
  }
  CHECK(full_warning(session).empty());
  CHECK(add_point(session, examples::point(examples::chain(1), 1)));
  CHECK_FALSE(add_point(session, examples::point(examples::chain(2), 1)));
  CHECK_FALSE(add_point(session, examples::point(examples::chain(3), 1)));
  CHECK(add_point(session, examples::point(examples::chain(1), 5)));  // instead of an earlier one
  CHECK(session.points.size() == max_points);
  CHECK(full_warning(session).find("20000 points") != std::string::npos);
  CHECK(full_warning(session).find("2 more were dropped") != std::string::npos);
  CHECK(from_json(to_json(session), "a.json").points.size() == max_points);
  session.points.push_back(session.points.front());
  CHECK(from_json(to_json(session), "a.json").points.size() == max_points);
}

TEST_CASE("a later roof of the same name and source replaces the earlier one") {
  Session session;
  add_roof(session, examples::roof("DRAM copy", RoofKind::bandwidth, 1));
  add_roof(session, examples::roof("DRAM copy", RoofKind::bandwidth, 2));
  Roof stated = examples::roof("DRAM copy", RoofKind::bandwidth, 3);
  stated.source = RoofSource::datasheet;
  add_roof(session, stated);
  REQUIRE(session.roofs.size() == 2);
  CHECK(bandwidth_roof(session, RoofSource::measured)->rate == 2);
  CHECK(bandwidth_roof(session, RoofSource::datasheet)->rate == 3);
}

TEST_CASE("a new session says which build on which host measured it, and when") {
  kernels::DeviceInfo device;
  device.name = "x";
  const Session session = new_session(device);
  CHECK_FALSE(session.app.version.empty());
  CHECK_FALSE(session.app.commit.empty());
  CHECK(session.app.compiler.find(' ') != std::string::npos);
  CHECK_FALSE(session.host.os.empty());
  CHECK_FALSE(session.host.cpu.empty());
  CHECK(session.created.size() == std::string("2026-11-21T10:00:00Z").size());
  CHECK(session.created.back() == 'Z');
  CHECK(session.device.name == "x");
}

TEST_CASE("a roof that is measured again stays as superseded; more rounds of one do not") {
  Session session = examples::session();
  session.roofs.clear();
  Roof roof = examples::roof("DRAM copy", RoofKind::bandwidth, 2);
  roof.rounds = {2, 2.1};
  add_roof(session, roof);
  roof.rounds.push_back(1.9);  // a look beside a point
  add_roof(session, roof);
  CHECK(session.superseded_roofs.empty());
  Roof again = examples::roof("DRAM copy", RoofKind::bandwidth, 3);
  again.rounds = {3, 3.1};
  add_roof(session, again);
  REQUIRE(session.superseded_roofs.size() == 1);
  CHECK(session.superseded_roofs.front() == roof);
  CHECK(session.roofs == std::vector{again});
  const Session back = from_json(to_json(session), "test");
  CHECK(back.superseded_roofs == session.superseded_roofs);
  CHECK(to_json(session).find("\"why\":\"measured again\"") != std::string::npos);
}
