#include "ui/panels/hints.hpp"

#include "ui/actions/hints.hpp"

namespace ui {

namespace {

constexpr float pad = 12;  // before the words of a hint, for its bullet
constexpr float gap = 22;  // between hints

/// Words behind a bullet, with no face: what has one is a button.
void hint_words(Ui& ui, const std::string& name, const std::string& words, const plot::Rect& at) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  const double middle = at.y + at.h / 2;
  canvas.dot({at.x + static_cast<double>(ui.theme.px(3)), middle},
             static_cast<double>(ui.theme.px(2)), ui.theme.accent);
  canvas.text({at.x + static_cast<double>(ui.theme.px(pad)), middle}, words,
              static_cast<double>(ui.theme.px(small_size)), ui.theme.accent, plot::Align::left, 0,
              false);
  ui.map.controls[name] = {at, true, words};
}

}  // namespace

void draw_hints(Ui& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  const float height = ui.theme.px(22);
  const float close = ui.theme.px(24);
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  float left = at.x;
  // As many as fit: the others follow when one of them is done with.
  for (const Hint hint : ui.state.dialogs.hints) {
    const std::string words = words_of(ui.state, hint);
    const double size = static_cast<double>(ui.theme.px(small_size));
    const float width =
        static_cast<float>(canvas.text_extent(words, size, false).x) + ui.theme.px(pad);
    if (left + width > right - close - ui.theme.px(gap)) break;
    hint_words(ui, "hint." + std::string(name_of(hint)), words,
               {static_cast<double>(left), static_cast<double>(at.y), static_cast<double>(width),
                static_cast<double>(height)});
    left += width + ui.theme.px(gap);
  }
  ImGui::SetCursorScreenPos({right - close, at.y});
  if (button(ui, "hints.close", "×", {close, height}, {}, "Do not show these hints again.")) {
    close_hints(ui.state);
  }
}

}  // namespace ui
