// The legend above all charts: one row of series and signs, two where they need it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ui/actions/intents.hpp"
#include "ui/screen/legend.hpp"
#include "ui/views/views.hpp"

namespace ui {
namespace {

constexpr float legend_line = 20;  // pixels at scale 1, as all below
constexpr float sample_gap = 5;    // between a sample and its words
constexpr float cell_gap = 14;     // between cells
constexpr float group_gap = 10;    // more of it before a session
constexpr float above_and_below = 2;
constexpr int most_legend_rows = 2;
constexpr const char* legend_popup = "legend.all";

/// Something in the strip and where it lies, from the strip's upper left corner.
struct LegendCell {
  enum class Kind { title, entry, key, more } kind = Kind::title;
  std::size_t group = 0, index = 0;  ///< of an entry; the index of a key
  std::string text;
  plot::Rect place;
};
struct LegendRows {
  std::vector<LegendCell> cells;
  double height = 0;
};

double sample_of(const Ui& ui) { return plot::sample_width(ui.theme.plot); }

/// All that the strip has, in its order.
std::vector<LegendCell> cells_of(const LegendStrip& strip) {
  using Kind = LegendCell::Kind;
  std::vector<LegendCell> cells;
  for (std::size_t i = 0; i < strip.groups.size(); ++i) {
    const LegendGroup& group = strip.groups[i];
    cells.push_back({Kind::title, i, 0, group.title, {}});
    for (std::size_t j = 0; j < group.entries.size(); ++j)
      cells.push_back({Kind::entry, i, j, group.entries[j].text, {}});
  }
  for (std::size_t i = 0; i < strip.keys.size(); ++i)
    cells.push_back({Kind::key, 0, i, strip.keys[i].text, {}});
  return cells;
}

double width_of(Ui& ui, LegendCell& cell, double most) {
  const bool title = cell.kind == LegendCell::Kind::title;
  const double before = title ? 0 : sample_of(ui) + ui.theme.pixels(sample_gap);
  cell.text = elided(ui, cell.text, most - before, ui.theme.pixels(small_size), title);
  return before + text_width(ui, cell.text, small_size, title);
}

/// Of a title and the entries behind it, up to `end`.
double width_of_group(Ui& ui, const std::vector<LegendCell>& cells, std::size_t title,
                      std::size_t end) {
  double width = cells[title].place.w;
  for (std::size_t i = title + 1; i < std::min(end, cells.size()); ++i) {
    if (cells[i].kind != LegendCell::Kind::entry) break;
    width += ui.theme.pixels(cell_gap) + cells[i].place.w;
  }
  return width;
}

/// Where the cells come to lie in so many rows, `reserved` kept free at the end of the last one;
/// how many found a place. With `whole`, no session begins in a row that has no room for all of it.
std::size_t flow(Ui& ui, std::vector<LegendCell>& cells, double width, double reserved, bool whole,
                 int& rows_used) {
  const double high = ui.theme.pixels(legend_line);
  double x = 0;
  int row = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    LegendCell& cell = cells[i];
    const bool title = cell.kind == LegendCell::Kind::title;
    const double own = cell.place.w;
    // A title stands before its first entry.
    const std::size_t end = whole ? cells.size() : i + 2;
    const double together = title ? width_of_group(ui, cells, i, end) : own;
    if (title && x > 0) x += ui.theme.pixels(group_gap);
    const double room = width - (row + 1 == most_legend_rows ? reserved : 0);
    if (x > 0 && x + together > room) {
      x = 0;
      ++row;
    }
    if (row >= most_legend_rows || (row + 1 == most_legend_rows && x + together > width - reserved))
      return i;
    cell.place = {x, row * high, own, high};
    rows_used = row + 1;
    x += own + ui.theme.pixels(cell_gap);
  }
  return cells.size();
}

bool is_hidden(const Ui& ui, const LegendEntry& entry) {
  return std::ranges::all_of(
      entry.ids, [&](const std::string& id) { return ui.state.look.view.hidden.contains(id); });
}

void draw_sample_of(Ui& ui, const LegendStrip& strip, const LegendCell& cell,
                    const plot::Rect& where) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  const plot::Rect sample{where.x, where.y + 0.2 * where.h, sample_of(ui), 0.6 * where.h};
  if (cell.kind == LegendCell::Kind::key) {
    plot::draw_sample(strip.keys[cell.index], sample, ui.theme.plot, canvas);
    return;
  }
  const LegendEntry& entry = strip.groups[cell.group].entries[cell.index];
  plot::Series look = entry.look;
  look.hidden = is_hidden(ui, entry);
  plot::draw_sample(look, sample, ui.theme.plot, canvas);
}

void draw_words(Ui& ui, const LegendStrip& strip, const LegendCell& cell, const plot::Rect& where,
                plot::Colour colour) {
  const bool title = cell.kind == LegendCell::Kind::title;
  const double before = title ? 0 : sample_of(ui) + ui.theme.pixels(sample_gap);
  if (!title) draw_sample_of(ui, strip, cell, where);
  text_at(ui, {where.x + before, where.y + where.h / 2}, cell.text, small_size, title, colour);
}

/// A click hides and shows, a second one at once leaves the series alone.
void take_click(Ui& ui, const LegendStrip& strip, const LegendEntry& entry, bool alone) {
  if (alone)
    isolate_series(ui.state, entry.ids, strip.ids());
  else
    toggle_series(ui.state, entry.ids);
}

