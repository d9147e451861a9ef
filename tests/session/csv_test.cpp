#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "engine/session/session_file.hpp"
#include "tests/session/examples.hpp"

using namespace engine;

namespace {

using Row = std::vector<std::string>;

/// A reader of RFC 4180: rows end with CR LF, quoted cells hold commas, breaks and doubled quotes.
std::vector<Row> rows_of(const std::string& text) {
  std::vector<Row> rows(1, Row(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      rows.back().back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\r') {
      REQUIRE(text.at(++i) == '\n');
      rows.emplace_back(1);
    } else {
      rows.back().back() += c;
    }
  }
  CHECK(rows.back() == Row(1));
  rows.pop_back();
  return rows;
}

std::map<std::string, std::string> record(const std::vector<Row>& rows, std::size_t index) {
  REQUIRE(rows.at(0).size() == rows.at(index).size());
  std::map<std::string, std::string> cells;
  for (std::size_t i = 0; i < rows[0].size(); ++i) cells[rows[0][i]] = rows[index][i];
  return cells;
}

}  // namespace

TEST_CASE("a session without points is a header row") {
  const auto rows = rows_of(to_csv(examples::session()));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].front() == "device");
}

TEST_CASE("numbers in a table read back as the same double") {
  Session session = examples::session();
  session.points.push_back(examples::point(examples::chain(64), 1.0 / 3));
  session.points.back().conditions.power_w = 0.1 + 0.2;
  const auto cells = record(rows_of(to_csv(session)), 1);
  CHECK(std::stod(cells.at("seconds_median")) == 1.0 / 3);
  CHECK(std::stod(cells.at("power_w")) == 0.1 + 0.2);
  CHECK(std::stod(cells.at("flops")) == session.points[0].work.flops);
  CHECK(std::stod(cells.at("flops_per_second")) == session.points[0].flops_per_second());
  CHECK(cells.at("repeat") == "64");
  CHECK(cells.at("dtype") == "fp32");
  CHECK(cells.at("status") == "ok");
  CHECK(cells.at("clock_hz").empty());
  CHECK(cells.at("checked") == "true");
  CHECK(cells.at("limit").empty());
  CHECK(cells.at("shape").empty());
  CHECK(cells.at("stolen").empty());
}

TEST_CASE("how a point was measured stands beside it") {
  Session session = examples::session();
  Point point = examples::point(examples::chain(64), 1);
  point.what.data = kernels::Data::zeros;
  point.what.shape = {{"chains", "8"}, {"unroll", "256"}};
  point.stop = Stop::time_limit;
  point.limit = Limit::samples;
  point.disturbed = true;
  point.discarded = 4;
  point.contended = 6;
  point.before.clock_hz = 1e9;
  point.conditions.stolen = 0.25;
  point.conditions.note = "power cap";
  session.points.push_back(point);
  const auto cells = record(rows_of(to_csv(session)), 1);
  CHECK(cells.at("data") == "zeros");
  CHECK(cells.at("shape") == "chains 8, unroll 256");
  CHECK(cells.at("limit") == "samples");
  CHECK(cells.at("disturbed") == "true");
  CHECK(cells.at("discarded") == "4");
  CHECK(cells.at("crowded") == "6");
  CHECK(std::stod(cells.at("before_clock_hz")) == 1e9);
  CHECK(std::stod(cells.at("stolen")) == 0.25);
  CHECK(cells.at("conditions_note") == "power cap");
}

TEST_CASE("text with commas, quotes and line breaks stays one cell") {
  Session session = examples::session();
  session.device.name = "GPU, \"big\"\r\nsecond line";
  session.points.push_back(examples::point(examples::chain(1), 1));
  const auto cells = record(rows_of(to_csv(session)), 1);
  CHECK(cells.at("device") == session.device.name);
}

TEST_CASE("a skipped point has its reason and no times") {
  Session session = examples::session();
  session.points.push_back(examples::point(examples::chain(1), 1));
  session.points[0].status = Status::skipped;
  session.points[0].why = "no memory, sorry";
  const auto cells = record(rows_of(to_csv(session)), 1);
  CHECK(cells.at("status") == "skipped");
  CHECK(cells.at("why") == "no memory, sorry");
  CHECK(cells.at("seconds_median").empty());
  CHECK(cells.at("bytes_per_second").empty());
}

TEST_CASE("columns that only some tables have come last") {
  Session session = examples::session();
  session.points.push_back(examples::point(examples::chain(1), 1));
  const auto usual = rows_of(to_csv(session)).front();
  session.points[0].id = "1.1";
  session.points[0].label = "warm";
  Row more = usual;
  more.insert(more.end(), {"id", "label"});
  CHECK(rows_of(to_csv(session)).front() == more);
}
