#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/units.hpp"
#include "ui/screen/verdict_target.hpp"
#include "ui/views/panel_cache.hpp"
#include "ui/views/views.hpp"

namespace ui {

using engine::Regime;

plot::Colour colour_of_regime(const Theme& theme, Regime regime) {
  switch (regime) {
    case Regime::overhead:
      return theme.plot.colour_of(plot::Regime::overhead);
    case Regime::bandwidth:
      return theme.plot.colour_of(plot::Regime::bandwidth);
    case Regime::compute:
      return theme.plot.colour_of(plot::Regime::compute);
    case Regime::unknown:
      break;
  }
  return theme.text_dim;
}

namespace {

/// What is only predicted does not look like a result.
plot::Colour paled(plot::Colour colour, const VerdictText& verdict) {
  constexpr float predicted = 0.55F;
  if (!verdict.measured) colour.a *= predicted;
  return colour;
}

/// No roof's colour where two roofs share the runtime.
plot::Colour colour_of_limit(const Theme& theme, const engine::Verdict& verdict) {
  const bool one = verdict.limit == name_of(verdict.regime);
  return one || verdict.regime == Regime::unknown ? colour_of_regime(theme, verdict.regime)
                                                  : theme.text;
}

constexpr float scope_line = 17;  // pixels at scale 1

/// Where the columns of names, predictions, measurements and shares stand (the first at its left,
/// the others at their right): by shares of the width, or where that is too narrow for numbers as
/// long as any, without the shares.
std::array<double, 4> scope_columns(const Ui& ui, const std::vector<ScopeRow>& rows, double wide) {
  double name = 0;
  for (const ScopeRow& row : rows)
    name = std::max(name, text_width(ui, row.name, small_size, false));
  // Longer than three digits and a point with the longest unit nothing is; bold is wider.
  const double number = text_width(ui, "88.8 GFLOP/s", small_size, true);
  const double gap = 0.6 * ui.theme.pixels(small_size);
  if (0.5 * wide - number >= name + gap && 0.33 * wide >= number + gap)
    return {0, 0.5 * wide, 0.83 * wide, wide};
  return {0, wide - number - gap, wide, wide};
}

/// Predicted and measured side by side. Columns stand still while the numbers change.
void scope(Ui& ui, const std::vector<ScopeRow>& rows, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const double line = ui.theme.pixels(scope_line);
  const double x = at.x;
  const double wide = width;
  const auto columns = scope_columns(ui, rows, wide);
  double y = at.y + line / 2;
  const auto cell = [&](std::size_t column, const std::string& words, plot::Colour colour,
                        bool bold) {
    text_at(ui, {x + columns[column], y}, words, small_size, bold, colour,
            column == 0 ? plot::Align::left : plot::Align::right);
  };
  const bool waits = ui.state.worker.running.any() || ui.state.worker.probe_due.has_value();
  const bool shares = columns[3] > columns[2];
  cell(1, "predicted", ui.theme.text_dim, false);
  cell(2, "measured", ui.theme.text_dim, false);
  for (const ScopeRow& row : rows) {
    y += line;
    cell(0, row.name, ui.theme.text_dim, false);
    cell(1, row.predicted, ui.theme.accent, false);
    cell(2, row.measured.empty() ? (waits ? "..." : "-") : row.measured, ui.theme.text, true);
    if (shares) cell(3, row.share, ui.theme.text_dim, false);
  }
  ui.map.controls["scope"] = {{x, at.y, wide, line * static_cast<double>(rows.size() + 1)},
                              true,
                              rows.front().predicted + " / " + rows.front().measured};
}

/// What point it is, then whose, where there are several devices: the rest of the line may be cut.
void target_line(Ui& ui, const VerdictText& verdict, double width) {
  if (verdict.caption.empty()) return;
  const std::string whole =
      verdict.place.empty() ? verdict.caption : verdict.caption + "\n" + verdict.place;
  text_within(ui, verdict.caption, width, small_size, !verdict.place.empty(), ui.theme.text_dim);
  tip_on_hover(ui, whole);
  const float gap = ui.theme.px(6);
  const double room = width - (ImGui::GetItemRectSize().x + gap);
  if (verdict.place.empty()) return;
  const bool has_room = room >= 4 * ui.theme.pixels(small_size);  // else the tooltip has it
  if (has_room) {
    ImGui::SameLine(0, gap);
    text_within(ui, verdict.place, room, small_size, false, ui.theme.text);
  }
  ui.map.controls["verdict.place"] = {last_item(), true, verdict.place};
  if (has_room) tip_on_hover(ui, whole);
}

void headline_column(Ui& ui, const VerdictText& verdict, float width) {
  ImGui::BeginGroup();
  target_line(ui, verdict, width);
  if (!verdict.regime.empty()) {
    const std::string headline = units::capitalised(verdict.regime);
    const double wide = text_width(ui, headline, huge_size, true);
    text(ui, headline, wide <= width ? huge_size : title_size, true,
         paled(colour_of_limit(ui.theme, verdict.verdict), verdict));
  }
  const float height = ImGui::GetContentRegionAvail().y;
  std::vector<ScopeRow> rows = verdict.scope;
  const float lines = std::floor(height / ui.theme.px(scope_line));
  rows.resize(std::min(rows.size(), static_cast<std::size_t>(std::max(lines - 1, 0.0F))));
  if (rows.empty()) {
    wrapped(ui, verdict.headline, width, ui.theme.text, height);
  } else {
    scope(ui, rows, width);
  }
  ImGui::EndGroup();
}

std::string share_text(double share) {
  if (share <= 0) return "no roof";
  return share < 0.001 ? "< 0.1 %" : units::percent(share);
}

/// Slanted lines over a part that another one hides.
void hatch(Ui& ui, const plot::Rect& part, plot::Colour colour) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const double step = ui.theme.pixels(7);
  list.PushClipRect(vec_of({part.x, part.y}), vec_of({part.right(), part.bottom()}), true);
  // Past the edges, and never through the centres of pixels, where machines round otherwise.
  const double past = 2, between = 0.3;
  for (double x = part.x - part.h + between; x < part.right(); x += step)
    list.AddLine(vec_of({x - past, part.bottom() + past}),
                 vec_of({x + part.h + past, part.y - past}), colour_of(colour), ui.theme.px(2.5F));
  list.PopClipRect();
}

/// One bar of where the runtime goes: what runs behind its largest part is hatched.
void time_bar(Ui& ui, const VerdictText& text_of, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const plot::Rect bar{at.x, at.y, width, ui.theme.pixels(16)};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  fill_rect(list, bar, ui.theme.control, ui.theme.px(3));
  std::string said;
  for (const TimePart& part : time_parts(text_of.verdict)) {
    const plot::Rect where{bar.x + part.from * bar.w, bar.y, (part.to - part.from) * bar.w, bar.h};
    const plot::Colour colour = paled(colour_of_regime(ui.theme, part.regime), text_of);
    said += fmt::format("{} {:.0f}-{:.0f}{} ", name_of(part.regime), 100 * part.from, 100 * part.to,
                        part.hidden ? " hidden" : "");
    if (part.hidden)
      hatch(ui, where, colour);
    else
      fill_rect(list, where, colour, ui.theme.px(3));
  }
  ImGui::Dummy({width, ui.theme.px(18)});
  ui.map.controls["verdict.time"] = {bar, true, said};
  tip_on_hover(ui,
               "Where the runtime goes. What is hatched runs at the same time as the largest "
               "part; what is empty no roof explains.");
}

/// A part of the runtime in its colour, and how large it is.
void part_line(Ui& ui, const VerdictText& text_of, Regime regime, const char* name, double share,
               float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight(), size = ui.theme.px(8);
  const float top = std::round(at.y + (line - size) / 2);
  fill_rect(*ImGui::GetWindowDrawList(), {at.x, top, size, size},
            paled(colour_of_regime(ui.theme, regime), text_of), ui.theme.px(2));
  const float indent = ui.theme.px(14);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + indent);
  caption(ui, name, {}, width - indent, share_text(share));
}

