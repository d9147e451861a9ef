#include "ui/triangles.hpp"

#include <algorithm>

#include "ui/imgui_compat.hpp"

namespace ui {

Triangles::Triangles(const std::function<void(ImDrawList&)>& draw) {
  ImDrawList list(ImGui::GetDrawListSharedData());
  list._ResetForNewFrame();
  list.PushClipRectFullScreen();
  push_font_texture(list);
  draw(list);
  for (const ImDrawCmd& command : list.CmdBuffer) {
    if (command.ElemCount == 0) continue;
    const ImDrawIdx* first = list.IdxBuffer.Data + command.IdxOffset;
    const ImDrawIdx* last = first + command.ElemCount;
    const auto [low, high] = std::minmax_element(first, last);
    const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
    Piece& piece = pieces_.emplace_back(
        Piece{command.ClipRect, {vertices + *low, vertices + *high + 1}, {first, last}});
    for (ImDrawIdx& index : piece.indices) index = static_cast<ImDrawIdx>(index - *low);
  }
}

void Triangles::add_to(ImDrawList& list) const {
  for (const Piece& piece : pieces_) {
    list.PushClipRect({piece.clip.x, piece.clip.y}, {piece.clip.z, piece.clip.w}, true);
    list.PrimReserve(static_cast<int>(piece.indices.size()),
                     static_cast<int>(piece.vertices.size()));
    list._VtxWritePtr = std::ranges::copy(piece.vertices, list._VtxWritePtr).out;
    const auto base = static_cast<ImDrawIdx>(list._VtxCurrentIdx);
    list._IdxWritePtr =
        std::ranges::transform(piece.indices, list._IdxWritePtr, [base](ImDrawIdx index) {
          return static_cast<ImDrawIdx>(base + index);
        }).out;
    list._VtxCurrentIdx += static_cast<unsigned int>(piece.vertices.size());
    list.PopClipRect();
  }
}

}  // namespace ui
