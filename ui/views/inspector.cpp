#include <algorithm>
#include <array>

#include "kernels/units.hpp"
#include "ui/screen/inspection.hpp"
#include "ui/views/views.hpp"

namespace ui {

using plot::Vec;

namespace {

constexpr std::size_t most_steps = 32;

plot::Colour see_through(plot::Colour colour, float alpha) {
  colour.a = alpha;
  return colour;
}

/// Where seconds lie between the shortest and the longest sample.
struct Scale {
  double low = 0, high = 0;
  plot::Rect area;
  double x(double seconds) const {
    const double share = high > low ? (seconds - low) / (high - low) : 0.5;
    return area.x + std::clamp(share, 0.0, 1.0) * area.w;
  }
};

void draw_bars(Ui& ui, const Histogram& histogram, const plot::Rect& area) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const double largest = static_cast<double>(std::ranges::max(histogram.counts));
  const double step = area.w / static_cast<double>(histogram.counts.size());
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const double left = area.x + static_cast<double>(i) * step;
    const double height = area.h * static_cast<double>(histogram.counts[i]) / largest;
    list.AddRectFilled(vec_of({left + 0.5, area.bottom() - height}),
                       vec_of({left + step - 0.5, area.bottom()}),
                       colour_of(see_through(ui.theme.chosen, 0.8F)));
  }
}

/// Every sample as a stroke, in a strip below the bars.
void draw_strip(Ui& ui, plot::Canvas& canvas, const Scale& scale, const engine::Seconds& seconds) {
  for (std::size_t i = 0; i < seconds.samples.size(); ++i) {
    const bool outlier = std::ranges::count(seconds.outliers, i) > 0;
    const double x = scale.x(seconds.samples[i]);
    const std::array line{Vec{x, scale.area.y}, Vec{x, scale.area.bottom()}};
    canvas.path(line, see_through(outlier ? ui.theme.warning : ui.theme.text, 0.6F), 1,
                plot::Dash::solid, false);
  }
}

void draw_samples(Ui& ui, const engine::Seconds& seconds, float width) {
  const Histogram histogram = histogram_of(seconds.samples, most_steps);
  if (histogram.counts.empty()) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const double px = ui.theme.pixels(1);
  const plot::Rect bars{at.x, at.y, width, 56 * px};
  const plot::Rect strip{at.x, bars.bottom() + 3 * px, bars.w, 9 * px};
  const double size = ui.theme.pixels(small_size);
  ImGui::Dummy({width, static_cast<float>(strip.bottom() - bars.y + size + 8 * px)});
  const Scale scale{histogram.low, histogram.high, strip};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (seconds.has_interval()) {
    list.AddRectFilled(vec_of({scale.x(seconds.low), bars.y}),
                       vec_of({scale.x(seconds.high), strip.bottom()}),
                       colour_of(see_through(ui.theme.accent, 0.2F)));
  }
  draw_bars(ui, histogram, bars);
  ImGuiCanvas canvas(list, ui.fonts);
  draw_strip(ui, canvas, scale, seconds);
  const double middle = scale.x(seconds.median);
  const std::array median{Vec{middle, bars.y}, Vec{middle, strip.bottom()}};
  canvas.path(median, ui.theme.accent, 1.5 * px, plot::Dash::solid, false);
  const double y = strip.bottom() + 3 * px + size / 2;
  text_at(ui, {bars.x, y}, units::seconds(histogram.low, 4), small_size, false, ui.theme.text_dim);
  if (histogram.high > histogram.low)
    text_at(ui, {bars.right(), y}, units::seconds(histogram.high, 4), small_size, false,
            ui.theme.text_dim, plot::Align::right);
}

void draw_facts(Ui& ui, const std::vector<Reading>& facts, float width) {
  const float labels = ui.theme.px(106);
  const float left = ImGui::GetCursorPosX();
  for (const Reading& fact : facts) {
    text(ui, fact.label, text_size, false, ui.theme.text_dim);
    ImGui::SameLine(left + labels);
    ImGui::BeginGroup();
    wrapped(ui, fact.value, width - labels, ui.theme.text, ui.theme.px(200));
    ImGui::EndGroup();
  }
}

/// What measures the point again, to be copied.
void draw_command(Ui& ui, const Inspection& point, float width) {
  wrapped(ui, point.command, width, ui.theme.text_dim, ui.theme.px(200));
  if (button(ui, "inspector.copy", "Copy command", {ui.theme.px(128), ui.theme.px(26)}, {},
             "Copy the command that measures this point again."))
    copy_text(ui, point.command, "Copied the command.");
  ui.map.controls["inspector.command"] = {last_item(), true, point.command};
}

