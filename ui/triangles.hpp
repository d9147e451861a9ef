// What an ImGui draw list holds, kept: drawn once, put into the lists of many frames.
#pragma once

#include <imgui.h>

#include <functional>
#include <vector>

namespace ui {

class Triangles {
 public:
  Triangles() = default;
  /// What `draw` puts into an empty list whose texture is that of the fonts.
  explicit Triangles(const std::function<void(ImDrawList&)>& draw);

  /// Where they were drawn, within the list's clip rectangle.
  void add_to(ImDrawList&) const;

 private:
  /// One command of a list; its indices count from its own first vertex.
  struct Piece {
    ImVec4 clip;
    std::vector<ImDrawVert> vertices;
    std::vector<ImDrawIdx> indices;
  };
  std::vector<Piece> pieces_;
};

}  // namespace ui
