#include <vector>

#include "engine/labs/lab.hpp"
#include "ui/panels/panels.hpp"
#include "ui/screen/exercise.hpp"
#include "ui/views/views.hpp"

namespace ui {

namespace {

struct Page {
  Below which;
  const char* title;
  const char* help;
};

/// What the lab on screen has below its plots.
std::vector<Page> pages_of(const engine::Lab& lab) {
  std::vector<Page> pages;
  if (lab.verdict != nullptr)
    pages.push_back({Below::claim, "Claim", "The claim, and what this machine shows."});
  if (!lab.slider.empty() || pages.empty())
    pages.push_back(
        {Below::verdict, "Verdict", "What limits the point, and what would make it faster."});
  pages.push_back(
      {Below::results, "Results", "All measured points as a table: sort, filter, copy."});
  return pages;
}

}  // namespace

void draw_bottom(Ui& ui) {
  const std::vector<Page> pages = pages_of(lab_on_screen(ui.state));
  const auto wanted = std::ranges::find(pages, ui.state.look.below, &Page::which);
  const Below below = wanted != pages.end() ? wanted->which : pages.front().which;
  std::vector<Choice> choices;
  for (const Page& page : pages) choices.push_back({page.title, page.which == below, page.help});
  const ImVec2 at = ImGui::GetCursorPos();
  const float width = ui.theme.px(75) * static_cast<float>(pages.size());
  if (const auto clicked = segments(ui, "below", choices, width, 20))
    ui.state.look.below = pages[*clicked].which;
  if (hides_points(ui.state))
    return placeholder(ui, rest_of_window(), "First say what you expect.");
  if (below == Below::results) draw_results_tools(ui);
  ImGui::SetCursorPos({at.x, at.y + ui.theme.px(26)});
  if (below == Below::results) {
    draw_results(ui);
  } else if (below == Below::claim) {
    draw_claim(ui);
  } else {
    draw_verdict(ui);
  }
}

}  // namespace ui
