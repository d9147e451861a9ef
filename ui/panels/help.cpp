#include "ui/panels/help.hpp"

#include <array>

namespace ui {

namespace {

constexpr const char* popup = "help";

struct Entry {
  const char* keys;
  const char* meaning;  ///< empty: `keys` is a heading
};

constexpr std::array entries{
    Entry{"Measure", ""},
    Entry{"Space", "run or stop; in the roofs view, measure all roofs"},
    Entry{"Left, Right", "move the intensity slider; its point is measured at rest"},
    Entry{"Home, End", "one op per element, as many as there can be"},
    Entry{"Look", ""},
    Entry{"Pointer on a plot", "read numbers in all panels"},
    Entry{"Click on a point", "its samples, formula, conditions and command; Escape closes"},
    Entry{"Wheel, drag", "zoom, move; beside an axis only that axis"},
    Entry{"Drag the cursor line", "move the intensity slider from within any plot"},
    Entry{"Double click, 1 to 4", "one plot alone, and back; Escape too"},
    Entry{"F, K", "fit all axes; keep them as they are"},
    Entry{"Drag between panels", "divide the window; double click: as it was"},
    Entry{"Ctrl B", "fold the controls away, bring them back"},
    Entry{"Click in a legend", "hide or show a series"},
    Entry{"Ctrl + plus, minus, 0", "larger, smaller, as the monitor says"},
    Entry{"Ctrl L", "light or dark"},
    Entry{"Keep", ""},
    Entry{"Ctrl O, Ctrl S", "open a session file, save this one"},
    Entry{"Ctrl E", "export the plots as PNG, SVG or PDF"},
    Entry{"Ctrl Shift C", "copy the picture to the clipboard"},
    Entry{"Ctrl Z", "bring back what Clear took away"},
    Entry{"F1", "this list"},
};

void fill(Ui& ui) {
  const float left = ImGui::GetCursorPosX();
  const float second = left + ui.theme.px(170);
  text(ui, "Keys and mouse", title_size, true, ui.theme.text);
  for (const Entry& entry : entries) {
    const bool heading = *entry.meaning == '\0';
    if (heading) ImGui::Dummy({1, ui.theme.px(4)});
    text(ui, entry.keys, text_size, heading, heading ? ui.theme.accent : ui.theme.text);
    if (heading) continue;
    ImGui::SameLine(second);
    text(ui, entry.meaning, text_size, false, ui.theme.text_dim);
  }
  ImGui::Dummy({1, ui.theme.px(6)});
  if (button(ui, "help.close", "Close", {ui.theme.px(96), ui.theme.px(28)})) ui.state.help = false;
}

}  // namespace

void draw_help(Ui& ui) {
  if (ui.state.help && !ImGui::IsPopupOpen(popup)) ImGui::OpenPopup(popup);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.theme.px(20), ui.theme.px(18)});
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_AlwaysAutoResize |
                                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::BeginPopupModal(popup, nullptr, flags)) {
    fill(ui);
    if (!ui.state.help) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace ui
