// The comparison that fills the middle of the window.
#include "ui/screen/compared.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "tests/model/fake_state.hpp"
#include "tests/text.hpp"
#include "ui/actions/actions.hpp"

namespace {

/// A point that takes `seconds`, with enough samples for an interval.
engine::Point timed_point(std::uint64_t repeat, kernels::Fusion fusion, double seconds) {
  engine::Point point = fake::point(repeat, fusion);
  point.seconds = {seconds, seconds * 0.999, seconds * 1.001, std::vector<double>(8, seconds), {}};
  point.run = 1;
  return point;
}

/// Opens a session of a fused and an unfused point that take so long.
void open_session(ui::AppState& state, const std::string& name, double seconds) {
  engine::Session session;
  session.device.name = name;
  session.points = {timed_point(1, kernels::Fusion::fused, seconds),
                    timed_point(1, kernels::Fusion::unfused, 2 * seconds)};
  state.documents.opened.push_back({name + ".json", session});
}

}  // namespace

TEST_CASE("two opened sessions are compared, the first one as A") {
  ui::AppState state = fake::opened();
  CHECK_FALSE(ui::why_no_comparison(state).empty());
  open_session(state, "slow", 2);
  open_session(state, "fast", 1);
  ui::show_comparison(state);
  const ui::ComparedView view = ui::compared_view(state);
  CHECK(view.summary == "B is faster at all 2 points: 2x.");
  CHECK(view.notes == "device: slow in A, fast in B.");
  CHECK(view.figures.size() == 4);
  CHECK(view.table.size() == 3);
  std::swap(state.look.comparing->a, state.look.comparing->b);
  CHECK(ui::compared_view(state).summary == "B is slower at all 2 points: it takes 2x as long.");
}

TEST_CASE("one session is compared with itself by two of its words") {
  ui::AppState state = fake::opened();
  open_session(state, "one", 1);
  ui::show_comparison(state);
  REQUIRE(state.look.comparing);
  CHECK(state.look.comparing->a.words == "fused");
  CHECK(state.look.comparing->b.words == "unfused");
  CHECK(ui::compared_view(state).summary == "B is slower: it takes 2x as long.");
  state.look.comparing->b.words = "";
  CHECK(tests::contains(ui::compared_view(state).summary, "1 point in common"));
  CHECK(ui::compared_view(state).table.empty());
}

TEST_CASE("what was measured here is compared with a file") {
  ui::AppState state = fake::opened();
  open_session(state, "file", 1);
  for (const kernels::Fusion fusion : {kernels::Fusion::fused, kernels::Fusion::unfused})
    ui::apply(state, engine::PointMeasured{1, "cpu", timed_point(1, fusion, 4)});
  const auto sessions = ui::compared_sessions(state);
  REQUIRE(sessions.size() == 2);
  CHECK(sessions[0].title == "file.json (file)");
  CHECK(sessions[1].number == 0);
  ui::show_comparison(state);
  CHECK(tests::contains(ui::compared_view(state).summary, "B is slower at all 2 points"));
}

TEST_CASE("a comparison whose session is closed goes on with those that are left") {
  ui::AppState state = fake::opened();
  open_session(state, "slow", 2);
  open_session(state, "fast", 1);
  ui::show_comparison(state);
  ui::close_opened(state, 0);
  REQUIRE(state.look.comparing);
  CHECK(state.look.comparing->a.words == "fused");
  CHECK(tests::contains(ui::compared_view(state).summary, "B is slower"));
  ui::close_opened(state, 0);
  CHECK(tests::contains(ui::compared_view(state).summary, "nothing to compare yet"));
}

TEST_CASE("an equal key means an equal comparison, and another point gives another key") {
  ui::AppState state = fake::opened();
  open_session(state, "slow", 2);
  open_session(state, "fast", 1);
  ui::show_comparison(state);
  const ui::ComparedKey before = ui::compared_key(state);
  CHECK(ui::compared_key(state) == before);
  state.documents.opened[1].session.edit().points.pop_back();
  CHECK(ui::compared_key(state) != before);
  const ui::ComparedKey fewer = ui::compared_key(state);
  std::swap(state.look.comparing->a, state.look.comparing->b);
  CHECK(ui::compared_key(state) != fewer);
}

TEST_CASE("the palette shows the comparison, and Escape, a lab or the results end it") {
  ui::AppState state = fake::opened();
  const auto action = [&] {
    const std::vector<ui::Action> all = ui::actions_of(state);
    return *std::ranges::find(all, "compare", &ui::Action::name);
  };
  CHECK_FALSE(action().why_not.empty());
  open_session(state, "slow", 2);
  open_session(state, "fast", 1);
  CHECK(action().why_not.empty());
  const auto show = [&] {
    action().act(state, 0);
    REQUIRE(state.look.comparing);
  };
  show();
  ui::step_back(state);
  CHECK_FALSE(state.look.comparing);
  show();
  ui::show_lab(state, *engine::labs().front());
  CHECK_FALSE(state.look.comparing);
  show();
  ui::show_results(state, "");
  CHECK_FALSE(state.look.comparing);
  show();
  action().act(state, 0);
  CHECK_FALSE(state.look.comparing);
}

TEST_CASE("the comparison is what is exported while it is shown") {
  ui::AppState state = fake::opened();
  open_session(state, "slow", 2);
  open_session(state, "fast", 1);
  ui::show_comparison(state);
  const plot::Page page = ui::page_on_screen(state, std::nullopt);
  CHECK(page.title == "A: slow, B: fast");
  CHECK(page.figures.size() == 4);
  state.look.comparing->a.words = "fused";
  state.look.comparing->b.words = "nothing";
  CHECK_THROWS_WITH(ui::page_on_screen(state, std::nullopt),
                    doctest::Contains("'nothing' names no measured point"));
}
