#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/units.hpp"
#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/dialogs/dialogs.hpp"
#include "ui/figures/point_facts.hpp"

namespace ui {

namespace {

struct Answer {
  CloseAnswer answer;
  const char* name;
  const char* label;
};

constexpr std::array answers{Answer{CloseAnswer::save, "closing.save", "Save..."},
                             Answer{CloseAnswer::discard, "closing.discard", "Discard"},
                             Answer{CloseAnswer::cancel, "closing.cancel", "Cancel"}};

/// Tab goes round, the arrows do not.
CloseAnswer moved(const Ui& ui, CloseAnswer from) {
  int tabs = 0;
  for (const KeyPress& press : ui.keys)
    if (press.key == Key::tab && !press.ctrl) tabs += press.shift ? -1 : 1;
  const int count = static_cast<int>(answers.size());
  const int round = ((static_cast<int>(from) + tabs) % count + count) % count;
  const int there = round + presses(ui, Key::right) - presses(ui, Key::left);
  return static_cast<CloseAnswer>(std::clamp(there, 0, count - 1));
}

void sessions(Ui& ui) {
  constexpr std::size_t most = 8;
  std::vector<Unsaved> all = unsaved(ui.state);
  std::erase_if(all, [](const Unsaved& one) { return !one.asked_for; });
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) {
    const auto points =
        std::ranges::count_if(all[i].session->points, [](const engine::Point& point) {
          return in_sweep(point) && point.status == engine::Status::ok;
        });
    const std::string kept = points == 0 ? "roofs" : units::counted(points, "point");
    text(ui, fmt::format("{}: {}", all[i].title, kept), text_size, false, ui.theme.text);
  }
  if (all.size() > most) {
    text(ui, fmt::format("and {} more", all.size() - most), text_size, false, ui.theme.text);
  }
}

/// The answer that is clicked.
std::optional<CloseAnswer> buttons(Ui& ui, CloseAnswer chosen) {
  std::optional<CloseAnswer> clicked;
  const ImVec2 size{ui.theme.px(104), ui.theme.px(28)};
  for (const Answer& one : answers) {
    if (one.answer != answers.front().answer) ImGui::SameLine();
    const bool here = one.answer == chosen;
    if (coloured_button(ui, one.name, one.label, size, here ? ui.theme.run : ui.theme.control,
                        here ? ui.theme.run_hover : ui.theme.control_hover)) {
      clicked = one.answer;
    }
    ui.map.controls[one.name].value = here ? "chosen" : "";
  }
  return clicked;
}

void fill_question(Ui& ui) {
  const CloseAnswer chosen = moved(ui, *ui.state.dialogs.closing);
  ui.state.dialogs.closing = chosen;
  text(ui, "Save these sweeps?", title_size, true, ui.theme.text);
  text(ui, "These sweeps are not saved. Closing the window discards them.", small_size, false,
       ui.theme.text_dim);
  sessions(ui);
  ImGui::Dummy({1, ui.theme.px(4)});
  const auto clicked = buttons(ui, chosen);
  if (clicked) {
    answer_closing(ui.state, *clicked);
  } else if (presses(ui, Key::enter) > 0) {
    answer_closing(ui.state, chosen);
  } else if (presses(ui, Key::escape) > 0) {
    answer_closing(ui.state, CloseAnswer::cancel);
  }
  ui.keys = {};  // none is left for what the answer opens
}

}  // namespace

void draw_close_question(Ui& ui) {
  modal(
      ui, "##close", [&] { return ui.state.dialogs.closing.has_value(); },
      [&] { fill_question(ui); });
}

}  // namespace ui
