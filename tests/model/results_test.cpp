// The results table: rows, order, filter, choice, text for other programs.
#include "ui/screen/results.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "tests/model/fake_state.hpp"
#include "ui/actions/events.hpp"
#include "ui/model/memo.hpp"

using ui::Hovered;
using ui::ResultColumn;

namespace {

/// Three fused points, one of them slow, an unfused one and one that failed.
ui::AppState measured() {
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 64, 8});
  ui::apply(state, engine::PointMeasured{1, "cpu", fake::point(8, kernels::Fusion::unfused)});
  engine::Point failed = fake::point(16, kernels::Fusion::unfused);
  failed.status = engine::Status::failed;
  failed.why = "wrong result | element 3";
  ui::apply(state, engine::PointMeasured{1, "cpu", failed});
  return state;
}

std::vector<Hovered> rows_now(const ui::AppState& state) {
  ui::RowTexts unkept;
  return ui::result_rows(state, unkept);
}

std::vector<std::string> column(const ui::AppState& state, ResultColumn which) {
  std::vector<std::string> texts;
  for (const Hovered& row : rows_now(state)) {
    texts.push_back(ui::cell_text(state, row, which));
  }
  return texts;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TEST_CASE("a disturbed point has no share of a roof, and an interval beyond its median has words") {
  ui::AppState state = measured();
  engine::Point point = fake::point(32);
  const double median = point.seconds.median;
  point.seconds.samples.assign(7, median);
  point.seconds.low = 0.5 * median;
  point.seconds.high = 4 * median;
  ui::apply(state, engine::PointMeasured{1, "cpu", point});
  CHECK(column(state, ResultColumn::share).back() != "");
  point.disturbed = true;
  ui::apply(state, engine::PointMeasured{1, "cpu", point});
  CHECK(column(state, ResultColumn::share).back() == "");
  CHECK(column(state, ResultColumn::spread).back() == "over ±100 %");
}

TEST_CASE("rows stand as measured until a column sorts them: up, down, as measured again") {
  ui::AppState state = measured();
  using Texts = std::vector<std::string>;
  const Texts as_measured{"1", "64", "8", "8", "16"};
  CHECK(column(state, ResultColumn::repeat) == as_measured);
  ui::sort_by(state.look.results, ResultColumn::repeat);
  CHECK(column(state, ResultColumn::repeat) == Texts{"1", "8", "8", "16", "64"});
  ui::sort_by(state.look.results, ResultColumn::repeat);
  CHECK(column(state, ResultColumn::repeat) == Texts{"64", "16", "8", "8", "1"});
  ui::sort_by(state.look.results, ResultColumn::repeat);
  CHECK(column(state, ResultColumn::repeat) == as_measured);
  ui::sort_by(state.look.results, ResultColumn::flops);
  CHECK_FALSE(state.look.results.ascending);  // the best first
  ui::sort_by(state.look.results, ResultColumn::flops);
  CHECK(state.look.results.ascending);
  ui::sort_by(state.look.results, ResultColumn::flops);
  CHECK(column(state, ResultColumn::repeat) == as_measured);
  ui::sort_by(state.look.results, ResultColumn::series);
  CHECK(column(state, ResultColumn::series).front() == "fp32 fused");
  CHECK(column(state, ResultColumn::series).back() == "fp32 unfused");
}

TEST_CASE("rows say of which run they are; the slider's belong to none") {
  ui::AppState state = measured();
  engine::Point point = fake::point(32);
  point.run = 2;
  ui::apply(state, engine::PointMeasured{1, "cpu", point});
  point.probe = true;
  ui::apply(state, engine::PointMeasured{1, "cpu", point});
  const std::vector<std::string> runs = column(state, ResultColumn::run);
  REQUIRE(runs.size() == 7);
  CHECK(runs[5] == "2");
  CHECK(runs[6].empty());
}

TEST_CASE("what was not measured is found by one word, whether skipped or failed, from any view") {
  ui::AppState state = measured();
  engine::Point point = fake::point(32);
  point.status = engine::Status::skipped;
  ui::apply(state, engine::PointMeasured{1, "cpu", point});
  state.spec.lab = "roofs";
  state.dialogs.log = true;
  ui::show_results(state, "unmeasured");
  CHECK(state.look.below == ui::Below::results);
  CHECK(state.spec.lab == "intensity");
  CHECK_FALSE(state.dialogs.log);
  CHECK(column(state, ResultColumn::bound) == std::vector<std::string>{"failed", "skipped"});
}

TEST_CASE("a row without the number stands last, whichever way the column is sorted") {
  ui::AppState state = measured();
  ui::sort_by(state.look.results, ResultColumn::runtime);
  CHECK(column(state, ResultColumn::runtime).back().empty());
  ui::sort_by(state.look.results, ResultColumn::runtime);
  CHECK(column(state, ResultColumn::runtime).back().empty());
}

TEST_CASE("the filter wants every word, in any column and whatever the case") {
  ui::AppState state = measured();
  state.look.results.filter = "UNFUSED";
  CHECK(rows_now(state).size() == 2);
  state.look.results.filter = "  unfused   failed ";
  CHECK(rows_now(state).size() == 1);
  state.look.results.filter = "fp64";
  CHECK(rows_now(state).empty());
}

TEST_CASE("the filter knows words by their beginnings, and a whole number is the repeat") {
  ui::AppState state = measured();
  state.look.results.filter = "fused";
  CHECK(rows_now(state).size() == 3);  // not the unfused ones
  state.look.results.filter = "used";
  CHECK(rows_now(state).empty());
  const auto found = [&](const char* filter) {
    state.look.results.filter = filter;
    return rows_now(state).size();
  };
  CHECK(found("8") == 2);
  CHECK(found("unfused 8") == 1);
  CHECK(found("1") == 1);  // not 16
  CHECK(found("6") == 0);
  CHECK(found("8 64") == 0);
}

TEST_CASE("a click chooses a row, Ctrl adds, Shift takes all between; chosen rows are copied") {
  ui::AppState state = measured();
  const auto rows = rows_now(state);
  CHECK(ui::rows_to_copy(state, rows).size() == 5);
  ui::select_row(state.look.results, rows, 1, false, false);
  CHECK(state.look.results.selected == std::set<Hovered>{rows[1]});
  ui::select_row(state.look.results, rows, 3, true, false);
  CHECK(state.look.results.selected == std::set<Hovered>{rows[1], rows[3]});
  ui::select_row(state.look.results, rows, 1, true, false);
  CHECK(state.look.results.selected == std::set<Hovered>{rows[3]});
  ui::select_row(state.look.results, rows, 3, false, true);
  CHECK(state.look.results.selected == std::set<Hovered>{rows[1], rows[2], rows[3]});
  CHECK(ui::rows_to_copy(state, rows).size() == 3);
  ui::select_row(state.look.results, rows, 9, false, false);  // gone meanwhile
  CHECK(state.look.results.selected.size() == 3);
  ui::select_row(state.look.results, rows, 2, false, false);
  ui::select_row(state.look.results, rows, 2, false, false);
  CHECK(state.look.results.selected.empty());
}

TEST_CASE("what is chosen is let go when other sessions are shown, and when points are cleared") {
  ui::AppState state = measured();
  ui::settle(state);
  ui::select_row(state.look.results, rows_now(state), 0, false, false);
  ui::settle(state);
  CHECK(state.look.results.selected.size() == 1);
  state.documents.opened.push_back({"other.json", *state.documents.sessions.begin()->second});
  ui::settle(state);
  CHECK(state.look.results.selected.empty());
  ui::select_row(state.look.results, rows_now(state), 0, false, false);
  ui::clear(state);
  CHECK(state.look.results.selected.empty());
}

TEST_CASE("rows are made anew only when something that they show has changed") {
  ui::AppState state = measured();
  ui::Memo<ui::ResultsKey, std::vector<Hovered>> kept;
  int made = 0;
  const auto rows = [&] {
    return kept.get(ui::results_key(state), [&] {
      ++made;
      return rows_now(state);
    });
  };
  const auto changes = [&](const auto& change) {
    const int before = made;
    change();
    CHECK(rows() == rows_now(state));
    CHECK(rows() == rows_now(state));
    return made - before;
  };
  CHECK(changes([] {}) == 1);
  CHECK(changes([] {}) == 0);
  CHECK(changes([&] { ui::select_row(state.look.results, rows(), 0, false, false); }) == 0);
  CHECK(changes([&] { ui::sort_by(state.look.results, ResultColumn::repeat); }) == 1);
  CHECK(changes([&] { ui::sort_by(state.look.results, ResultColumn::repeat); }) == 1);
  CHECK(changes([&] { state.look.results.filter = "unfused"; }) == 1);
  CHECK(changes([&] { ui::apply(state, engine::PointMeasured{1, "cpu", fake::point(2)}); }) == 1);
  CHECK(changes([&] {
          state.documents.opened.push_back({"a.json", *state.documents.sessions.begin()->second});
        }) == 1);
  CHECK(changes([&] { ui::close_opened(state, 0); }) == 1);
  CHECK(changes([&] { ui::set_cursor(state, 77, 0); }) == 0);
}

TEST_CASE("a reason of several lines stays one row of copied Markdown") {
  ui::AppState state = fake::opened();
  engine::Point failed = fake::point(16);
  failed.status = engine::Status::failed;
  failed.why = "one\ntwo";
  ui::apply(state, engine::PointMeasured{1, "cpu", failed});
  const std::string markdown = ui::markdown_of(state, rows_now(state));
  CHECK(lines(markdown) == 3);
  CHECK(markdown.find("one two") != std::string::npos);
}

TEST_CASE("what a filter has looked through is kept until its session changes or goes") {
  ui::AppState state = measured();
  state.documents.opened.push_back({"other.json", *state.documents.sessions.begin()->second});
  ui::RowTexts texts;
  const auto columns_read = [&] {
    const auto& session = *state.documents.sessions.begin()->second;
    const auto own = texts.find({ui::version_of(state, session), ""});
    return own == texts.end() ? 0 : own->second.front().columns;
  };
  for (const char* filter :
       {"f", "unf", "unfused", "unfused other.json", "fused 8", "zzz", "", ""}) {
    state.look.results.filter = filter;
    CHECK(ui::result_rows(state, texts) == rows_now(state));
    if (state.look.results.filter == "f") CHECK(columns_read() == 1);
    if (state.look.results.filter == "zzz") CHECK(columns_read() == ui::result_columns.size() - 3);
  }
  CHECK(columns_read() == 0);  // forgotten without a filter
  state.look.results.filter = "zzz";
  ui::result_rows(state, texts);
  ui::apply(state, engine::PointMeasured{1, "cpu", fake::point(2)});
  CHECK(columns_read() == 0);
  state.look.results.filter = "fused";
  CHECK(ui::result_rows(state, texts) == rows_now(state));
}

TEST_CASE("copied Markdown is a table of the words, copied CSV that of session files") {
  ui::AppState state = measured();
  const std::string markdown = ui::markdown_of(state, rows_now(state));
  CHECK(lines(markdown) == 7);
  CHECK(std::regex_search(markdown, std::regex("^\\| Series +\\| +Run \\| +Ops \\|")));
  CHECK(std::regex_search(markdown, std::regex("\n\\| :-+ \\| -+: \\| -+: \\|")));
  CHECK(markdown.find("wrong result \\| element 3") != std::string::npos);
  const engine::Session& session = *state.documents.sessions.begin()->second;
  CHECK(ui::csv_of(state, rows_now(state)) == engine::to_csv(session));
  state.documents.opened.push_back({"other.json", session});
  const std::string both = ui::csv_of(state, rows_now(state));
  CHECK(lines(both) == 11);  // one header
  CHECK(ui::cell_text(state, {1, 0}, ResultColumn::series) == "fp32 fused · other.json");
}

TEST_CASE("the table lists the lab on screen until all labs are asked for, and names them then") {
  ui::AppState state = measured();
  engine::Point other = fake::point(64);
  other.lab = "fma";
  other.what.ops = kernels::Op::mul;
  ui::apply(state, engine::PointMeasured{1, "cpu", other});
  CHECK(rows_now(state).size() == 5);
  CHECK_FALSE(ui::varying_in(state, rows_now(state)).in(ResultColumn::lab));
  ui::show_lab(state, *engine::find_lab("fma"));
  REQUIRE(rows_now(state).size() == 1);
  CHECK(column(state, ResultColumn::series).front().find("mul") != std::string::npos);
  state.look.results.all_labs = true;
  CHECK(rows_now(state).size() == 6);
  CHECK(column(state, ResultColumn::lab).back() == "fma");
  CHECK(ui::varying_in(state, rows_now(state)).in(ResultColumn::lab));
}

TEST_CASE("a size is a column where the rows differ in it") {
  ui::AppState state = fake::opened();
  fake::measure(state, {4});
  engine::Point larger = fake::point(4);
  larger.what.elements *= 2;
  ui::apply(state, engine::PointMeasured{1, "cpu", larger});
  const ui::Varying varying = ui::varying_in(state, rows_now(state));
  CHECK(varying.in(ResultColumn::elements));
  CHECK_FALSE(varying.in(ResultColumn::repeat));
  CHECK(varying.in(ResultColumn::runtime));
}

TEST_CASE("int8 is counted in OP: intensity and throughput of its row") {
  ui::AppState state = fake::opened();
  engine::Point point = fake::point(64);
  point.what.dtype = kernels::Dtype::int8;
  ui::apply(state, engine::PointMeasured{1, "cpu", point});
  CHECK(column(state, ResultColumn::intensity).front().ends_with(" OP/byte"));
  CHECK(column(state, ResultColumn::flops).front().ends_with("OP/s"));
  CHECK(column(state, ResultColumn::flops).front().find("FLOP") == std::string::npos);
}
