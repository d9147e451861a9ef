// What the benchmark of drawing draws: whole frames of ImGui without a window or OpenGL, and the
// sessions in them.
#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/screen/headless.hpp"
#include "ui/model/app_state.hpp"
#include "ui/views/panel_cache.hpp"
#include "ui/widgets/theme.hpp"
#include "ui/widgets/widgets.hpp"

namespace bench {

/// A screen of the usual size, with the window's fonts.
class Screen {
 public:
  Screen();

  /// A frame of whatever `contents` puts into it, with the pointer there.
  void frame(ImVec2 pointer, const std::function<void()>& contents);
  const ui::Fonts& fonts() const { return imgui_.fonts(); }
  const ui::Theme& theme() const { return theme_; }

 private:
  Headless imgui_;
  ui::Theme theme_ = ui::theme_of(1, false);
};

/// What a usual sweep leaves: 104 points in eight series, powers of two.
engine::Session usual_sweep();

/// Sessions of series with as many points each, repeat 1 and on.
std::vector<engine::Session> long_sweeps(std::size_t series, std::uint64_t points,
                                         std::size_t series_per_session);

/// Sessions of 31 points each, of machines that are not equally fast.
std::vector<engine::Session> fleet(std::size_t count);

/// The window's state on one device: the first session as if it were being measured there, the
/// others opened as files.
ui::AppState state_with(std::vector<engine::Session> sessions);

/// The whole window of such a state.
struct Scene {
  Screen& screen;
  ui::AppState state;
  ui::UiMap map;
  ui::PanelCache panels;

  void frame(ImVec2 pointer);
};

}  // namespace bench
