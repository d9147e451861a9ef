#include "ui/screen/results.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ui/actions/intents.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/views/panel_cache.hpp"
#include "ui/views/views.hpp"

namespace ui {

namespace {

struct Width {
  ResultColumn column;
  float least;  ///< pixels at scale 1
};

constexpr float lab_choice_width = 126;
constexpr float inset = 12;  // of the cells in their row; the ring of a flagged point before them

/// What is given up last stands first: the tooltip of a row has it.
constexpr std::array widths{Width{ResultColumn::series, 124},    Width{ResultColumn::lab, 100},
                            Width{ResultColumn::repeat, 56},     Width{ResultColumn::elements, 74},
                            Width{ResultColumn::runtime, 74},    Width{ResultColumn::spread, 84},
                            Width{ResultColumn::flops, 98},      Width{ResultColumn::share, 62},
                            Width{ResultColumn::bound, 127},     Width{ResultColumn::bandwidth, 88},
                            Width{ResultColumn::intensity, 110}, Width{ResultColumn::run, 40},
                            Width{ResultColumn::remarks, 120}};
static_assert(widths.size() == result_columns.size());

struct ColumnPlace {
  ResultColumn column;
  double x = 0, width = 0;
};

/// The rows, and in which columns they differ.
const std::pair<std::vector<Hovered>, Varying>& rows_on_screen(Ui& ui) {
  return ui.panels.rows.get(results_key(ui.state), [&] {
    std::vector<Hovered> rows = result_rows(ui.state, ui.panels.row_texts);
    const Varying varying = varying_in(ui.state, rows);
    return std::pair(std::move(rows), varying);
  });
}

/// The columns that tell rows apart and fit, in their order.
std::vector<ColumnPlace> columns_of(const Ui& ui, const Varying& varying, double width) {
  std::vector<ResultColumn> fits;
  const auto left = ui.theme.pixels(inset);
  double needed = left;
  for (const Width& wanted : widths) {
    if (!varying.in(wanted.column)) continue;
    needed += ui.theme.pixels(wanted.least);
    if (needed > width && !fits.empty()) break;
    fits.push_back(wanted.column);
  }
  std::vector<ColumnPlace> places;
  double used = left;
  for (const ResultColumn column : result_columns) {
    if (std::ranges::find(fits, column) == fits.end()) continue;
    const auto wanted = std::ranges::find(widths, column, &Width::column);
    places.push_back({column, used, ui.theme.pixels(wanted->least)});
    used += places.back().width;
  }
  // Names of files are long: the first column takes what is left over before the others do.
  const double spare = std::max(0.0, width - used);
  const double first = std::min(spare, ui.theme.pixels(120));
  const double air = (spare - first) / static_cast<double>(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i].x += air * static_cast<double>(i) + (i > 0 ? first : 0);
    places[i].width += air + (i == 0 ? first : 0);
  }
  return places;
}

/// Numbers stand at the right, words at the left: not close to a number before them.
Cell cell_of(const Ui& ui, const ColumnPlace& place, std::string words, plot::Colour colour,
             bool bold) {
  const bool number = is_number(place.column);
  const auto gap = ui.theme.pixels(10);
  const double before = number || place.column == result_columns.front() ? 0 : gap;
  return {place.x + before, place.width - gap - before, std::move(words), colour, bold, number};
}

/// Which way a column is sorted, in the gap after its title: none is cut for it.
void draw_order(Ui& ui, const plot::Rect& row, const Cell& title, bool ascending) {
  const double wide = title.right ? title.width : text_width(ui, title.text, text_size, title.bold);
  text_at(ui, {row.x + title.x + wide + ui.theme.pixels(5), row.y + row.h / 2},
          ascending ? "▲" : "▼", 9, false, ui.theme.accent, plot::Align::centre);
}

void heading(Ui& ui, const std::vector<ColumnPlace>& places, const plot::Rect& row) {
  ResultsTable& table = ui.state.look.results;
  for (const ColumnPlace& place : places) {
    const std::string title{title_of(place.column)};
    const std::string name = "sort." + title;
    if (click_area(name, {row.x + place.x, row.y, place.width, row.h})) {
      sort_by(table, place.column);
    }
    const bool sorted = table.column == place.column;
    ui.map.controls[name] = {last_item(), true, !sorted ? "" : table.ascending ? "up" : "down"};
    tip_on_hover(ui, "Click to sort, again to reverse, a third time for the measured order.");
    const plot::Colour colour =
        sorted || ImGui::IsItemHovered() ? ui.theme.text : ui.theme.text_dim;
    const Cell cell = cell_of(ui, place, title, colour, sorted);
    draw_cell(ui, row, cell);
    if (sorted) draw_order(ui, row, cell, table.ascending);
  }
}

/// The regime's own colour; that of text where it is none, or several.
plot::Colour colour_of_limit(const Theme& theme, std::string_view words) {
  for (const engine::Regime regime :
       {engine::Regime::overhead, engine::Regime::bandwidth, engine::Regime::compute})
    if (words == name_of(regime)) return colour_of_regime(theme, regime);
  return theme.text;
}

/// The whole name, and what has no column of its own now.
std::string rest_of(const Ui& ui, const Hovered& row, const std::vector<ColumnPlace>& places) {
  std::string rest = cell_text(ui.state, row, ResultColumn::series);
  for (const ResultColumn column : result_columns) {
    const std::string words = cell_text(ui.state, row, column);
    if (words.empty() || std::ranges::find(places, column, &ColumnPlace::column) != places.end())
      continue;
    rest += fmt::format("\n{}: {}", title_of(column), words);
  }
  return rest;
}

void result_row(Ui& ui, const std::vector<Hovered>& rows, std::size_t i,
                const std::vector<ColumnPlace>& places, const plot::Rect& at) {
  ResultsTable& table = ui.state.look.results;
  const std::string name = fmt::format("result.{}", i);
  const bool clicked = click_area(name, {at.x, at.y, at.w, at.h - 1});
  const bool selected = table.selected.contains(rows[i]);
  report_row(ui, name, selected ? "chosen" : "");
  const bool hot = ImGui::IsItemHovered();
  if (selected || hot)
    fill_rect(*ImGui::GetWindowDrawList(), {at.x, at.y, at.w, at.h - 1},
              selected ? ui.theme.chosen : ui.theme.control, ui.theme.px(3));
  if (hot) {
    table.pointed = rows[i];
    tip_on_hover(ui, rest_of(ui, rows[i], places));
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) inspect(ui.state, rows[i]);
  }
  // As in the plots; the column that says why may not fit.
  const engine::Session& session = *sessions_shown(ui.state)[rows[i].session];
  const engine::Point& point = session.points[rows[i].point];
  if (is_flagged(session, point)) {
    ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
    const double middle = at.x + ui.theme.pixels(inset - 5);
    plot::draw_sample(plot::Key{}, {middle, at.y, 0, at.h}, ui.theme.plot, canvas);
  }
  const bool timed = point.status == engine::Status::ok;
  for (const ColumnPlace& place : places) {
    if (!timed && place.column == ResultColumn::runtime) {
      // "skipped: one run would take 3.4 s, ...", in place of what was not measured.
      const double gap = ui.theme.pixels(10);
      const std::string status = cell_text(ui.state, rows[i], ResultColumn::bound);
      draw_cell(ui, at,
                {place.x + gap, at.w - place.x - 2 * gap, fmt::format("{}: {}", status, point.why),
                 ui.theme.text_dim});
      break;
    }
    const std::string words = cell_text(ui.state, rows[i], place.column);
    const plot::Colour colour =
        place.column == ResultColumn::bound ? colour_of_limit(ui.theme, words) : ui.theme.text;
    draw_cell(ui, at, cell_of(ui, place, words, colour, false));
  }
  const ImGuiIO& io = ImGui::GetIO();
  if (clicked) select_row(table, rows, i, io.KeyCtrl, io.KeyShift);
}

