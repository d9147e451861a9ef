#include "ui/triangles.hpp"

#include <algorithm>
#include <utility>

#include "ui/imgui_compat.hpp"

namespace ui {

void Triangles::add_to(ImDrawList& list) const {
  for (const Layer& layer : layers_) {
    for (const Piece& piece : *layer) {
      list.PushClipRect({piece.clip.x, piece.clip.y}, {piece.clip.z, piece.clip.w}, true);
      list.PrimReserve(static_cast<int>(piece.indices.size()),
                       static_cast<int>(piece.vertices.size()));
      list._VtxWritePtr = std::ranges::copy(piece.vertices, list._VtxWritePtr).out;
      const auto base = static_cast<ImDrawIdx>(list._VtxCurrentIdx);
      // A loop that compilers turn into vector instructions.
      ImDrawIdx* to = list._IdxWritePtr;
      for (std::size_t i = 0; i < piece.indices.size(); ++i)
        to[i] = static_cast<ImDrawIdx>(base + piece.indices[i]);
      list._IdxWritePtr = to + piece.indices.size();
      list._VtxCurrentIdx += static_cast<unsigned int>(piece.vertices.size());
      list.PopClipRect();
    }
  }
}

void KeptLayers::next_drawing(const Texture& texture) {
  before_ = std::exchange(now_, {});
  if (texture != texture_) before_.clear();
  texture_ = texture;
}

Triangles::Layer KeptLayers::find(std::uint64_t number) {
  const auto found = before_.find(number);
  if (found == before_.end()) return nullptr;
  keep(number, found->second);
  return found->second;
}

ImDrawList& KeptLayers::empty_list() {
  ImDrawListSharedData* shared = ImGui::GetDrawListSharedData();
  if (list_ == nullptr || list_->_Data != shared) list_ = std::make_unique<ImDrawList>(shared);
  list_->_ResetForNewFrame();
  list_->PushClipRectFullScreen();
  push_font_texture(*list_);
  return *list_;
}

Triangles::Layer TriangleRecorder::cut() {
  std::vector<Triangles::Piece> pieces;
  for (const ImDrawCmd& command : list_.CmdBuffer) {
    const int begin = std::max(static_cast<int>(command.IdxOffset), cut_at_);
    const int end = static_cast<int>(command.IdxOffset + command.ElemCount);
    if (begin >= end) continue;
    const ImDrawIdx* first = list_.IdxBuffer.Data + begin;
    const ImDrawIdx* last = list_.IdxBuffer.Data + end;
    const auto [low, high] = std::minmax_element(first, last);
    const ImDrawVert* vertices = list_.VtxBuffer.Data + command.VtxOffset;
    Triangles::Piece& piece = pieces.emplace_back(
        Triangles::Piece{command.ClipRect, {vertices + *low, vertices + *high + 1}, {first, last}});
    for (ImDrawIdx& index : piece.indices) index = static_cast<ImDrawIdx>(index - *low);
  }
  cut_at_ = list_.IdxBuffer.Size;
  return std::make_shared<const std::vector<Triangles::Piece>>(std::move(pieces));
}

void TriangleRecorder::layer(std::uint64_t number, const std::function<void()>& paint) {
  layers_.push_back(cut());
  Triangles::Layer layer = kept_.find(number);
  if (layer == nullptr) {
    paint();
    layer = cut();
    kept_.keep(number, layer);
  }
  layers_.push_back(std::move(layer));
}

Triangles TriangleRecorder::take() {
  layers_.push_back(cut());
  return Triangles(std::exchange(layers_, {}));
}

}  // namespace ui
