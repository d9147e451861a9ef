#include "ui/widgets/imgui_canvas.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "ui/plot/boxes.hpp"

namespace ui {

using plot::Vec;

namespace {

// Far off-screen coordinates lose their fraction in a float; lines are cut well before.
constexpr double horizon = 20000;
constexpr plot::Rect visible{-horizon, -horizon, 2 * horizon, 2 * horizon};

void rotate_from(ImDrawList& list, int first, ImVec2 centre, double angle) {
  const float s = static_cast<float>(std::sin(angle));
  const float c = static_cast<float>(std::cos(angle));
  for (int i = first; i < list.VtxBuffer.Size; ++i) {
    ImVec2& at = list.VtxBuffer[i].pos;
    const ImVec2 off{at.x - centre.x, at.y - centre.y};
    at = {centre.x + off.x * c - off.y * s, centre.y + off.x * s + off.y * c};
  }
}

/// Whether the way from a by b to c turns back on itself.
bool is_sharp(ImVec2 a, ImVec2 b, ImVec2 c) {
  return (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y) < 0;
}

}  // namespace

ImVec2 vec_of(Vec v) { return {static_cast<float>(v.x), static_cast<float>(v.y)}; }

ImU32 colour_of(plot::Colour c) { return ImGui::ColorConvertFloat4ToU32({c.r, c.g, c.b, c.a}); }

void fill_rect(ImDrawList& list, const plot::Rect& rect, plot::Colour colour, float rounding) {
  list.AddRectFilled(vec_of({rect.x, rect.y}), vec_of({rect.right(), rect.bottom()}),
                     colour_of(colour), rounding);
}

Font Fonts::nearest(double size, bool bold) const {
  const auto best = std::ranges::min_element(*fonts_, {}, [&](const Font& font) {
    return std::abs(font.size - size) + (font.bold == bold ? 0 : 1000);
  });
  return best == fonts_->end() ? Font() : *best;
}

const Disc* Fonts::disc(double radius) const {
  // Made smaller they stay smooth, larger they would blur.
  const auto found = std::ranges::lower_bound(*discs_, radius, {}, &Disc::radius);
  return found == discs_->end() ? nullptr : &*found;
}

void ImGuiCanvas::path(std::span<const Vec> points, plot::Colour colour, double width,
                       plot::Dash dash, bool closed) {
  if (points.size() < 2) return;
  const ImU32 packed = colour_of(colour);
  switch (dash) {
    case plot::Dash::solid:
      return line(points, packed, width, closed);
    case plot::Dash::dashed:
      return dashes(points, packed, width, 4 * width + 2, 3 * width + 1, closed);
    case plot::Dash::dotted:
      return dashes(points, packed, width, width, 2 * width + 1, closed);
    case plot::Dash::dash_dotted:
      dashes(points, packed, width, 4 * width, 7 * width, closed);
      return dashes(points, packed, width, width, 10 * width, closed, 4 * width);
  }
}

void ImGuiCanvas::line(std::span<const Vec> points, ImU32 colour, double width, bool closed) {
  points_.clear();
  for (const Vec& point : points) {
    points_.push_back(
        vec_of({std::clamp(point.x, -horizon, horizon), std::clamp(point.y, -horizon, horizon)}));
  }
  // At a sharp turn ImGui's join would stick out far beyond the point: it is two lines there.
  std::size_t first = 0;
  const auto add_until = [&](std::size_t last) {
    add_polyline(list_, points_.data() + first, static_cast<int>(last - first + 1), colour,
                 closed && first == 0 && last + 1 == points_.size(), static_cast<float>(width));
    first = last;
  };
  for (std::size_t i = 1; i + 1 < points_.size(); ++i) {
    if (!closed && is_sharp(points_[i - 1], points_[i], points_[i + 1])) add_until(i);
  }
  add_until(points_.size() - 1);
}

void ImGuiCanvas::dashes(std::span<const Vec> points, ImU32 colour, double width, double on,
                         double off, bool closed, double phase) {
  const std::size_t segments = closed ? points.size() : points.size() - 1;
  for (std::size_t i = 0; i < segments; ++i) {
    Vec a = points[i];
    Vec b = points[(i + 1) % points.size()];
    if (!plot::clip_segment(visible, a, b)) continue;
    const double length = plot::distance(a, b);
    for (double at = 0; at < length;) {
      const bool drawn = phase < on;
      const double step = std::min((drawn ? on : on + off) - phase, length - at);
      if (drawn) {
        list_.AddLine(vec_of(between(a, b, at / length)),
                      vec_of(between(a, b, (at + step) / length)), colour,
                      static_cast<float>(width));
      }
      at += step + 1e-9 * length;  // a step lost to rounding must not stop the loop
      phase = std::fmod(phase + step, on + off);
      if (on + off - phase < 1e-6) phase = 0;
    }
  }
}

void ImGuiCanvas::fill(std::span<const Vec> points, plot::Colour colour) {
  if (points.size() < 3) return;
  points_.clear();
  for (const Vec& point : points) points_.push_back(vec_of(point));
  list_.AddConvexPolyFilled(points_.data(), static_cast<int>(points_.size()), colour_of(colour));
}

void ImGuiCanvas::dot(Vec centre, double radius, plot::Colour colour) {
  const Disc* disc = fonts_.disc(radius);
  if (disc == nullptr) {
    list_.AddCircleFilled(vec_of(centre), static_cast<float>(radius), colour_of(colour));
    return;
  }
  // Two triangles instead of some thirty: most of what a crowded plot consists of are dots.
  const double half = disc->half_side * radius / disc->radius;
  list_.PrimReserve(6, 4);
  list_.PrimRectUV(vec_of({centre.x - half, centre.y - half}),
                   vec_of({centre.x + half, centre.y + half}), disc->uv_min, disc->uv_max,
                   colour_of(colour));
}

void ImGuiCanvas::text(Vec at, std::string_view text, double size, plot::Colour colour,
                       plot::Align align, double angle, bool bold) {
  const Vec extent = text_extent(text, size, bold);
  const double shift = align == plot::Align::left ? 0 : align == plot::Align::centre ? 0.5 : 1;
  const Vec corner{at.x - extent.x * shift, at.y - extent.y / 2};
  const Font font = fonts_.nearest(size, bold);
  const char* begin = text.data();
  if (angle == 0) {
    list_.AddText(font.face, static_cast<float>(size), vec_of(corner), colour_of(colour), begin,
                  begin + text.size());
    return;
  }
  // AddText drops glyphs outside the clip rectangle before they are rotated into it.
  const int first = list_.VtxBuffer.Size;
  list_.PushClipRect({-1e6F, -1e6F}, {1e6F, 1e6F});
  list_.AddText(font.face, static_cast<float>(size), vec_of(corner), colour_of(colour), begin,
                begin + text.size());
  list_.PopClipRect();
  rotate_from(list_, first, vec_of(at), angle);
}

Vec ImGuiCanvas::text_extent(std::string_view text, double size, bool bold) {
  const Font font = fonts_.nearest(size, bold);
  const ImVec2 extent = font.face->CalcTextSizeA(static_cast<float>(size), FLT_MAX, 0, text.data(),
                                                 text.data() + text.size());
  return {extent.x, extent.y};
}

void ImGuiCanvas::push_clip(const plot::Rect& rect) {
  list_.PushClipRect(vec_of({rect.x, rect.y}), vec_of({rect.right(), rect.bottom()}), true);
}

void ImGuiCanvas::pop_clip() { list_.PopClipRect(); }

}  // namespace ui
