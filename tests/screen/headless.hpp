// ImGui without a window system: no backend, and a texture of fonts that is made but never
// uploaded.
#pragma once

#include <imgui.h>

#include <functional>

#include "ui/widgets/imgui_canvas.hpp"

/// The one ImGui context while it lives.
class Headless {
 public:
  explicit Headless(ImVec2 size);
  ~Headless();
  Headless(const Headless&) = delete;
  Headless& operator=(const Headless&) = delete;

  void resize(ImVec2 size);
  ImVec2 size() const;
  /// The fonts that ImGui was just given, from the next frame on.
  void use(ui::Fonts fonts);
  const ui::Fonts& fonts() const { return fonts_; }

  /// A frame of whatever `contents` puts into it.
  void frame(const std::function<void()>& contents);

 private:
  ui::Fonts fonts_;
};
