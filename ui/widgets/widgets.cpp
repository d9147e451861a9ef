#include "ui/widgets/widgets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/widgets/imgui_compat.hpp"

namespace ui {

namespace {

plot::Rect rect_of(ImVec2 at, ImVec2 size) { return {at.x, at.y, size.x, size.y}; }

/// One clickable box with centred text; the caller decides what it looks like.
bool box(Ui& ui, const std::string& name, const Choice& choice, ImVec2 size, plot::Colour normal,
         plot::Colour hovered, ImDrawFlags corners) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool enabled = choice.why_not.empty();
  ImGui::BeginDisabled(!enabled);
  const bool clicked = click_area(name, rect_of(at, size));
  const bool hot = enabled && ImGui::IsItemHovered();
  ImGui::EndDisabled();
  report(ui, name, {last_item(), enabled, choice.chosen ? "chosen" : "", ImGui::IsItemActive()});
  tip_on_hover(ui, enabled ? choice.help : choice.why_not);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  plot::Colour face = hot ? hovered : normal;
  if (!enabled) face.a = 0.45F;
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, colour_of(face), ui.theme.px(4), corners);
  const double font_size = ui.theme.pixels(text_size);
  ImGuiCanvas canvas(list, ui.fonts);
  const double dot = choice.mark ? ui.theme.pixels(4) : 0;
  const double width =
      canvas.text_extent(choice.label, font_size, false).x + (choice.mark ? 2 * dot + 4 : 0);
  const plot::Vec middle{at.x + size.x / 2, at.y + size.y / 2};
  double left = std::round(middle.x - width / 2);
  if (choice.mark) {
    plot::Colour mark = *choice.mark;
    if (!choice.chosen) mark.a = enabled ? 0.55F : 0.25F;
    canvas.dot({left + dot, middle.y}, dot, mark);
    left += 2 * dot + 4;
  }
  const plot::Colour colour = !enabled                        ? ui.theme.text_disabled
                              : choice.chosen || !choice.mark ? ui.theme.text
                                                              : ui.theme.text_dim;
  canvas.text({left, middle.y}, choice.label, font_size, colour, plot::Align::left, 0, false);
  return (enabled && enter_clicks(ui, name, rect_of(at, size))) || clicked;
}

/// Lines broken at spaces. ImGui's own wrapping breaks after full stops too: "1." and "66 ms".
std::string in_lines(const std::string& words, float width) {
  std::string lines;
  std::size_t line = 0;  // where the last one begins
  std::size_t at = 0;
  while (at < words.size()) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string word = words.substr(at, end - at);
    const std::string longer = lines.substr(line) + ' ' + word;
    if (lines.empty()) {
      lines = word;
    } else if (ImGui::CalcTextSize(longer.c_str()).x <= width) {
      lines += ' ' + word;
    } else {
      lines += '\n';
      line = lines.size();
      lines += word;
    }
    at = end + 1;
  }
  return lines;
}

}  // namespace

void report(Ui& ui, const std::string& name, const UiMap::Control& control) {
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  UiMap::Control seen = control;
  const double top = std::max<double>(seen.rect.y, at.y);
  const double end = std::min<double>(seen.rect.bottom(), at.y + size.y);
  if (end <= top) return;
  seen.rect.y = top;
  seen.rect.h = end - top;
  ui.map.controls[name] = seen;
}

bool has_focus(Ui& ui, const std::string& name, const plot::Rect& at) {
  // What lies below an open list or dialog is out of reach.
  const bool reachable = !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup) ||
                         ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows |
                                                ImGuiFocusedFlags_NoPopupHierarchy);
  if (!reachable) return false;
  ui.map.focusable.push_back(name);
  KeyFocus& keys = ui.state.look.keys;
  if (keys.control != name) return false;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    keys = {};  // whoever takes the mouse has left the keys
    return false;
  }
  if (keys.moved && !ImGui::IsRectVisible(vec_of({at.x, at.y}), vec_of({at.right(), at.bottom()})))
    ImGui::SetScrollFromPosY(static_cast<float>(at.y + at.h / 2) - ImGui::GetWindowPos().y);
  ImGui::GetWindowDrawList()->AddRect(vec_of({at.x, at.y}), vec_of({at.right(), at.bottom()}),
                                      colour_of(ui.theme.text), ui.theme.px(4), 0,
                                      std::max(ui.theme.px(1.5F), 1.0F));
  return true;
}

