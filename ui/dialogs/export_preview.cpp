// The picture of an export, as it will be drawn: laid out at its own size, drawn smaller.

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

#include "ui/dialogs/dialogs.hpp"
#include "ui/screen/limits.hpp"
#include "ui/views/panel_cache.hpp"

namespace ui {

namespace {

/// Draws on another canvas, `scale` times as large, from `origin` on.
class ScaledCanvas final : public plot::Canvas {
 public:
  ScaledCanvas(plot::Canvas& on, plot::Vec origin, double scale)
      : on_(on), origin_(origin), scale_(scale) {}

  void path(std::span<const plot::Vec> points, plot::Colour colour, double width, plot::Dash dash,
            bool closed) override {
    on_.path(placed(points), colour, width * scale_, dash, closed);
  }
  void fill(std::span<const plot::Vec> points, plot::Colour colour) override {
    on_.fill(placed(points), colour);
  }
  void dot(plot::Vec centre, double radius, plot::Colour colour) override {
    on_.dot(placed(centre), radius * scale_, colour);
  }
  void text(plot::Vec at, std::string_view words, double size, plot::Colour colour,
            plot::Align align, double angle, bool bold) override {
    on_.text(placed(at), words, size * scale_, colour, align, angle, bold);
  }
  plot::Vec text_extent(std::string_view words, double size, bool bold) override {
    const plot::Vec extent = on_.text_extent(words, size * scale_, bold);
    return {extent.x / scale_, extent.y / scale_};
  }
  void push_clip(const plot::Rect& rect) override {
    const plot::Vec corner = placed({rect.x, rect.y});
    on_.push_clip({corner.x, corner.y, rect.w * scale_, rect.h * scale_});
  }
  void pop_clip() override { on_.pop_clip(); }

 private:
  plot::Vec placed(plot::Vec at) const {
    return {origin_.x + at.x * scale_, origin_.y + at.y * scale_};
  }
  const std::vector<plot::Vec>& placed(std::span<const plot::Vec> points) {
    points_.clear();
    for (const plot::Vec& point : points) points_.push_back(placed(point));
    return points_;
  }

  plot::Canvas& on_;
  plot::Vec origin_;
  double scale_;
  std::vector<plot::Vec> points_;
};

/// The largest rectangle of the picture's shape, at the upper end of the room.
plot::Rect place_in(const plot::Rect& room, const plot::PictureSize& size) {
  const double scale = std::min(room.w / size.width, room.h / size.height);
  const double w = size.width * scale;
  return {std::round(room.x + (room.w - w) / 2), room.y, w, size.height * scale};
}

/// Whether a line of the picture is where a sentence of the page's caption begins.
bool begins(const plot::Page& page, const std::string& line) {
  const auto is_first = [&](const std::string& words) { return words.starts_with(line); };
  return std::ranges::any_of(page.caption, is_first) ||
         std::ranges::any_of(page.brief_caption, is_first);
}

/// What is written below all figures.
std::string caption_of(const plot::Page& page, const std::vector<plot::Layout>& layouts) {
  if (layouts.empty()) return {};
  double bottom = 0;
  for (std::size_t i = 0; i + 1 < layouts.size(); ++i)
    bottom = std::max(bottom, layouts[i].frame.bottom());
  std::string words;
  for (const plot::PlacedText& line : layouts.back().texts) {
    if (line.box.y < bottom) continue;
    const bool joins = words.empty() || words.ends_with('.') || !begins(page, line.text);
    words += (words.empty() ? "" : joins ? " " : " \u00b7 ") + line.text;
  }
  return words;
}

/// Makes the page again where what it shows has changed.
void update_page(const AppState& state, KeptPreview& kept) {
  const std::optional<std::string>& chart = state.dialogs.exporting.chart;
  PreviewOf of{std::string(lab_on_screen(state).name),
               shows_apart(state),
               figure_inputs(state),
               state.look.view.cursor,
               state.look.zoom,
               chart,
               state.look.comparing ? std::optional(compared_key(state)) : std::nullopt};
  if (kept.of == of) return;
  kept.page = {};
  kept.why_not.clear();
  try {
    kept.page = page_on_screen(state, chart);
  } catch (const std::exception& problem) {  // there is nothing to compare
    kept.why_not = problem.what();
  }
  kept.of = std::move(of);
  kept.look.reset();
}

void draw_picture(const Ui& ui, KeptPreview& kept, const PreviewLook& look) {
  plot::Page page = plot::page_of(kept.page, look.picture);
  if (!look.title.empty() && look.picture.title) page.title = look.title;
  const plot::PictureSize size = plot::size_of(look.picture, page.figures.size());
  kept.triangles.draw([&](ImDrawList& list) {
    ImGuiCanvas canvas(list, ui.fonts);
    ScaledCanvas scaled(canvas, {look.where.x, look.where.y}, look.where.w / size.width);
    canvas.push_clip(look.where);
    kept.caption = caption_of(page, plot::draw_page(page, {0, 0, size.width, size.height},
                                                    plot::style_of(look.picture), scaled));
    canvas.pop_clip();
  });
}

/// All of the caption where there is room for it, else the beginning of it.
void caption_line(Ui& ui, const KeptPreview& kept, ImVec2 room) {
  const bool wanted = ui.state.dialogs.exporting.look.caption;
  const bool there = wanted && !kept.caption.empty();
  const std::string words = there    ? "Caption: " + kept.caption
                            : wanted ? "The picture has no room for a caption."
                                     : "No caption: the picture names no device and no date.";
  const plot::Colour colour = there ? ui.theme.text_dim : ui.theme.warning;
  if (!wrapped(ui, words, room.x, colour, room.y)) {
    text_within(ui, words, room.x, small_size, false, colour);
    tip_on_hover(ui, words);
  }
  ui.map.controls["export.caption"] = {last_item(), true, words};
}

}  // namespace

void draw_export_preview(Ui& ui, const FileDialog& dialog, const plot::Rect& where) {
  const double line = ImGui::GetTextLineHeightWithSpacing();
  const plot::Rect room{where.x, where.y, where.w, std::max(where.h - line, 1.0)};
  KeptPreview& kept = ui.panels.preview;
  const bool shows_any = !sessions_shown(ui.state).empty();
  if (shows_any) update_page(ui.state, kept);
  if (!shows_any || !kept.why_not.empty()) {
    ImGui::Dummy(vec_of({where.w, where.h}));
    placeholder(ui, room, "There is nothing to export yet.");
    return;
  }
  const plot::PictureSpec& picture = ui.state.dialogs.exporting.look;
  PreviewLook look{picture, dialog.title,
                   place_in(room, plot::size_of(picture, kept.page.figures.size())),
                   ui.fonts.version()};
  if (kept.look != look) {
    draw_picture(ui, kept, look);
    kept.look = look;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  kept.triangles.add_to(list);
  list.AddRect(vec_of({look.where.x, look.where.y}),
               vec_of({look.where.right(), look.where.bottom()}),
               colour_of(ui.theme.control_hover));
  ImGui::Dummy(vec_of({where.w, look.where.bottom() - where.y}));
  ui.map.controls["export.preview"] = {look.where, true, kept.page.title};
  const double gap = ui.theme.pixels(6);
  ImGui::SetCursorScreenPos(vec_of({where.x, look.where.bottom() + gap}));
  caption_line(ui, kept, vec_of({where.w, where.bottom() - look.where.bottom() - gap}));
}

}  // namespace ui