void draw_entry(Ui& ui, const LegendStrip& strip, const LegendCell& cell, const plot::Rect& where) {
  const LegendEntry& entry = strip.groups[cell.group].entries[cell.index];
  ui.map.legend.push_back({*entry.ids.begin(), entry.text, where});
  if (ui.state.look.presenting) return draw_words(ui, strip, cell, where, ui.theme.text);
  const std::string name = fmt::format("legend.{}.{}", cell.group, cell.index);
  const double pad = ui.theme.pixels(4);
  const plot::Rect face{where.x - pad, where.y, where.w + 2 * pad, where.h};
  click_area(name, where);
  const bool hot = ImGui::IsItemHovered();
  if (hot) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left))
      take_click(ui, strip, entry, ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left));
  }
  const bool focused = has_focus(ui, name, face);
  KeyFocus& keys = ui.state.look.keys;
  if (focused && std::exchange(keys.click, false)) take_click(ui, strip, entry, keys.shift);
  const bool hidden = is_hidden(ui, entry);
  tip_on_hover(ui,
               fmt::format("{}, {}\nClick to {}. Double click to show it alone, or all again.",
                           entry.text, strip.groups[cell.group].title,
                           hidden ? "show it" : "hide it everywhere; it is not measured again"));
  if ((hot || focused) && !hidden) ui.state.look.pointed_series = entry.ids;
  if (hot) fill_rect(*ImGui::GetWindowDrawList(), face, ui.theme.control, ui.theme.px(3));
  draw_words(ui, strip, cell, where, hidden ? ui.theme.text_disabled : ui.theme.text);
  ui.map.controls[name] = {where, true, hidden ? "hidden" : "shown"};
}

/// Everything in one list.
void draw_popup(Ui& ui, const LegendStrip& strip) {
  ImGui::SetNextWindowSizeConstraints({0, 0},
                                      {ui.theme.px(460), 0.7F * ImGui::GetIO().DisplaySize.y});
  if (!ImGui::BeginPopup(legend_popup)) return;
  if (presses(ui, Key::escape) > 0) ImGui::CloseCurrentPopup();
  std::vector<LegendCell> cells = cells_of(strip);
  double width = ui.theme.pixels(160);
  for (LegendCell& cell : cells) width = std::max(width, width_of(ui, cell, ui.theme.pixels(420)));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  for (const LegendCell& cell : cells) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const plot::Rect where{at.x, at.y, width, ui.theme.pixels(legend_line)};
    if (cell.kind == LegendCell::Kind::entry)
      draw_entry(ui, strip, cell, where);
    else
      draw_words(ui, strip, cell, where, ui.theme.text_dim);
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({static_cast<float>(where.w), static_cast<float>(where.h)});
  }
  ImGui::PopStyleVar();
  ImGui::EndPopup();
}

void draw_more(Ui& ui, const LegendCell& cell, const plot::Rect& where) {
  const std::string name = "legend.more";
  const bool clicked = click_area(name, where);
  const bool hot = ImGui::IsItemHovered();
  if (enter_clicks(ui, name, where) || clicked) ImGui::OpenPopup(legend_popup);
  tip_on_hover(ui, "Show all entries.");
  text_at(ui, {where.x, where.y + where.h / 2}, cell.text, small_size, false,
          hot ? ui.theme.text : ui.theme.accent);
  ui.map.controls[name] = {where, true, cell.text};
}

/// In rows of `width`: one, or two; what finds no room there is counted in a last cell.
LegendRows legend_rows(Ui& ui, const LegendStrip& strip, double width) {
  std::vector<LegendCell> cells = cells_of(strip);
  // A long name leaves room for others.
  for (LegendCell& cell : cells) {
    const bool title = cell.kind == LegendCell::Kind::title;
    cell.place.w = width_of(ui, cell, (title ? 0.35 : 0.6) * width);
  }
  int rows = 0;
  const std::vector<LegendCell> all = cells;
  std::size_t shown = flow(ui, cells, width, 0, true, rows);
  if (shown < cells.size()) shown = flow(ui, cells = all, width, 0, false, rows);
  if (shown < cells.size()) {
    cells = all;
    const double reserved = ui.theme.pixels(80);
    shown = flow(ui, cells, width, reserved, false, rows);
    // A title without an entry names nothing.
    while (shown > 0 && cells[shown - 1].kind == LegendCell::Kind::title) --shown;
    const auto left_out =
        std::count_if(cells.begin() + static_cast<std::ptrdiff_t>(shown), cells.end(),
                      [](const LegendCell& cell) { return cell.kind != LegendCell::Kind::title; });
    cells.resize(shown);
    const double high = ui.theme.pixels(legend_line);
    const plot::Rect last = cells.empty() ? plot::Rect{0, 0, 0, high} : cells.back().place;
    cells.push_back({LegendCell::Kind::more,
                     0,
                     0,
                     fmt::format("+{} more", left_out),
                     {last.right() + ui.theme.pixels(cell_gap), last.y, reserved, high}});
  }
  const double pad = 2 * ui.theme.pixels(above_and_below);
  return {std::move(cells), rows == 0 ? 0 : rows * ui.theme.pixels(legend_line) + pad};
}

}  // namespace

double draw_legend(Ui& ui, const LegendStrip& strip, plot::Vec at, double width) {
  using Kind = LegendCell::Kind;
  const LegendRows rows = legend_rows(ui, strip, width);
  ui.state.look.pointed_series.clear();
  for (const LegendCell& cell : rows.cells) {
    const plot::Rect where{at.x + cell.place.x,
                           at.y + cell.place.y + ui.theme.pixels(above_and_below), cell.place.w,
                           cell.place.h};
    if (cell.kind == Kind::entry)
      draw_entry(ui, strip, cell, where);
    else if (cell.kind == Kind::more)
      draw_more(ui, cell, where);
    else
      draw_words(ui, strip, cell, where, ui.theme.text_dim);
  }
  draw_popup(ui, strip);
  return rows.height;
}

}  // namespace ui