bool enter_clicks(Ui& ui, const std::string& name, const plot::Rect& at) {
  return has_focus(ui, name, at) && std::exchange(ui.state.look.keys.click, false);
}

bool click_area(const std::string& name, plot::Rect at) {
  ImGui::SetCursorScreenPos(vec_of({at.x, at.y}));
  return ImGui::InvisibleButton(name.c_str(), vec_of({std::max(at.w, 1.0), std::max(at.h, 1.0)}));
}

int presses(const Ui& ui, Key key) {
  return static_cast<int>(std::ranges::count(ui.keys, KeyPress{key}));
}

void modal(const Ui& ui, const char* name, const std::function<bool()>& is_open,
           const std::function<void()>& fill, ImVec2 padding, std::optional<float> top) {
  if (is_open() && !ImGui::IsPopupOpen(name)) ImGui::OpenPopup(name);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float y = top ? ui.theme.px(*top) : screen.y / 2;
  ImGui::SetNextWindowPos({screen.x / 2, y}, ImGuiCond_Always, {0.5F, top ? 0 : 0.5F});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      {ui.theme.px(padding.x), ui.theme.px(padding.y)});
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_AlwaysAutoResize |
                                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::BeginPopupModal(name, nullptr, flags)) {
    dim_at_once();
    if (is_open()) fill();
    if (!is_open()) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

void copy_text(Ui& ui, const std::string& text, std::string said) {
  ImGui::SetClipboardText(text.c_str());
  notify(ui.state, std::move(said), false);
}

plot::Rect rest_of_window() {
  return rect_of(ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail());
}

plot::Rect last_item() { return rect_of(ImGui::GetItemRectMin(), ImGui::GetItemRectSize()); }

void tip_on_hover(const Ui& ui, const std::string& text, TipClick click) {
  if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  const plot::Rect item = last_item();
  std::optional<Tip>& tip = ui.state.look.tip;
  if (!tip || tip->x != item.x || tip->y != item.y) tip = Tip{.x = item.x, .y = item.y};
  tip->claimed = true;
  const ImGuiIO& io = ImGui::GetIO();
  const bool moves = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
  if (tip->due == 0 || moves) tip->due = ui.now + rest_before_tip;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const bool disabled = !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    (disabled || click == TipClick::shows ? tip->shown : tip->spent) = true;
  }
  if (!tip->shown || tip->spent) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ui.theme.px(340));
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void forget_left_tip(Ui& ui) {
  std::optional<Tip>& tip = ui.state.look.tip;
  if (tip && !std::exchange(tip->claimed, false)) tip.reset();
}

void text(Ui& ui, const std::string& words, float size, bool bold, plot::Colour colour) {
  const float pixels = ui.theme.px(size);
  push_font(ui.fonts.nearest(pixels, bold).face, pixels);
  ImGui::PushStyleColor(ImGuiCol_Text, imgui(colour));
  ImGui::TextUnformatted(words.c_str());
  ImGui::PopStyleColor();
  pop_font();
}

void text_at(const Ui& ui, plot::Vec at, const std::string& words, float size, bool bold,
             plot::Colour colour, plot::Align align) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  canvas.text(at, words, ui.theme.pixels(size), colour, align, 0, bold);
}

double text_width(const Ui& ui, const std::string& words, float size, bool bold) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  return canvas.text_extent(words, ui.theme.pixels(size), bold).x;
}

bool text_within(Ui& ui, const std::string& words, double width, float size, bool bold,
                 plot::Colour colour) {
  const std::string fits = elided(ui, words, width, ui.theme.pixels(size), bold);
  text(ui, fits, size, bold, colour);
  return fits == words;
}