void bars_column(Ui& ui, const VerdictText& text_of, float width) {
  const engine::Verdict& verdict = text_of.verdict;
  ImGui::BeginGroup();
  caption(ui, text_of.measured ? "Where the time goes" : "Where the time would go", {}, width);
  time_bar(ui, text_of, width);
  part_line(ui, text_of, Regime::overhead, "Overhead", std::min(1.0, verdict.share_of_overhead),
            width);
  part_line(ui, text_of, Regime::bandwidth, "Memory", verdict.share_of_bandwidth, width);
  part_line(ui, text_of, Regime::compute, "Compute", verdict.share_of_compute, width);
  double explained = 0;
  for (const TimePart& part : time_parts(verdict)) explained = std::max(explained, part.to);
  constexpr double worth_saying = 0.1;  // of the runtime
  const bool rest = text_of.measured && explained > 0 && 1 - explained >= worth_saying;
  if (rest) {
    caption(ui, "Not explained", "No roof explains this part of the time.", width,
            share_text(1 - explained));
  } else if (verdict.ridge > 0) {
    caption(ui, verdict.cache.empty() ? "Ridge point" : "Ridge point of " + verdict.cache, {},
            width, units::intensity(verdict.ridge, text_of.integer));
  }
  ImGui::EndGroup();
}

void advice_column(Ui& ui, const engine::Verdict& verdict, float width) {
  std::vector<Sentence> all;
  for (const std::string& advice : verdict.advice) all.push_back({"→ " + advice, ui.theme.text});
  for (const std::string& words : verdict.sentences) all.push_back({words, ui.theme.text_dim});
  ImGui::BeginGroup();
  sentences(ui, "verdict.more", all, width);
  ImGui::EndGroup();
}

}  // namespace

void draw_verdict(Ui& ui) {
  const VerdictText verdict = verdict_text(ui.state);
  const ImVec2 at = ImGui::GetCursorPos();
  const float width = ImGui::GetContentRegionAvail().x;
  // The big words and the longest label with its value fit at any width; advice takes the rest.
  const float gap = ui.theme.px(width < ui.theme.px(680) ? 14 : 22);
  const float first = std::max(ui.theme.px(218), std::round((width - 2 * gap) * 0.34F));
  const float second = std::max(ui.theme.px(172), std::round((width - 2 * gap) * 0.26F));
  headline_column(ui, verdict, first);
  if (verdict.verdict.regime == Regime::unknown && !verdict.measured) return;
  ImGui::SetCursorPos({at.x + first + gap, at.y});
  bars_column(ui, verdict, second);
  ImGui::SetCursorPos({at.x + first + second + 2 * gap, at.y});
  advice_column(ui, verdict.verdict, width - first - second - 2 * gap);
}

}  // namespace ui
