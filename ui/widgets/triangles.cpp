#include "ui/widgets/triangles.hpp"

#include <algorithm>

#include "ui/widgets/imgui_compat.hpp"

namespace ui {

void Triangles::draw(const std::function<void(ImDrawList&)>& paint) {
  ImDrawListSharedData* shared = ImGui::GetDrawListSharedData();
  if (list_ == nullptr || list_->_Data != shared) list_ = std::make_unique<ImDrawList>(shared);
  list_->_ResetForNewFrame();
  list_->PushClipRectFullScreen();
  push_font_texture(*list_);
  paint(*list_);
  pieces_.clear();
  for (const ImDrawCmd& command : list_->CmdBuffer) {
    if (command.ElemCount == 0) continue;
    const ImDrawIdx* indices = list_->IdxBuffer.Data + command.IdxOffset;
    const auto [low, high] = std::minmax_element(indices, indices + command.ElemCount);
    pieces_.push_back({command.ClipRect, static_cast<int>(command.VtxOffset) + *low,
                       *high - *low + 1, static_cast<int>(command.IdxOffset),
                       static_cast<int>(command.ElemCount), *low});
  }
}

void Triangles::add_to(ImDrawList& list) const {
  for (const Piece& piece : pieces_) {
    list.PushClipRect({piece.clip.x, piece.clip.y}, {piece.clip.z, piece.clip.w}, true);
    list.PrimReserve(piece.indices, piece.vertices);
    list._VtxWritePtr =
        std::copy_n(list_->VtxBuffer.Data + piece.first_vertex, piece.vertices, list._VtxWritePtr);
    const auto shift = static_cast<ImDrawIdx>(list._VtxCurrentIdx - piece.base);
    // A loop that compilers turn into vector instructions.
    const ImDrawIdx* from = list_->IdxBuffer.Data + piece.first_index;
    ImDrawIdx* to = list._IdxWritePtr;
    for (int i = 0; i < piece.indices; ++i) to[i] = static_cast<ImDrawIdx>(from[i] + shift);
    list._IdxWritePtr = to + piece.indices;
    list._VtxCurrentIdx += static_cast<unsigned int>(piece.vertices);
    list.PopClipRect();
  }
}

}  // namespace ui