bool wrapped(Ui&, const std::string& words, float width, plot::Colour colour, float height) {
  const std::string lines = in_lines(words, width);
  // A path may be one long word: that one ImGui breaks.
  const float limit = width + 1;
  if (ImGui::CalcTextSize(lines.c_str(), nullptr, false, limit).y > height) return false;
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + limit);
  ImGui::PushStyleColor(ImGuiCol_Text, imgui(colour));
  ImGui::TextUnformatted(lines.c_str());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
  return true;
}

float wrapped_height(const std::string& words, float width) {
  return words.empty() ? 0 : ImGui::CalcTextSize(words.c_str(), nullptr, false, width).y;
}

void sentences(Ui& ui, const std::string& name, std::span<const Sentence> all, float width) {
  const float line = ImGui::GetTextLineHeightWithSpacing();
  std::string rest;
  for (const Sentence& one : all) {
    const float room = ImGui::GetContentRegionAvail().y - line;
    if (!rest.empty() || !wrapped(ui, one.words, width, one.colour, room))
      rest += (rest.empty() ? "" : "\n") + one.words;
  }
  if (rest.empty()) return;
  text(ui, "more ...", small_size, false, ui.theme.accent);
  ui.map.controls[name] = {last_item(), true, rest};
  tip_on_hover(ui, rest, TipClick::shows);
}

void placeholder(Ui& ui, const plot::Rect& where, const char* words) {
  text_at(ui, {where.x + where.w / 2, where.y + where.h / 2}, words, title_size, false,
          ui.theme.text_dim, plot::Align::centre);
}

std::string elided(Ui& ui, const std::string& words, double width, double size, bool bold) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  if (canvas.text_extent(words, size, bold).x <= width) return words;
  std::string cut = words;
  while (!cut.empty() && canvas.text_extent(cut + "...", size, bold).x > width) {
    cut.pop_back();
    // never in the middle of a UTF-8 sequence
    while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0) == 0x80) cut.pop_back();
    if (!cut.empty() && static_cast<unsigned char>(cut.back()) >= 0xC0) cut.pop_back();
  }
  return cut + "...";
}

void caption(Ui& ui, const std::string& label, std::string_view help, float width,
             const std::string& value, bool strong) {
  const float left = ImGui::GetCursorPosX();
  const float wide =
      value.empty() ? 0 : static_cast<float>(text_width(ui, value, small_size, strong));
  const float room = value.empty() ? width : width - wide - ui.theme.px(6);
  text_within(ui, label, room, small_size, false, ui.theme.text_dim);
  tip_on_hover(ui, std::string(help));
  if (value.empty()) return;
  ImGui::SameLine();
  ImGui::SetCursorPosX(left + width - wide);
  text(ui, value, small_size, strong, strong ? ui.theme.text : ui.theme.text_dim);
}

bool button(Ui& ui, const std::string& name, const std::string& label, ImVec2 size,
            const std::string& why_not, const std::string& help) {
  return coloured_button(ui, name, label, size, ui.theme.control, ui.theme.control_hover, why_not,
                         help);
}

bool coloured_button(Ui& ui, const std::string& name, const std::string& label, ImVec2 size,
                     plot::Colour normal, plot::Colour hovered, const std::string& why_not,
                     const std::string& help) {
  return box(ui, name, {label, false, help, why_not}, size, normal, hovered,
             ImDrawFlags_RoundCornersAll);
}

bool fold(Ui& ui, const std::string& name, const std::string& label, const std::string& value,
          bool open) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const plot::Rect line = rect_of(at, {full_width(), ui.theme.px(22)});
  bool clicked = click_area(name, line);
  const bool hot = ImGui::IsItemHovered();
  report(ui, name, {last_item(), true, open ? "open" : "", ImGui::IsItemActive()});
  if (enter_clicks(ui, name, line)) clicked = true;
  const plot::Colour colour = hot ? ui.theme.text : ui.theme.text_dim;
  const double half = ui.theme.pixels(3.5F);
  const double x = line.x + 1.5 * half, y = line.y + line.h / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (open)
    list.AddTriangleFilled(vec_of({x - half, y - half / 2}), vec_of({x + half, y - half / 2}),
                           vec_of({x, y + half}), colour_of(colour));
  else
    list.AddTriangleFilled(vec_of({x - half / 2, y - half}), vec_of({x - half / 2, y + half}),
                           vec_of({x + half, y}), colour_of(colour));
  text_at(ui, {x + 3 * half, y}, label, small_size, false, colour);
  text_at(ui, {line.right(), y}, value, small_size, false, ui.theme.text_dim, plot::Align::right);
  return clicked;
}

