// The controls that every panel is made of. Each reports its place to the UI map, and a disabled
// one says why on hover.
#pragma once

#include <imgui.h>

#include <cfloat>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ui/actions/actions.hpp"
#include "ui/model/app_state.hpp"
#include "ui/widgets/imgui_canvas.hpp"
#include "ui/widgets/theme.hpp"
#include "ui/widgets/ui_map.hpp"

namespace ui {

struct PanelCache;

/// What every panel is given for one frame.
struct Ui {
  AppState& state;
  const Theme& theme;
  const Fonts& fonts;
  UiMap& map;
  PanelCache& panels;
  std::span<const KeyPress> keys;
  double now = 0;  ///< s of the clock that tick() sees
};

/// One entry of a row of choices.
struct Choice {
  std::string label;
  bool chosen = false;
  std::string help{};                  ///< said on hover while it is enabled
  std::string why_not{};               ///< not empty: disabled, with this reason
  std::optional<plot::Colour> mark{};  ///< a dot of this colour
};

/// Takes clicks in a rectangle without a face, at least a pixel large: ImGui aborts over a button
/// of width or height 0, which a narrow window can bring about.
bool click_area(const std::string& name, plot::Rect);

/// Lists a control in the map: what of it the window, which may scroll, does not cut off.
void report(Ui&, const std::string& name, const UiMap::Control&);

/// How often the key went down, alone, since the last frame.
int presses(const Ui&, Key);

/// Text in one of the window's sizes.
void text(Ui&, const std::string&, float size, bool bold, plot::Colour);
/// The same, elided() to `width`; whether all of it is there.
bool text_within(Ui&, const std::string&, double width, float size, bool bold, plot::Colour);
/// The same, wrapped to `width`; returns false and draws nothing when it needs more than `height`.
bool wrapped(Ui&, const std::string&, float width, plot::Colour, float height = FLT_MAX);

/// A line left of, right of or around a point, which takes no place in the window.
void text_at(const Ui&, plot::Vec, const std::string&, float size, bool bold, plot::Colour,
             plot::Align = plot::Align::left);
/// How wide a line is, pixels.
double text_width(const Ui&, const std::string&, float size, bool bold);

/// How high words are that are wrapped to `width`; 0 without words.
float wrapped_height(const std::string& words, float width);

/// Sentences below each other in the rest of the window as long as they fit; what does not fit is
/// said when the pointer rests on the line "more ...", or clicks it. That is `name` in the map.
struct Sentence {
  std::string words;
  plot::Colour colour;
};
void sentences(Ui&, const std::string& name, std::span<const Sentence>, float width);

/// Words in the middle of an area that shows nothing yet.
void placeholder(Ui&, const plot::Rect& where, const char* words);

/// As much of a text as fits, with dots when something is missing.
std::string elided(Ui&, const std::string&, double width, double size, bool bold);

/// A dim caption above a control, `value` at its right end, `strong` or as an aside; hovering shows
/// `help`.
void caption(Ui&, const std::string& label, std::string_view help, float width,
             const std::string& value = {}, bool strong = true);

/// Filled button; true when clicked. Hovering shows `why_not`, which disables it, else `help`.
bool button(Ui&, const std::string& name, const std::string& label, ImVec2 size,
            const std::string& why_not = {}, const std::string& help = {});
bool coloured_button(Ui&, const std::string& name, const std::string& label, ImVec2 size,
                     plot::Colour normal, plot::Colour hovered, const std::string& why_not = {},
                     const std::string& help = {});

/// A line that opens and closes what stands below it, `value` at its right end; true when clicked.
bool fold(Ui&, const std::string& name, const std::string& label, const std::string& value,
          bool open);

/// Equal segments side by side, named NAME.LABEL in the map, `height` pixels at scale 1; the one
/// clicked.
std::optional<std::size_t> segments(Ui&, const std::string& name, std::span<const Choice>,
                                    float width, float height = 24);

/// `count` boxes in as few rows of at most `most` as they need, all of them as long or one shorter.
std::vector<std::size_t> in_rows(std::size_t count, std::size_t most);

/// Where a slider begins and ends, and what stands there.
struct SliderRange {
  double low, high;
  std::string low_text, high_text;
  double notch = 0;  ///< above 1: marks at low * notch^k, on which the pointer catches
};
/// A slider over a logarithm. True while it changes the value. Hovering shows `why_not`, which
/// disables it, else `help`.
bool log_slider(Ui&, const std::string& name, double& value, const SliderRange&, float width,
                plot::Colour fill, const std::string& why_not = {}, const std::string& help = {});

/// One cell's text in a row of a list. `right` aligns it to the column's right edge.
struct Cell {
  double x = 0, width = 0;
  std::string text;
  plot::Colour colour;
  bool bold = false;
  bool right = false;
};

inline constexpr float row_height = 22;  ///< of lists, pixels at scale 1

/// A list in `where` that scrolls: `row(i, place)` draws row i into its place where it is in sight.
void list_rows(Ui&, const char* name, const plot::Rect& where, std::size_t count,
               const std::function<void(std::size_t, const plot::Rect&)>& row);

/// Elided text in the middle of a row's height; x counts from the row's left edge.
void draw_cell(Ui&, const plot::Rect& row, const Cell&);

/// The last item's place for the UI map, when all of it can be seen and clicked.
void report_row(Ui&, const std::string& name, const std::string& value);

/// A list that unfolds below what is chosen.
struct Menu {
  std::string name;   ///< in the map
  std::string shown;  ///< while it is closed
  float width;
  std::string help{};                  ///< on hover while it is closed
  std::optional<std::string> value{};  ///< in the map; nothing: what is shown
  bool enabled = true;
};
struct MenuRow {
  std::string name;  ///< in the map
  std::string label;
  bool chosen = false;
  std::string value{};  ///< in the map
  std::string help{};   ///< on hover; why not, when it is not enabled
  bool enabled = true;  ///< else it cannot be chosen, nor is it in the map
};
/// The row that is clicked, or chosen with Enter; that closes the list. A click or Enter opens it,
/// Escape closes it. Rows are made only while it is open: there may be thousands.
std::optional<std::size_t> menu(Ui&, const Menu&,
                                const std::function<std::vector<MenuRow>()>& make_rows);

/// Puts a text on the clipboard and says so.
void copy_text(Ui&, const std::string& text, std::string said);

/// What a click does to an item's tooltip: one that acts needs no more words, one that is there to
/// be read shows them at once. Why an item is disabled is always to be read.
enum class TipClick { ends, shows };

/// Wrapped tooltip, once the pointer has rested on the last item, disabled or not.
void tip_on_hover(const Ui&, const std::string& text, TipClick = TipClick::ends);
/// After all items of a frame: once none with a tip is under the pointer, the next one waits again.
void forget_left_tip(Ui&);

/// A panel over the window that takes all input while `is_open`, which `fill` may end. `top` is its
/// distance from the upper edge at scale 1, as the padding; nothing: it stands in the middle.
void modal(const Ui&, const char* name, const std::function<bool()>& is_open,
           const std::function<void()>& fill, ImVec2 padding = {20, 18},
           std::optional<float> top = {});

/// A bar between panels: dragged, it divides the window; double-clicked, it goes back. `places` is
/// what the window is divided into now.
void splitter(Ui&, Splitter, const plot::Rect& where, const Places& places);

/// The small box of numbers beside the pointer: above everything, inside the figure's `frame` where
/// it fits there, always inside the window. `title` may be empty.
void draw_read_out(Ui&, const std::string& title, const std::vector<Reading>&,
                   const plot::Rect& frame);

/// Whether the keys speak to this enabled control, around which a frame then shows it. The caller
/// takes the click or the steps out of Look::keys.
bool has_focus(Ui&, const std::string& name, const plot::Rect& at);
/// Whether Enter clicks this control, to which the keys speak.
bool enter_clicks(Ui&, const std::string& name, const plot::Rect& at);
/// Tab and Shift+Tab: the next or the previous of the controls that were drawn last.
void move_focus(Ui&, int direction);

/// What is left of the line for the next item, pixels.
inline float full_width() { return ImGui::GetContentRegionAvail().x; }

/// What is left of the current window, from its cursor on.
plot::Rect rest_of_window();

/// Where the last item lies, for the UI map.
plot::Rect last_item();

}  // namespace ui