/// Facts or source, where the kernel was generated.
void choose_page(Ui& ui, const Inspection& point) {
  if (point.kernel_file.empty()) return;
  const std::array choices{
      Choice{"Facts", !point.shows_source, "Show what was measured."},
      Choice{"Source", point.shows_source, "Show the source that was generated for it."}};
  if (const auto clicked = segments(ui, "inspector.page", choices, ui.theme.px(180)))
    ui.state.look.inspected->shows_source = *clicked == 1;
  ImGui::Dummy({1, ui.theme.px(2)});
}

/// The text of a generated kernel, in a box that scrolls and is at most `most` high.
void draw_code(Ui& ui, const std::string& code, float width, float most) {
  const Font font = ui.fonts.monospace();
  const float gap = ui.theme.px(8);
  push_font(font.face, static_cast<float>(font.size));
  // Room for the scroll bar below the last line.
  const float whole =
      ImGui::CalcTextSize(code.c_str()).y + 2 * gap + ImGui::GetStyle().ScrollbarSize;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, colour_of(ui.theme.plot.background));
  ImGui::PushStyleColor(ImGuiCol_Text, colour_of(ui.theme.text));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {gap, gap});
  ImGui::BeginChild("##code", {width, std::min(whole, most)}, true,
                    ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav);
  ImGui::TextUnformatted(code.c_str());
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
  pop_font();
  ui.map.controls["inspector.source"] = {last_item(), true, code};
}

void draw_source(Ui& ui, const Inspection& point, float width, float bottom) {
  const kernels::KeptSource& source = point.kernel_source;
  wrapped(ui, point.kernel_file, width, ui.theme.text_dim, ui.theme.px(200));
  if (!source.why_not.empty()) {
    wrapped(ui, source.why_not, width, ui.theme.text, ui.theme.px(200));
    return;
  }
  const float button_height = ui.theme.px(26);
  const float room =
      bottom - ImGui::GetCursorScreenPos().y - button_height - 2 * ImGui::GetStyle().ItemSpacing.y;
  draw_code(ui, units::printable(source.text, units::Lines::kept), width,
            std::max(room, ui.theme.px(80)));
  if (button(ui, "inspector.copy_source", "Copy source", {ui.theme.px(128), button_height}, {},
             "Copy the whole source."))
    copy_text(ui, source.text, "Copied the source.");
}

void draw_measured(Ui& ui, const Inspection& point, float width) {
  text(ui, point.runtime, huge_size, true, ui.theme.accent);
  draw_samples(ui, point.seconds, width);
  draw_facts(ui, point.facts, width);
  ImGui::Dummy({1, ui.theme.px(2)});
  if (!point.command.empty()) draw_command(ui, point, width);
}

/// `bottom` is how far down it may reach.
void fill(Ui& ui, const Inspection& point, float width, float bottom) {
  const float left = ImGui::GetCursorPosX();
  text(ui, point.title, title_size, true, ui.theme.text);
  const float close = ui.theme.px(64);
  ImGui::SameLine(left + width - close);
  const bool closes =
      button(ui, "inspector.close", "Close", {close, ui.theme.px(24)}, {}, "Close (Escape).");
  choose_page(ui, point);
  if (point.shows_source) {
    draw_source(ui, point, width, bottom);
  } else {
    draw_measured(ui, point, width);
  }
  if (closes) ui.state.look.inspected.reset();
}

}  // namespace

void draw_inspector(Ui& ui, const plot::Rect& over) {
  if (!ui.state.look.inspected) return;
  const double gap = ui.theme.pixels(10);
  // Lines of code are up to a hundred letters long.
  const float wanted = ui.state.look.inspected->shows_source ? 780 : 400;
  const double width = std::min(ui.theme.pixels(wanted), over.w - 2 * gap);
  const double x = ui.state.look.inspected->at_left ? over.x + gap : over.right() - width - gap;
  // From the top on: half of a plot's title would look out above it.
  ImGui::SetNextWindowPos(vec_of({x, over.y}));
  ImGui::SetNextWindowSizeConstraints(vec_of({width, 1}), vec_of({width, over.h - gap}));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.theme.px(16), ui.theme.px(14)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, colour_of(ui.theme.panel));
  ImGui::Begin("inspector", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                   ImGuiWindowFlags_NoNav);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  const float bottom = static_cast<float>(over.bottom() - gap) - ImGui::GetStyle().WindowPadding.y;
  fill(ui, *ui.state.look.inspected, ImGui::GetContentRegionAvail().x, bottom);
  ImGui::End();
}

}  // namespace ui
