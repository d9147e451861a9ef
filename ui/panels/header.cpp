#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/labs/lab.hpp"
#include "ui/actions/intents.hpp"
#include "ui/panels/panels.hpp"
#include "ui/screen/limits.hpp"
#include "ui/screen/progress.hpp"

namespace ui {

namespace {

constexpr float pages_width = 160;   // of "Charts", and what stands apart
constexpr float labs_width = 150;    // of the menu of labs
constexpr float limits_width = 84;   // of "fit" and "lock"
constexpr float axis_width = 228;    // of "ops", "FLOP/byte" and "both"
constexpr float label_width = 106;   // of "Horizontal axis" before them
constexpr float opened_width = 104;  // of the menu of opened sessions
constexpr float gap_width = 14;

/// Where the pages of the lab, the menu of opened sessions, and what follows it begin.
struct Begins {
  float pages, opened, rest;
};

Begins begins_of(const Ui& ui) {
  const auto room = [&](bool any, float width) { return any ? ui.theme.px(width + gap_width) : 0; };
  const float pages = ui.theme.px(gap_width) + room(!lists_labs(ui), labs_width);
  const float opened = pages + room(has_apart(lab_on_screen(ui.state)), pages_width);
  return {pages, opened, opened + room(!ui.state.documents.opened.empty(), opened_width)};
}

/// Whether a chart of the lab can show what another device would do.
bool compares(const AppState& state) {
  return std::ranges::any_of(charts_on_screen(state), [](const engine::Chart& chart) {
    return chart.has(engine::Overlay::what_if);
  });
}

/// Whether a chart of the lab is drawn over repeats, or over FLOP/byte, as the user chooses.
bool chooses_axis(const AppState& state) {
  return std::ranges::any_of(charts_on_screen(state), [](const engine::Chart& chart) {
    return chart.x_metric() != nullptr && chart.x_metric()->key == "repeat";
  });
}

/// What there is room for. A narrow window gives up the label of the axis first, then what F, K and
/// the palette do as well.
struct Room {
  bool axis, what_if, limits, label;
};

Room room_of(const Ui& ui, float right) {
  constexpr float least_menu = 70;
  float free = right - begins_of(ui).rest - ui.theme.px(axis_width);
  float needed = ui.theme.px(least_menu + gap_width);
  // Whoever sees another device's roofs must find what takes them away.
  const float wanted = ui.state.look.view.what_if ? needed : 0;
  const bool axis = chooses_axis(ui.state) && free >= wanted;
  if (!axis) free += ui.theme.px(axis_width);
  const bool what_if = compares(ui.state) && free >= needed;
  needed += ui.theme.px(limits_width + gap_width);
  const bool limits = free >= needed;
  needed += ui.theme.px(label_width + gap_width);
  return {axis, what_if, limits, axis && free >= needed};
}

/// Where the label of the axis begins, or the axis when there is no room for its label.
float before_axis(const Ui& ui, float right) {
  const Room room = room_of(ui, right);
  return right - ui.theme.px((room.axis ? axis_width : 0) + (room.label ? label_width : 0));
}

/// The list of labs where a column of its own has no room.
void labs_menu(Ui& ui) {
  const engine::Lab& now = lab_on_screen(ui.state);
  const auto labs = engine::labs();
  const auto rows = [&] {
    std::vector<MenuRow> all;
    for (const engine::Lab* lab : labs) {
      const bool chosen = lab == &now;
      all.push_back({fmt::format("lab.{}", lab->name), std::string(lab->title), chosen,
                     chosen ? "chosen" : "", std::string(lab->question)});
    }
    if (!ui.state.documents.exercises.empty()) all.push_back({"exercises", "Exercises"});
    return all;
  };
  const auto taken = menu(ui,
                          {.name = "labs",
                           .shown = std::string(now.title),
                           .width = ui.theme.px(labs_width),
                           .help = std::string(now.question) + " Click for the other labs.",
                           .value = std::string(now.name)},
                          rows);
  if (!taken) return;
  if (*taken < labs.size()) {
    show_lab(ui.state, *labs[*taken]);
  } else {
    show_exercises(ui.state);
  }
}

/// The lab's charts, or those of it that stand apart.
void page_choice(Ui& ui) {
  if (!has_apart(lab_on_screen(ui.state))) return;
  const bool apart = shows_apart(ui.state);
  const engine::Lab& lab = lab_on_screen(ui.state);
  const std::string others = titles_of(lab, true);
  const std::array<Choice, 2> choices{
      {{"Charts", !apart, titles_of(lab, false)}, {others, apart, others}}};
  ImGui::SetCursorPos({begins_of(ui).pages, ui.theme.px(8)});
  if (const auto clicked = segments(ui, "page", choices, ui.theme.px(pages_width)))
    show_apart(ui.state, *clicked == 1);
}

void axis_label(Ui& ui, float right) {
  const float size = ui.theme.px(small_size);
  const char* words = "Horizontal axis";
  const float label = static_cast<float>(text_width(ui, words, small_size, false));
  ImGui::SameLine(right - ui.theme.px(10) - label);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + std::round((ui.theme.px(24) - size) / 2) - 2);
  text(ui, words, small_size, false, ui.theme.text_dim);
  tip_on_hover(ui, "For runtime, FLOP/s and bandwidth; the roofline is always over FLOP/byte.");
}

void axis_choice(Ui& ui, float right) {
  if (!room_of(ui, right).axis) return;
  const float width = ui.theme.px(axis_width);
  if (room_of(ui, right).label) axis_label(ui, right - width);
  ImGui::SameLine(right - width);
  ImGui::SetCursorPosY(ui.theme.px(8));
  const XAxis now = ui.state.look.view.x;
  const std::array<Choice, 3> choices{
      {{"ops", now == XAxis::repeat, "Plot over the ops per element."},
       {"FLOP/byte", now == XAxis::intensity,
        "Plot over the FLOP per byte moved; unfused points then share one column."},
       {"both", now == XAxis::both,
        "Plot over the ops per element, with the FLOP/byte of fused points on top (for the "
        "slider's element type)."}}};
  if (const auto clicked = segments(ui, "x", choices, width)) {
    set_x_axis(ui.state, static_cast<XAxis>(*clicked));
  }
}

/// Whether the axes follow what is measured.
void limits_choice(Ui& ui, float right) {
  if (!room_of(ui, right).limits) return;
  const float width = ui.theme.px(limits_width);
  ImGui::SameLine(before_axis(ui, right) - ui.theme.px(gap_width) - width);
  ImGui::SetCursorPosY(ui.theme.px(8));
  const ZoomState& zoom = ui.state.look.zoom;
  const bool locked =
      std::ranges::all_of(charts_on_screen(ui.state),
                          [&](const engine::Chart& chart) { return is_locked(zoom, chart); });
  const std::array<Choice, 2> choices{
      {{"fit", !is_zoomed(zoom), "Fit the axes to the data (F)."},
       {"lock", locked, "Lock the axes; new points do not move them (K)."}}};
  const auto clicked = segments(ui, "axes", choices, width);
  if (!clicked) return;
  if (*clicked == 0) {
    ui.state.look.zoom = {};
  } else {
    lock_axes(ui.state);
  }
}

/// The opened sessions, each to be closed; nothing while there is none.
void opened_menu(Ui& ui) {
  const std::size_t count = ui.state.documents.opened.size();
  if (count == 0) return;
  const bool view_only = is_view_only(ui.state);
  const std::string shown = fmt::format("{} {}", count, view_only ? "view only" : "opened");
  ImGui::SameLine(begins_of(ui).opened);
  const char* help = view_only
                         ? "These sessions are only looked at: the slider shows what they hold, or "
                           "what their roofs predict. Space measures this machine beside them."
                         : "The sessions shown beside this one; each can be closed.";
  const auto rows = [&] {
    std::vector<MenuRow> all{
        {.name = "opened.compare",
         .label = "Compare A and B",
         .help = "Say at each point how much faster one session is than another."}};
    for (std::size_t i = 0; i < count; ++i) {
      const OpenedFile& file = ui.state.documents.opened[i];
      const char* unsaved = file.autosave.empty() ? "" : " (not saved)";
      all.push_back({fmt::format("opened.{}", i), fmt::format("×  {}{}", file.name, unsaved), false,
                     file.name, "Close this session; Ctrl+Z reopens it."});
    }
    return all;
  };
  const Menu list{
      .name = "opened", .shown = shown, .width = ui.theme.px(opened_width), .help = help};
  const auto taken = menu(ui, list, rows);
  if (!taken) return;
  if (*taken == 0) {
    show_comparison(ui.state);
  } else {
    close_opened(ui.state, *taken - 1);
  }
}

std::vector<MenuRow> what_if_rows(const AppState& state) {
  const auto& now = state.look.view.what_if;
  std::vector<MenuRow> rows{{"what_if.none", "none", !now}};
  for (const engine::SheetDevice& sheet : state.documents.sheets) {
    const bool chosen = now && now->device.name == sheet.name;
    rows.push_back({"what_if." + sheet.name, sheet.name, chosen, chosen ? "chosen" : ""});
  }
  return rows;
}

/// Another device's datasheet over what is on screen.
void what_if_choice(Ui& ui, float right) {
  const Room room = room_of(ui, right);
  if (!room.what_if) return;
  const float left = begins_of(ui).rest;
  const float limits = ui.theme.px(room.limits ? limits_width + gap_width : 0);
  const float end = before_axis(ui, right) - limits - ui.theme.px(gap_width);
  const float width = std::min(ui.theme.px(230), end - left);
  const View& view = ui.state.look.view;
  const std::string shown = !view.what_if ? "What if ..." : "What if: " + view.what_if->device.name;
  ImGui::SameLine(left);
  const char* help =
      "Draw the roofs of another device from its datasheet, and predict the best that these series "
      "can reach on it. Nothing is measured on it.";
  const Menu list{.name = "what_if", .shown = shown, .width = width, .help = help};
  if (const auto taken = menu(ui, list, [&] { return what_if_rows(ui.state); }))
    set_what_if(ui.state, *taken == 0 ? std::nullopt : std::optional(*taken - 1));
}

void search_button(Ui& ui, float right) {
  const float width = ui.theme.px(124);
  ImGui::SameLine(right - width);
  const std::string why_not = why_no_search(ui.state);
  if (button(ui, "remeasure", "Measure again", {width, ui.theme.px(24)}, why_not)) {
    measure_roofs(ui.state, true);
  }
  if (!why_not.empty()) return;
  tip_on_hover(ui, fmt::format("Search the kernel shapes of all roofs of {} again. Measure all "
                               "roofs reuses the shapes of an earlier search.",
                               ui.state.spec.device));
}

void roofs_menu(Ui& ui, const SessionChoice& shown, float width) {
  const std::vector<SessionChoice> choices = roofs_choices(ui.state);
  const auto rows = [&] {
    std::vector<MenuRow> all;
    for (const SessionChoice& choice : choices)
      all.push_back({fmt::format("roofs.of.{}", choice.number), choice.title,
                     choice.number == shown.number, choice.title});
    return all;
  };
  const Menu list{.name = "roofs.of",
                  .shown = shown.title,
                  .width = width,
                  .help = shown.title + ". Click for the roofs of another session."};
  if (const auto taken = menu(ui, list, rows)) show_roofs_of(ui.state, choices[*taken].number);
}

/// Whose roofs these are: the chosen device's, or those of a file.
void roofs_owner(Ui& ui, float right) {
  const auto shown = roofs_choice(ui.state);
  if (!shown) return;
  const float left = begins_of(ui).opened;
  const float width = right - ui.theme.px(124 + 14) - left;
  ImGui::SameLine(left);
  if (roofs_choices(ui.state).size() > 1) {
    roofs_menu(ui, *shown, width);
    return;
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ui.theme.px(24);
  const double room = std::max<double>(0, width);
  ImGui::Dummy({std::max(1.0F, width), height});
  text_at(ui, {at.x, at.y + height / 2},
          elided(ui, shown->title, room, ui.theme.pixels(text_size), true), text_size, true,
          ui.theme.text);
  ui.map.controls["roofs.of"] = {last_item(), true, shown->title};
  tip_on_hover(ui, shown->title);
}

/// What fills the middle instead of charts, and the way back.
void comparison_title(Ui& ui, float right) {
  ImGui::SetCursorPos({begins_of(ui).pages, ui.theme.px(11)});
  text(ui, "Compare A and B", title_size, true, ui.theme.text);
  const float width = ui.theme.px(140);
  ImGui::SetCursorPos({right - width, ui.theme.px(8)});
  if (button(ui, "compare.close", "Back to the charts", {width, ui.theme.px(24)}, {},
             "Show the charts of the lab again (Escape)."))
    hide_comparison(ui.state);
}

}  // namespace

void draw_header(Ui& ui) {
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  if (!lists_labs(ui)) labs_menu(ui);
  if (ui.state.look.comparing) {
    comparison_title(ui, right);
    return;
  }
  page_choice(ui);
  if (lab_on_screen(ui.state).lists_roofs) {
    roofs_owner(ui, right);
    search_button(ui, right);
  } else {
    axis_choice(ui, right);
    opened_menu(ui);
    limits_choice(ui, right);
    what_if_choice(ui, right);
  }
}

}  // namespace ui
