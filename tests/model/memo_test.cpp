// What is kept from frame to frame is what would be made anew.
#include "ui/model/memo.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/model/fake_state.hpp"
#include "ui/screen/progress.hpp"
#include "ui/screen/verdict_target.hpp"

namespace {

engine::Point failed(std::uint64_t repeat, std::uint64_t run) {
  engine::Point point = fake::point(repeat);
  point.status = engine::Status::failed;
  point.why = "wrong by 3";
  point.run = run;
  return point;
}

}  // namespace

TEST_CASE("a value is made again when its key changes, and only then") {
  ui::Memo<int, std::string> memo;
  int made = 0;
  const auto value_of = [&](int key) {
    return memo.get(key, [&] {
      ++made;
      return std::to_string(key);
    });
  };
  CHECK(value_of(0) == "0");
  CHECK(value_of(0) == "0");
  CHECK(made == 1);
  CHECK(value_of(7) == "7");
  CHECK(value_of(0) == "0");
  CHECK(made == 3);
}

TEST_CASE("the newest measured point is no probe, no roof's and no failure") {
  ui::AppState state = fake::opened();
  engine::Session& session = state.documents.sessions["cpu"].edit();
  session.points.push_back(fake::point(1));
  session.points.push_back(fake::point(2));
  session.points.push_back(failed(4, 0));
  session.points.push_back(fake::point(8));
  session.points.back().probe = true;
  session.points.push_back(fake::point(16));
  session.points.back().lab = "roofs";
  state.spec.lab = "fma";  // has no slider
  CHECK(ui::verdict_target(state).point == &session.points[1]);
}

TEST_CASE("what was not measured is counted in the newest run alone, with the first reasons") {
  engine::Session session;
  CHECK(ui::unmeasured_of(session, "intensity").count == 0);
  session.points = {failed(1, 1), failed(2, 2), fake::point(4)};
  session.points.back().run = 2;
  const ui::Unmeasured one = ui::unmeasured_of(session, "intensity");
  CHECK(one.count == 1);
  CHECK(one.why == "fp32 fused, 2 ops: wrong by 3\n");
  engine::Point tried = failed(8, 3);
  tried.lab = "roofs";
  session.points.push_back(tried);
  CHECK(ui::unmeasured_of(session, "intensity").count == 1);
  engine::Point of_another_lab = failed(8, 3);
  of_another_lab.lab = "fma";
  session.points.push_back(of_another_lab);
  CHECK(ui::unmeasured_of(session, "intensity").count == 1);
  CHECK(ui::unmeasured_of(session, "fma").count == 1);
  for (std::uint64_t repeat = 1; repeat <= 14; ++repeat)
    session.points.push_back(failed(repeat, 4));
  const ui::Unmeasured many = ui::unmeasured_of(session, "intensity");
  CHECK(many.count == 14);
  CHECK(many.why.ends_with("12 ops: wrong by 3\n...\n"));
}
