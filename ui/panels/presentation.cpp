// The charts alone: a title above them, the verdict once it is revealed, and small print below.
#include "ui/screen/presentation.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "ui/panels/panels.hpp"
#include "ui/views/views.hpp"
#include "ui/widgets/imgui_compat.hpp"

namespace ui {

namespace {

constexpr float slide_edge = 12;  // pixels at scale 1, left and right of everything
constexpr float heading_height = 34;
constexpr float verdict_height = 22;
constexpr float foot_height = 18;
// To which lines shrink before they are cut, and titles, which begin larger.
constexpr double least_share = 0.7, least_title = 0.5;

/// Where the words and the charts lie.
struct Slide {
  plot::Rect title, verdict, charts, foot;
};

Slide slide_of(const Ui& ui) {
  const double left = ui.theme.pixels(slide_edge), width = ui.map.width - 2 * left;
  const double top = ui.theme.pixels(6), foot = ui.theme.pixels(foot_height);
  const double title = ui.theme.pixels(heading_height);
  const double verdict = ui.theme.pixels(verdict_height);
  Slide at;
  at.title = {left, top, width, title};
  at.verdict = {left, top + title, width, verdict};
  const double begin = at.verdict.bottom() + ui.theme.pixels(2);
  at.charts = {0, begin, ui.map.width, ui.map.height - begin - foot};
  at.foot = {left, ui.map.height - foot, width, foot};
  return at;
}

/// The largest size up to this one in which a line has room; 0 where it would be too small.
double fitting_size(Ui& ui, const std::string& words, double width, double size, bool bold,
                    double least = least_share) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  for (double share = 1; share >= least; share -= 0.03)
    if (canvas.text_extent(words, share * size, bold).x <= width) return share * size;
  return 0;
}

/// One line of words; their width. What is too long shrinks, then is cut.
double draw_line(Ui& ui, const std::string& words, const plot::Rect& at, double size,
                 plot::Colour colour, bool bold, double least = least_share) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  const double fits = fitting_size(ui, words, at.w, size, bold, least);
  const double used = fits > 0 ? fits : least * size;
  const std::string shown = elided(ui, words, at.w, used, bold);
  canvas.text({at.x, at.y + at.h / 2}, shown, used, colour, plot::Align::left, 0, bold);
  return canvas.text_extent(shown, used, bold).x;
}

/// On two smaller lines where one has no room for it.
void draw_lines(Ui& ui, const std::string& words, const plot::Rect& at, double size) {
  constexpr double share = 0.62;
  if (fitting_size(ui, words, at.w, size, false) > 0) {
    draw_line(ui, words, at, size, ui.theme.text, false);
    return;
  }
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  std::size_t end = words.size();
  while (end > 0 && canvas.text_extent(words.substr(0, end), share * size, false).x > at.w) {
    const std::size_t space = words.rfind(' ', end - 1);
    end = space == std::string::npos ? 0 : space;
  }
  const double half = at.h / 2;
  draw_line(ui, words.substr(0, end), {at.x, at.y, at.w, half}, share * size, ui.theme.text, false);
  if (end < words.size())
    draw_line(ui, words.substr(end > 0 ? end + 1 : 0), {at.x, at.y + half, at.w, half},
              share * size, ui.theme.text, false);
}

/// The field in which the title is typed, in the title's place and size.
void title_field(Ui& ui, const Headline& headline, const plot::Rect& at) {
  Presenting& presenting = *ui.state.look.presenting;
  const double size = std::min(ui.theme.pixels(huge_size), at.h);
  push_font(ui.fonts.nearest(size, true).face, static_cast<float>(size));
  ImGui::SetCursorScreenPos(vec_of({at.x, at.y}));
  ImGui::SetNextItemWidth(static_cast<float>(at.w));
  std::string typed = ui.state.look.title;
  const float padding = std::max(0.0F, static_cast<float>(at.h) - ImGui::GetFontSize()) / 2;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.theme.px(6), std::floor(padding)});
  ImGui::SetKeyboardFocusHere();
  if (ImGui::InputTextWithHint("##title", headline.title.c_str(), &typed,
                               ImGuiInputTextFlags_AutoSelectAll))
    ui.state.look.title = as_title(typed);
  ImGui::PopStyleVar();
  ui.map.controls["present.title"] = {last_item(), true, typed, ImGui::IsItemActive()};
  if (ImGui::IsItemDeactivated()) presenting.types_title = false;
  pop_font();
}

void draw_title(Ui& ui, const Headline& headline, const plot::Rect& at) {
  if (ui.state.look.presenting->types_title) return title_field(ui, headline, at);
  draw_line(ui, headline.title, at, ui.theme.pixels(huge_size), ui.theme.text, true, least_title);
  ui.map.controls["present.title"] = {at, true, headline.title};
}

void draw_verdict_line(Ui& ui, const Headline& headline, plot::Rect at) {
  const double size = ui.theme.pixels(title_size);
  const std::string whole =
      headline.limit.empty() ? headline.verdict : headline.limit + ": " + headline.verdict;
  ui.map.controls["present.verdict"] = {at, true, whole};
  if (!headline.limit.empty()) {
    const double taken = draw_line(ui, headline.limit, at, size, ui.theme.text, true);
    at.x += taken + 0.8 * size;
    at.w -= taken + 0.8 * size;
  }
  draw_lines(ui, headline.verdict, at, size);
}

/// Whose numbers they are; until one of them is used, the keys.
void draw_foot(Ui& ui, const Headline& headline, plot::Rect at) {
  const Presenting& presenting = *ui.state.look.presenting;
  const std::string step = fmt::format("{} of {}", presenting.step + 1, presenting.steps.size());
  const std::string keys =
      "Right: next step \u00b7 Left: back \u00b7 1 to 4: one chart \u00b7 T: title \u00b7 "
      "Escape: leave";
  const std::string words = presenting.keys_told ? keys + " \u00b7 " + step : step;
  const double size = ui.theme.pixels(small_size) * 0.62;
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  const double width = canvas.text_extent(words, size, false).x;
  canvas.text({at.right(), at.y + at.h / 2}, words, size, ui.theme.text_dim, plot::Align::right, 0,
              false);
  at.w -= width + ui.theme.pixels(8);
  const plot::Rect place{at.right(), at.y, width, at.h};
  ui.map.controls["present.step"] = {place, true, step};
  if (presenting.keys_told) ui.map.controls["present.keys"] = {place, true, keys};
  draw_line(ui, headline.about, at, ui.theme.pixels(small_size), ui.theme.text_dim, false);
}

}  // namespace

void draw_presentation(Ui& ui) {
  const Slide at = slide_of(ui);
  const Headline headline = headline_of(ui.state);
  const plot::Colour face = ui.theme.plot.background;
  const plot::Rect head{0, 0, ui.map.width, at.charts.y};
  panel(ui, "headline", head, {0, 0}, face, [&](Ui& inside) {
    draw_title(inside, headline, at.title);
    draw_verdict_line(inside, headline, at.verdict);
  });
  const plot::Rect foot{0, at.foot.y, ui.map.width, at.foot.h};
  panel(ui, "small print", foot, {0, 0}, face,
        [&](Ui& inside) { draw_foot(inside, headline, at.foot); });
  panel(ui, "presented", at.charts, {4, 0}, face, [](Ui& inside) { draw_plots(inside, Places{}); });
}

}  // namespace ui
