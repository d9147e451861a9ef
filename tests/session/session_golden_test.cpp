// The exact bytes of a session as JSON and CSV: programs of others read them.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "engine/session/session_file.hpp"
#include "tests/files.hpp"
#include "tests/session/examples.hpp"

using namespace engine;

namespace {

/// Points of every status and family, with all that can be said of one, and with nothing.
Session golden_session() {
  Session session = examples::session();
  Point plain = examples::point(examples::chain(1), 1.0 / 3);
  plain.note = "AVX-512";
  session.points.push_back(plain);

  Point full = examples::point(examples::tile(64, examples::Units::matrix), 0.002);
  full.run = 7;
  full.seconds = {0.002, 0.001, 0.007, {0.001, 0.002, 0.007, 1e-9}, {3}};
  full.stop = Stop::time_limit;
  full.limit = Limit::samples;
  full.cold = false;
  full.probe = full.cached = full.disturbed = true;
  full.discarded = 3;
  full.contended = 5;
  full.what.data = kernels::Data::zeros;
  full.what.shape = {{"chains", "8"}, {"unroll", "256"}};
  full.note = "bf16 storage, \"fp32\" sums";
  full.before.clock_hz = 2.5e9;
  full.before.throttled = false;
  full.conditions = {.clock_hz = 3.1e9,
                     .memory_clock_hz = 1.6e9 / 3,
                     .power_w = 65.5,
                     .temperature_c = -3.25,
                     .throttled = true,
                     .stolen = 0.25,
                     .other_load = 0.125,
                     .note = "power cap"};
  session.points.push_back(full);

  Point launch = examples::point({.family = examples::Family::launch,
                                  .ops = kernels::Op::none,
                                  .dtype = examples::Dtype::fp32,
                                  .repeat = 100},
                                 5e-4);
  launch.lab = "roofs";
  session.points.push_back(launch);

  Point skipped = examples::point(examples::chain(4096, examples::Fusion::unfused), 1);
  skipped.status = Status::skipped;
  skipped.why = "would take 12 s, \nwhich is too long";
  skipped.seconds = {};
  skipped.checked = false;
  session.points.push_back(skipped);
  return session;
}

void check_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path("goldens") / name;
  if (!std::filesystem::exists(file)) {
    tests::write_text(file, text);
    FAIL_CHECK("there was no golden " << file << "; it has been written: look at it and add it");
  }
  CHECK(tests::read_file(file) == text);
}

}  // namespace

TEST_CASE("a session is written as JSON to the byte as ever") {
  check_golden("session.json", to_json(golden_session()));
}

TEST_CASE("a session is written as CSV to the byte as ever") {
  check_golden("session.csv", to_csv(golden_session()));
}

TEST_CASE("a session that is read and written again keeps every byte") {
  const std::string text = tests::read_file("goldens/session.json");
  CHECK(to_json(from_json(text, "goldens/session.json")) == text);
}
