// What an ImGui draw list holds, kept: drawn once, put into the lists of many frames.
#pragma once

#include <imgui.h>

#include <functional>
#include <memory>
#include <vector>

namespace ui {

class Triangles {
 public:
  /// Keeps what `paint` puts into an empty list whose texture is that of the fonts.
  void draw(const std::function<void(ImDrawList&)>& paint);
  /// Where they were drawn, within the list's clip rectangle.
  void add_to(ImDrawList&) const;

 private:
  /// One command of the list, with the vertices that its indices speak of.
  struct Piece {
    ImVec4 clip;
    int first_vertex, vertices;
    int first_index, indices;
    int base;  // what the list's indices call the first vertex
  };
  std::unique_ptr<ImDrawList> list_;
  std::vector<Piece> pieces_;
};

}  // namespace ui
