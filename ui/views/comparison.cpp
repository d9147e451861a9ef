// Two sides compared: what each is, a sentence, the charts of their ratios, and the table.
#include "ui/figures/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/compare/told.hpp"
#include "ui/screen/compared.hpp"
#include "ui/views/panel_view.hpp"
#include "ui/views/views.hpp"

namespace ui {

namespace {

constexpr std::array panel_names{"compare.time", "compare.share", "compare.side_a",
                                 "compare.side_b"};
static_assert(panel_names.size() == compared_panels.size());

/// A side, how its controls are called, and the words to choose from.
struct SideControls {
  const char* letter;
  const char* name;
  ComparedSide& chosen;
  const std::vector<std::string>& words;
};

void compared_session_choice(Ui& ui, const SideControls& side, float width) {
  const std::vector<SessionChoice> sessions = compared_sessions(ui.state);
  const std::size_t now = side.chosen.session;
  const auto chosen = std::ranges::find(sessions, now, &SessionChoice::number);
  const std::string shown = chosen != sessions.end() ? chosen->title : "choose a session";
  const std::string name = fmt::format("{}.session", side.name);
  const auto rows = [&] {
    std::vector<MenuRow> all;
    for (const SessionChoice& one : sessions)
      all.push_back(
          {fmt::format("{}.{}", name, one.number), one.title, one.number == now, one.title});
    return all;
  };
  const std::string help = fmt::format("{} is {}. Click for another session.", side.letter, shown);
  const Menu list{.name = name, .shown = shown, .width = width, .help = help};
  if (const auto taken = menu(ui, list, rows)) side.chosen = {sessions[*taken].number, {}};
}

void words_choice(Ui& ui, const SideControls& side, float width) {
  const std::string now = side.chosen.words;
  const std::string name = fmt::format("{}.words", side.name);
  const auto rows = [&] {
    std::vector<MenuRow> all{{name + ".all", "all points", now.empty()}};
    for (const std::string& word : side.words)
      all.push_back({fmt::format("{}.{}", name, word), word, word == now, word});
    return all;
  };
  const char* help = "Which of its points: a series, an element type, fused or unfused, a run.";
  const Menu list{
      .name = name, .shown = now.empty() ? "all points" : now, .width = width, .help = help};
  if (const auto taken = menu(ui, list, rows))
    side.chosen.words = *taken == 0 ? "" : side.words[*taken - 1];
}

/// One side from x on: its letter, its session, which of its points.
void side_choice(Ui& ui, const SideControls& side, ImVec2 at, float width) {
  const float gap = ui.theme.px(8), letter = ui.theme.px(18), height = ui.theme.px(24);
  const float session = std::floor((width - letter - gap) * 0.62F);
  ImGui::SetCursorPos({at.x, at.y + (height - ui.theme.px(text_size)) / 2});
  text(ui, side.letter, text_size, true, ui.theme.accent);
  ImGui::SetCursorPos({at.x + letter, at.y});
  compared_session_choice(ui, side, session);
  ImGui::SetCursorPos({at.x + letter + session + gap, at.y});
  words_choice(ui, side, width - letter - gap - session);
}

/// A and B side by side, in a narrow window below each other.
void side_choices(Ui& ui, const ComparedView& view) {
  const ImVec2 left = ImGui::GetCursorPos(), size{ui.theme.px(82), ui.theme.px(24)};
  const float gap = ui.theme.px(8), width = full_width();
  const bool narrow = width < ui.theme.px(900);
  const float beside = narrow ? size.x + gap : 2 * (size.x + gap) + gap;
  const float each = std::floor((width - beside) / (narrow ? 1 : 2));
  const float next = left.y + size.y + gap;
  const ImVec2 second = narrow ? ImVec2{left.x, next} : ImVec2{left.x + each + gap, left.y};
  Comparing& comparing = *ui.state.look.comparing;
  side_choice(ui, {"A", "compare.a", comparing.a, view.words_a}, left, each);
  side_choice(ui, {"B", "compare.b", comparing.b, view.words_b}, second, each);
  const float end = left.x + width - size.x;
  ImGui::SetCursorPos({narrow ? end : end - gap - size.x, left.y});
  if (button(ui, "compare.swap", "Swap", size, {}, "A becomes B, and B becomes A."))
    std::swap(comparing.a, comparing.b);
  ImGui::SetCursorPos({end, second.y});
  const std::string why_not = view.table.empty() ? "There are no common points to copy." : "";
  if (button(ui, "compare.csv", "Copy CSV", size, why_not, "Copy the table in SI units."))
    copy_text(ui, engine::csv_of(view.comparison), "Copied the comparison as CSV.");
  ImGui::SetCursorPos({left.x, second.y + size.y + gap});
}

void said_of_sides(Ui& ui, const ComparedView& view) {
  const float width = full_width();
  wrapped(ui, view.summary, width, ui.theme.text);
  ui.map.controls["compare.summary"] = {last_item(), true, view.summary};
  if (view.notes.empty()) return;
  text_within(ui, view.notes, width, small_size, false, ui.theme.text_dim);
  tip_on_hover(ui, view.notes);
}

/// The value of the point under the pointer.
void hover_ratio(Ui& ui, const plot::Figure& figure, const plot::Layout& layout, bool ratio) {
  if (!layout.plot.contains(mouse()) || !ImGui::IsWindowHovered()) return;
  const plot::Transform transform = plot::transform_of(figure, layout);
  const double reach = snap_radius * ui.theme.plot.scale;
  const auto point = nearest_drawn(figure, transform, mouse(), reach);
  if (!point) return;
  cross_dot(ui, transform.to_pixel(point->at().x, point->at().y));
  const engine::Metric& metric = ratio ? engine::metrics::factor : engine::metrics::runtime;
  draw_read_out(ui, point->series->name, readings_of(metric, figure, *point), layout.frame);
}

/// Both ratios, and below them both sides where there is room.
void comparison_charts(Ui& ui, const ComparedView& view, const plot::Rect& all) {
  const std::size_t rows = all.h >= ui.theme.pixels(400) ? 2 : 1;
  const double gap = ui.theme.pixels(10);
  const double w = std::floor((all.w - gap) / 2);
  const double h =
      std::floor((all.h - gap * static_cast<double>(rows - 1)) / static_cast<double>(rows));
  for (std::size_t i = 0; i < std::min(view.figures.size(), 2 * rows); ++i) {
    const plot::Rect where{all.x + static_cast<double>(i % 2) * (w + gap),
                           all.y + static_cast<double>(i / 2) * (h + gap), w, h};
    ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
    canvas.push_clip(where);
    const plot::Layout layout = plot::draw(view.figures[i], where, ui.theme.plot, canvas);
    canvas.pop_clip();
    ui.map.plots[panel_names[i]] = {layout, view.figures[i].x, view.figures[i].y, {}, {}};
    hover_ratio(ui, view.figures[i], layout, i < 2);
  }
}

/// A column of the table that has room, and where it lies.
struct TableColumn {
  std::size_t cell = 0;
  double x = 0, width = 0;
};

/// Which column is given up when room is short: first those of the shares, then the sizes but one,
/// then the durations; the name, the ratio and the outcome stay.
std::optional<std::size_t> given_up(const std::vector<TableColumn>& columns, std::size_t cells) {
  const std::size_t sizes = cells - 8;
  std::vector<std::size_t> order{cells - 2, cells - 4, cells - 3};
  for (std::size_t i = sizes; i > 1; --i) order.push_back(i);
  order.insert(order.end(), {cells - 7, cells - 6, std::size_t{1}});
  for (const std::size_t cell : order) {
    if (std::ranges::find(columns, cell, &TableColumn::cell) != columns.end()) return cell;
  }
  return std::nullopt;
}

/// Each as wide as its widest cell, those that have room.
std::vector<TableColumn> columns_of_table(Ui& ui,
                                          const std::vector<std::vector<std::string>>& table,
                                          double room) {
  constexpr std::size_t most_measured = 60;  // long tables have cells of the same kind
  const double gap = ui.theme.pixels(18);
  const std::size_t cells = table.front().size();
  std::vector<TableColumn> columns(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    columns[i].cell = i;
    for (std::size_t row = 0; row < std::min(table.size(), most_measured); ++row)
      columns[i].width =
          std::max(columns[i].width, text_width(ui, table[row][i], text_size, false) + 2);
  }
  // Why a pair is undecided is said by the tip of its row, too.
  columns.back().width = std::min(columns.back().width, ui.theme.pixels(230));
  const auto used = [&] {
    double sum = 0;
    for (const TableColumn& column : columns) sum += column.width + gap;
    return sum;
  };
  while (used() > room) {
    const auto cell = given_up(columns, cells);
    if (!cell) break;
    // What is given up of A is of no use of B alone.
    const bool both = *cell == cells - 7 || *cell == cells - 4;
    std::erase_if(columns, [&](const TableColumn& column) {
      return column.cell == *cell || (both && column.cell == *cell + 1);
    });
  }
  const double air =
      std::clamp((room - used()) / static_cast<double>(columns.size()), 0.0, ui.theme.pixels(24));
  double x = ui.theme.pixels(6);
  for (TableColumn& column : columns) {
    column.x = x;
    x += column.width + gap + air;
  }
  return columns;
}

plot::Colour colour_of_pair(const Theme& theme, engine::Outcome outcome) {
  return outcome == engine::Outcome::faster   ? theme.good
         : outcome == engine::Outcome::slower ? theme.warning
         : outcome == engine::Outcome::equal  ? theme.text
                                              : theme.text_dim;
}

void table_row(Ui& ui, const std::vector<std::string>& cells,
               const std::vector<TableColumn>& columns, const plot::Rect& at, plot::Colour face,
               plot::Colour outcome) {
  for (const TableColumn& column : columns) {
    const bool last = column.cell + 1 == cells.size();
    draw_cell(ui, at,
              {column.x, column.width, cells[column.cell], last ? outcome : face, false,
               column.cell > 0 && !last});
  }
}

/// All cells of a row, one on each line.
std::string row_in_words(const std::vector<std::string>& head,
                         const std::vector<std::string>& cells) {
  std::string words = cells.front();
  for (std::size_t i = 1; i < cells.size(); ++i)
    words += fmt::format("\n{}{}: {}", i + 2 == cells.size() ? "of roof, " : "", head[i], cells[i]);
  return words;
}

void comparison_table(Ui& ui, const ComparedView& view, const plot::Rect& where) {
  const double height = ui.theme.pixels(row_height);
  const bool scrolls = static_cast<double>(view.table.size()) * height > where.h;
  const double bar = scrolls ? ImGui::GetStyle().ScrollbarSize : 0;
  const std::vector<TableColumn> columns = columns_of_table(ui, view.table, where.w - bar);
  table_row(ui, view.table.front(), columns, {where.x, where.y, where.w, height}, ui.theme.text_dim,
            ui.theme.text_dim);
  list_rows(ui, "comparison", {where.x, where.y + height, where.w, where.h - height},
            view.table.size() - 1, [&](std::size_t i, const plot::Rect& row) {
              const std::vector<std::string>& cells = view.table[i + 1];
              const std::string name = fmt::format("compare.row.{}", i);
              click_area(name, row);
              report_row(ui, name, cells.back());
              tip_on_hover(ui, row_in_words(view.table.front(), cells), TipClick::shows);
              table_row(ui, cells, columns, row, ui.theme.text,
                        colour_of_pair(ui.theme, view.comparison.pairs[i].outcome));
            });
}

}  // namespace

void draw_comparison(Ui& ui) {
  if (!ui.state.look.comparing) return;  // the header has left it in this frame
  const ComparedView& view =
      ui.panels.compared.get(compared_key(ui.state), [&] { return compared_view(ui.state); });
  ImGui::Dummy({1, ui.theme.px(2)});
  side_choices(ui, view);
  said_of_sides(ui, view);
  ImGui::Dummy({1, ui.theme.px(6)});
  const plot::Rect rest = rest_of_window();
  const plot::Rect all{rest.x, rest.y, std::max(1.0, rest.w), std::max(1.0, rest.h)};
  if (view.table.empty()) return;
  const double wanted = static_cast<double>(view.table.size()) * ui.theme.pixels(row_height);
  const double table = std::floor(std::min(wanted, all.h * 0.42));
  const double gap = ui.theme.pixels(10);
  const double charts = all.h - table - gap;
  if (charts > ui.theme.pixels(90)) comparison_charts(ui, view, {all.x, all.y, all.w, charts});
  comparison_table(ui, view, {all.x, all.y + charts + gap, all.w, std::max(1.0, table)});
}

}  // namespace ui