std::optional<std::size_t> segments(Ui& ui, const std::string& name,
                                    std::span<const Choice> choices, float width, float height) {
  std::optional<std::size_t> clicked;
  const float gap = 1;
  const float count = static_cast<float>(choices.size());
  const float left = ImGui::GetCursorPosX();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    // Rounded edges of neighbours meet: no segment is a pixel wider than its share.
    const float from = std::round(width * static_cast<float>(i) / count);
    const float to = std::round(width * static_cast<float>(i + 1) / count) - gap;
    if (i > 0) ImGui::SameLine(left + from);
    const plot::Colour face = choices[i].chosen ? ui.theme.chosen : ui.theme.control;
    const plot::Colour hot = choices[i].chosen ? ui.theme.chosen : ui.theme.control_hover;
    ImDrawFlags corners = ImDrawFlags_RoundCornersNone;
    if (i == 0) corners = ImDrawFlags_RoundCornersLeft;
    if (i + 1 == choices.size())
      corners = i == 0 ? ImDrawFlags_RoundCornersAll : ImDrawFlags_RoundCornersRight;
    if (box(ui, name + "." + choices[i].label, choices[i], {to - from, ui.theme.px(height)}, face,
            hot, corners)) {
      clicked = i;
    }
  }
  return clicked;
}

std::vector<std::size_t> in_rows(std::size_t count, std::size_t most) {
  std::vector<std::size_t> rows;
  for (std::size_t left = (count + most - 1) / most; left > 0; --left) {
    rows.push_back((count + left - 1) / left);
    count -= rows.back();
  }
  return rows;
}

void list_rows(Ui& ui, const char* name, const plot::Rect& where, std::size_t count,
               const std::function<void(std::size_t, const plot::Rect&)>& row) {
  ImGui::SetCursorScreenPos(vec_of({where.x, where.y}));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild(name, vec_of({where.w, where.h}), false, ImGuiWindowFlags_NoNav);
  const float height = ui.theme.px(row_height);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(count), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const float y = origin.y + static_cast<float>(i) * height;
      row(static_cast<std::size_t>(i), {origin.x, y, width, height});
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

void draw_cell(Ui& ui, const plot::Rect& row, const Cell& cell) {
  const std::string shown =
      elided(ui, cell.text, cell.width, ui.theme.pixels(text_size), cell.bold);
  const double x = row.x + cell.x + (cell.right ? cell.width : 0);
  text_at(ui, {x, row.y + row.h / 2}, shown, text_size, cell.bold, cell.colour,
          cell.right ? plot::Align::right : plot::Align::left);
}

void report_row(Ui& ui, const std::string& name, const std::string& value) {
  const plot::Rect item = last_item();
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const plot::Rect window{at.x, at.y, size.x, size.y};
  const bool whole = window.contains({item.x, item.y}) && window.contains({item.x, item.bottom()});
  if (whole) ui.map.controls[name] = {item, true, value};
}

void move_focus(Ui& ui, int direction) {
  KeyFocus& keys = ui.state.look.keys;
  const std::vector<std::string>& all = ui.map.focusable;
  if (all.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(all.size());
  const auto found = std::ranges::find(all, keys.control);
  const std::ptrdiff_t at = found != all.end() ? found - all.begin() + direction
                            : direction > 0    ? 0
                                               : count - 1;
  keys.moved = true;
  keys.control = all[static_cast<std::size_t>((at + count) % count)];
}

}  // namespace ui