/// Whose points the table lists.
void lab_choice(Ui& ui) {
  const bool all = ui.state.look.results.all_labs;
  const std::array<Choice, 2> choices{
      {{"this lab", !all, "Only the points of the lab on screen."},
       {"all labs", all, "The points of every lab, with its name."}}};
  if (const auto clicked = segments(ui, "results.labs", choices, ui.theme.px(lab_choice_width), 20))
    ui.state.look.results.all_labs = *clicked == 1;
}

/// The field, and a cross that empties it once it holds something.
void filter_field(Ui& ui, float width) {
  std::string filter = ui.state.look.results.filter;
  const bool filters = !filter.empty();  // before what is typed in this frame
  const float side = ui.theme.px(20), gap = ui.theme.px(4);
  const float room = width - (filters ? side + gap : 0);
  ImGui::SetNextItemWidth(room);
  const float padding = (ui.theme.px(20) - ImGui::GetFontSize()) / 2;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.theme.px(8), padding});
  const char* const example = "filter: fp32 unfused 8, skipped, ...";
  const bool has_room = ImGui::CalcTextSize(example).x < room - ui.theme.px(16);
  if (ImGui::InputTextWithHint("##filter", has_room ? example : "filter", &filter))
    ui.state.look.results.filter = filter;
  ImGui::PopStyleVar();
  ui.map.controls["results.filter"] = {last_item(), true, filter, ImGui::IsItemActive()};
  tip_on_hover(ui,
               "Shows the rows in which every term that you type begins a word. A whole number is "
               "the ops per element; unmeasured finds what was skipped or failed.");
  if (!filters) return;
  ImGui::SameLine(0, gap);
  if (button(ui, "results.unfilter", "×", {side, side}, {}, "Show all rows again."))
    ui.state.look.results.filter.clear();
}

