// Points with extra values, spans, sizes, labels, ids, and points that another program measured.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "engine/session/fields.hpp"
#include "engine/session/session_file.hpp"
#include "kernels/families/family.hpp"
#include "tests/session/examples.hpp"
#include "tests/text.hpp"

using namespace engine;
using tests::contains;

namespace {

Session with_extras() {
  Session session = examples::session();
  Point point = examples::point(examples::chain(64), 0.01);
  point.label = "Python";
  point.values = {{"error", 1e-3}, {"loss", -2}};
  point.spans = {{"GPU", "matmul", 0, 0.5}, {"GPU", "softmax", 0.5, 0.75}};
  point.phases = {{"verify", "fp32 fused", 1, 2}};
  point.what.by = kernels::By::library;
  Visit visit{.at = 0.5, .pass = 3, .looks = {{"DRAM copy", 2e10}}};
  point.visits = {visit};
  point.id = id_of(point);
  session.points.push_back(point);
  Point other = examples::point(examples::chain(1), 0.02);
  other.source = "ncu 2025.3";
  other.kernel = "void flash_fwd<128>";
  other.what.family = kernels::Family::outside;
  other.what.ops = kernels::Op::none;
  other.what.elements = 0;
  session.points.push_back(other);
  return session;
}

/// The sentence that refuses the first point with this member.
std::string refusal(const char* key, const nlohmann::json& value) {
  auto document = nlohmann::json::parse(to_json(with_extras()));
  document["points"][0][key] = value;
  try {
    from_json(document.dump(), "bad.json");
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("no two fields of a point share a key or a column") {
  std::set<std::string_view> keys, columns;
  for (const Field<Point>& field : point_fields()) {
    CAPTURE(field.key);
    CAPTURE(field.column);
    if (!field.key.empty()) CHECK(keys.insert(field.key).second);
    if (!field.column.empty()) CHECK(columns.insert(field.column).second);
    CHECK((field.key.empty() == (field.json == nullptr)));
    CHECK((field.key.empty() == (field.read == nullptr)));
    CHECK((field.column.empty() || field.cell != nullptr));
  }
}

TEST_CASE("extra values, spans, labels, ids and sources come back") {
  const Session before = with_extras();
  const Session after = from_json(to_json(before), "a.json");
  CHECK(after.points == before.points);
  CHECK(kernel_of(after.points[1]) == "void flash_fwd<128>");
}

TEST_CASE("a kernel that Ridgepoint cannot run needs a source") {
  CHECK(contains(refusal("kernel", "flash"),
                 "points[0].kernel is \"flash\"; expected a kernel such as"));
}

TEST_CASE("what is wrong with an extra field is said with its place") {
  CHECK(contains(refusal("values", 3), "points[0].values is 3; expected an object"));
  CHECK(contains(refusal("values", {{"error", "big"}}), "points[0].values.error is \"big\""));
  CHECK(contains(refusal("label", 3), "points[0].label is 3; expected text"));
  CHECK(contains(refusal("id", true), "points[0].id is true; expected text"));
  CHECK(contains(refusal("by", "hand"), "points[0].by is \"hand\"; expected \"own\""));
  CHECK(
      contains(refusal("sizes", {{"q", 3}}), "points[0].sizes.q is 3; expected an axis of chain"));
  CHECK(contains(refusal("spans", {{{"lane", "a"}, {"name", "b"}, {"begin", 2}, {"end", 1}}}),
                 "points[0].spans[0].end is 1; expected a number from 2 to"));
  CHECK(contains(refusal("spans", {{{"lane", "a"}, {"name", "b"}, {"begin", 2}}}),
                 "points[0].spans[0].end is missing"));
}

TEST_CASE("values that JSON cannot hold and spans that end before they begin are left out") {
  Session session = with_extras();
  session.points[0].values.push_back({"nothing", std::numeric_limits<double>::infinity()});
  session.points[0].spans.push_back({"GPU", "backwards", 2, 1});
  const Session after = from_json(to_json(session), "a.json");
  CHECK(after.points[0].values.size() == 2);
  CHECK(after.points[0].spans.size() == 2);
}

TEST_CASE("a table has a column for each rare field and value that a row has") {
  const std::string csv = to_csv(with_extras());
  const std::string head = csv.substr(0, csv.find("\r\n"));
  CHECK(contains(head, "device,created,experiment,kernel,"));
  CHECK(contains(head, ",id,source,"));
  CHECK(contains(head, ",label,"));
  CHECK(contains(head, ",\"value_error\",\"value_loss\""));
  CHECK(contains(csv, ",0.001,-2\r\n"));
  CHECK(contains(csv, "\"void flash_fwd<128>\""));
  CHECK_FALSE(contains(to_csv(examples::session()), "value_"));
}

TEST_CASE("a later point with the same id takes the place of the earlier one") {
  Session session = with_extras();
  Point newer = session.points[0];
  newer.seconds.median = 1;
  CHECK(add_point(session, newer));
  CHECK(session.points.size() == 2);
  CHECK(session.points[0].seconds.median == 1);
  newer.label = "C++";
  newer.id = id_of(newer);
  CHECK(add_point(session, newer));
  CHECK(session.points.size() == 3);
}

TEST_CASE("an id tells experiment, run and case") {
  CHECK(id_of(examples::point(examples::chain(64), 1)) ==
        "intensity/1/chain fma fp32 fused vector, elements 67108864, repeat 64");
}
