#include <array>

#include "ui/actions/actions.hpp"
#include "ui/dialogs/dialogs.hpp"

namespace ui {

namespace {

/// What is done with the mouse; what is done with a key is an action.
struct Gesture {
  Topic topic;
  const char* where;
  const char* meaning;
};

constexpr std::array gestures{
    Gesture{Topic::look, "Pointer on a plot", "Read numbers in all panels"},
    Gesture{Topic::look, "Click on a point", "Show its samples, formula and command"},
    Gesture{Topic::look, "Wheel, drag", "Zoom, move; beside an axis only that axis"},
    Gesture{Topic::look, "Drag the cursor line", "Choose the ops per element"},
    Gesture{Topic::look, "Double click", "Maximise a plot, or restore"},
    Gesture{Topic::look, "Drag between panels", "Resize panels; double click resets"},
    Gesture{Topic::look, "Click in a legend", "Hide or show a series"},
    Gesture{Topic::look, "Escape", "Close what covers the plots"},
    Gesture{Topic::look, "Tab, Shift+Tab", "Go through the controls"},
    Gesture{Topic::look, "Enter, arrows", "Click that control, or move it"},
    Gesture{Topic::keep, "Drop files", "Open these sessions"},
};

void row(Ui& ui, const std::string& keys, const std::string& meaning) {
  text(ui, keys, text_size, false, ui.theme.text);
  ImGui::SameLine(ui.theme.px(128));  // counts from where the group begins
  text(ui, meaning, text_size, false, ui.theme.text_dim);
}

void topic(Ui& ui, const char* heading, Topic of, const std::vector<Action>& actions) {
  ImGui::Dummy({1, ui.theme.px(4)});
  text(ui, heading, text_size, true, ui.theme.accent);
  for (const Action& action : actions) {
    if (action.topic == of && !action.keys.empty()) row(ui, keys_of(action), action.title);
  }
  for (const Gesture& gesture : gestures) {
    if (gesture.topic == of) row(ui, gesture.where, gesture.meaning);
  }
}

void fill_help(Ui& ui) {
  const float left = ImGui::GetCursorPosX();
  const std::vector<Action> actions = actions_of(ui.state);
  text(ui, "Keys and mouse", title_size, true, ui.theme.text);
  ImGui::BeginGroup();
  topic(ui, "Measure", Topic::measure, actions);
  topic(ui, "File", Topic::keep, actions);
  ImGui::EndGroup();
  ImGui::SameLine(left + ui.theme.px(430));
  ImGui::BeginGroup();
  topic(ui, "View", Topic::look, actions);
  ImGui::EndGroup();
  ImGui::Dummy({1, ui.theme.px(6)});
  if (button(ui, "help.close", "Close", {ui.theme.px(96), ui.theme.px(28)}))
    ui.state.dialogs.help = false;
}

}  // namespace

void draw_help(Ui& ui) {
  modal(
      ui, "help", [&] { return ui.state.dialogs.help; }, [&] { fill_help(ui); });
}

}  // namespace ui