/// The rows that are to be copied, as one of the texts for other programs.
void copy(Ui& ui, const std::vector<Hovered>& rows,
          std::string (*text_of)(const AppState&, const std::vector<Hovered>&),
          const char* format) {
  const std::vector<Hovered> copied = rows_to_copy(ui.state, rows);
  copy_text(ui, text_of(ui.state, copied),
            fmt::format("Copied {} {} as {}.", copied.size(), copied.size() == 1 ? "row" : "rows",
                        format));
}

}  // namespace

void draw_results_tools(Ui& ui) {
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const float each = ui.theme.px(112);
  const float gap = ui.theme.px(6);
  ImGui::SameLine(0, ui.theme.px(14));
  lab_choice(ui);
  ImGui::SameLine(0, ui.theme.px(8));
  const float left = ImGui::GetCursorPosX();
  filter_field(ui, std::min(ui.theme.px(260), right - left - 2 * (each + gap) - gap));
  const std::vector<Hovered>& rows = rows_on_screen(ui).first;
  const std::string why_not = rows.empty() ? "There are no rows to copy." : "";
  const ImVec2 size{each, ui.theme.px(20)};
  ImGui::SameLine(right - 2 * each - gap);
  if (button(ui, "results.markdown", "Copy Markdown", size, why_not,
             "Copy the selected rows, or all, as a table.")) {
    copy(ui, rows, markdown_of, "Markdown");
  }
  ImGui::SameLine(right - each);
  if (button(ui, "results.csv", "Copy CSV", size, why_not,
             "Copy the selected rows, or all, in SI units.")) {
    copy(ui, rows, csv_of, "CSV");
  }
}

void draw_results(Ui& ui) {
  const plot::Rect all = rest_of_window();
  ui.state.look.results.pointed.reset();
  const auto& shown = rows_on_screen(ui);
  const std::vector<Hovered>& rows = shown.first;
  const double height = ui.theme.pixels(row_height);
  const bool scrolls = static_cast<double>(rows.size()) * height > all.h - height;
  const double bar = scrolls ? ImGui::GetStyle().ScrollbarSize : 0;
  const std::vector<ColumnPlace> places = columns_of(ui, shown.second, all.w - bar);
  heading(ui, places, {all.x, all.y, all.w - bar, height});
  if (rows.empty()) {
    const ResultsTable& table = ui.state.look.results;
    const char* words = !table.filter.empty() ? "No row matches the filter."
                        : table.all_labs      ? "Nothing is measured yet."
                                              : "Nothing is measured in this lab yet.";
    draw_cell(ui, {all.x, all.y + height, all.w, height}, {0, all.w, words, ui.theme.text_dim});
    return;
  }
  list_rows(ui, "results", {all.x, all.y + height, all.w, all.h - height}, rows.size(),
            [&](std::size_t i, const plot::Rect& row) { result_row(ui, rows, i, places, row); });
}

}  // namespace ui
