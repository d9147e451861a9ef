// What an ImGui draw list holds, kept: drawn once, put into the lists of many frames.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ui {

/// Where glyphs and dots lie in the texture of the fonts, in numbers.
struct Texture {
  std::pair<std::uint64_t, std::uint64_t> fonts{};  ///< Fonts::version()
  std::uint64_t number = 0;                         ///< font_texture_number()
  bool operator==(const Texture&) const = default;
};

class Triangles {
 public:
  /// One command of a list; its indices count from its own first vertex.
  struct Piece {
    ImVec4 clip;
    std::vector<ImDrawVert> vertices;
    std::vector<ImDrawIdx> indices;
  };
  using Layer = std::shared_ptr<const std::vector<Piece>>;

  Triangles() = default;
  /// One on top of the other.
  explicit Triangles(std::vector<Layer> layers) : layers_(std::move(layers)) {}

  /// Where they were drawn, within the list's clip rectangle.
  void add_to(ImDrawList&) const;

 private:
  std::vector<Layer> layers_;
};

/// The layers of a drawing that may come again in the next one, by their numbers.
class KeptLayers {
 public:
  /// Forgets the layers that the last drawing did not use. All of them when the texture is another
  /// one than before: they look into one that is gone.
  void next_drawing(const Texture&);

  /// An empty list whose texture is that of the fonts; it has grown with the drawings before.
  ImDrawList& empty_list();

  Triangles::Layer find(std::uint64_t number);
  void keep(std::uint64_t number, Triangles::Layer layer) { now_[number] = std::move(layer); }

 private:
  std::map<std::uint64_t, Triangles::Layer> before_, now_;
  Texture texture_;
  std::unique_ptr<ImDrawList> list_;
};

/// Draws triangles to keep; one at a time for each KeptLayers.
class TriangleRecorder {
 public:
  explicit TriangleRecorder(KeptLayers& kept) : kept_(kept), list_(kept.empty_list()) {}

  ImDrawList& list() { return list_; }
  /// What `paint` puts into list(), or has put into it under this number before.
  void layer(std::uint64_t number, const std::function<void()>& paint);
  Triangles take();

 private:
  /// What has come into the list since the last cut.
  Triangles::Layer cut();

  KeptLayers& kept_;
  ImDrawList& list_;
  int cut_at_ = 0;  // index of list_.IdxBuffer
  std::vector<Triangles::Layer> layers_;
};

}  // namespace ui
