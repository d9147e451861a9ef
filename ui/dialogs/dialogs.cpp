#include "ui/dialogs/dialogs.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"

namespace ui {

namespace {

struct Words {
  const char* title;
  const char* help;
  const char* button;
};

const Words& words_of(DialogKind kind) {
  static constexpr std::array words{
      Words{"Open a session", "Its points are drawn beside those of this device.", "Open"},
      Words{"Save this session", "Points, roofs and conditions of this device, as JSON.", "Save"},
      Words{"Export a picture",
            "The plots with axes, roofs and series, without the cursor and the slider's points.",
            "Export"}};
  return words.at(static_cast<std::size_t>(kind));
}

void path_field(Ui& ui, FileDialog& dialog, float width) {
  std::string path = dialog.path;
  // Enter took the focus away.
  const bool again = std::exchange(dialog.type_again, false);
  if (ImGui::IsWindowAppearing() || again) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(width);
  if (ImGui::InputText("##path", &path, ImGuiInputTextFlags_AutoSelectAll)) set_path(dialog, path);
  ui.map.controls["dialog.path"] = {last_item(), true, dialog.path, ImGui::IsItemActive()};
}

void suggestion_list(Ui& ui, FileDialog& dialog, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  // An export has more to choose below.
  const bool exports = dialog.kind == DialogKind::export_picture;
  const ImVec2 size{width, ui.theme.px(exports ? 84.0F : 132.0F)};
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + size.x, at.y + size.y},
                                            colour_of(ui.theme.track), ui.theme.px(4));
  ImGui::BeginChild("##files", size);
  std::optional<Suggestion> taken;
  ImGui::SetCursorPosY(ui.theme.px(4));
  ImGui::Indent(ui.theme.px(6));
  for (const Suggestion& suggestion : dialog.suggestions) {
    const std::string row = suggestion.name + (suggestion.folder ? "/" : "");
    if (ImGui::Selectable(row.c_str(), false)) taken = suggestion;
    ui.map.controls["dialog.file." + suggestion.name] = {last_item(), true, ""};
  }
  if (std::ranges::all_of(dialog.suggestions, &Suggestion::folder)) {
    text(ui, "no matching file in this folder", small_size, false, ui.theme.text_disabled);
  }
  ImGui::EndChild();
  if (taken) take(dialog, *taken);
}

/// The recent session that was clicked.
std::optional<std::size_t> recent_list(Ui& ui, const FileDialog& dialog, float width) {
  if (dialog.recent.empty()) return std::nullopt;
  caption(ui, "Recent", "Recently opened or saved sessions; click one to open it.", width);
  constexpr std::size_t in_sight = 4;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float rows = static_cast<float>(std::min(dialog.recent.size(), in_sight));
  const plot::Rect where{at.x, at.y, width, rows * ui.theme.px(row_height)};
  std::optional<std::size_t> clicked;
  list_rows(ui, "##recent", where, dialog.recent.size(), [&](std::size_t i, const plot::Rect& row) {
    const RecentFile& file = dialog.recent[i];
    ImGui::BeginDisabled(!file.there);
    if (click_area("##recent" + std::to_string(i), row)) clicked = i;
    const bool hot = file.there && ImGui::IsItemHovered();
    ImGui::EndDisabled();
    report_row(ui, "dialog.recent." + std::to_string(i), file.title);
    tip_on_hover(ui, file.there ? file.path : file.path + " no longer exists.");
    if (hot) {
      fill_rect(*ImGui::GetWindowDrawList(), row, ui.theme.control_hover, ui.theme.px(3));
    }
    const double pad = ui.theme.pixels(6);
    draw_cell(
        ui, row,
        {pad, row.w - 2 * pad, file.title, file.there ? ui.theme.text : ui.theme.text_disabled});
  });
  return clicked;
}

/// Which of the sessions that no file holds, when there are others than that of the device.
void session_choice(Ui& ui, FileDialog& dialog, float width) {
  const std::vector<Unsaved> all = unsaved(ui.state);
  const bool others = std::ranges::any_of(
      all, [&](const Unsaved& one) { return one.key != SessionKey(ui.state.spec.device); });
  if (!others) return;
  const SessionKey chosen = dialog.session.value_or(SessionKey(ui.state.spec.device));
  const auto shown = std::ranges::find(all, chosen, &Unsaved::key);
  const std::string title = shown == all.end() ? ui.state.spec.device : shown->title;
  const auto rows = [&] {
    std::vector<MenuRow> made;
    for (const Unsaved& one : all)
      made.push_back(
          {fmt::format("dialog.session.{}", made.size()), one.title, one.key == chosen, one.title});
    return made;
  };
  const auto taken = menu(ui,
                          {.name = "dialog.session",
                           .shown = title,
                           .width = width,
                           .help = "Choose which unsaved session to save."},
                          rows);
  if (!taken) return;
  const bool then_close = dialog.then_close;
  show_save_of(ui.state, all[*taken].key);
  ui.state.dialogs.file->then_close = then_close;
}

/// A path without a folder does not tell where a file goes, or is looked for.
std::string destination(const FileDialog& dialog) {
  std::string folder = folder_of(whole_path(dialog.path.empty() ? "./" : dialog.path));
  if (folder.size() > 1) folder.pop_back();  // its own name is the last one
  return "Folder: " + brief_path(folder);
}

/// Whether the next confirmation replaces what is there.
bool asks(const FileDialog& dialog) { return !dialog.asked.empty() && dialog.asked == dialog.path; }

void message(Ui& ui, const FileDialog& dialog, float width) {
  const float height = ImGui::GetTextLineHeightWithSpacing() * 2.2F;
  const float top = ImGui::GetCursorPosY();
  if (ui.state.dialogs.drawing) {
    wrapped(ui, "Exporting ...", width, ui.theme.text_dim, height);
  } else if (!dialog.error.empty()) {
    if (!wrapped(ui, dialog.error, width, ui.theme.warning, height)) {
      wrapped(ui, dialog.error.substr(0, 120) + "...", width, ui.theme.warning, height);
      tip_on_hover(ui, dialog.error);
    }
  } else {
    const std::string folder = destination(dialog);
    const std::string note = replaced(dialog, ui.state.dialogs.exporting);
    wrapped(ui,
            note.empty()   ? folder
            : asks(dialog) ? note + " Replace what is there, or type another name."
                           : note + " " + folder,
            width, note.empty() ? ui.theme.text_dim : ui.theme.warning, height);
    ui.map.controls["dialog.folder"] = {last_item(), true, folder};
  }
  ImGui::SetCursorPosY(top + height);
}

/// True when the dialog is to be confirmed.
bool buttons(Ui& ui, const FileDialog& dialog, float width, bool& cancel) {
  const ImVec2 size{ui.theme.px(96), ui.theme.px(28)};
  const float left = ImGui::GetCursorPosX();
  if (dialog.kind == DialogKind::export_picture) {
    if (button(ui, "dialog.copy", "Copy picture", {ui.theme.px(120), size.y}, {},
               "Copy it to the clipboard, as a PNG (Ctrl+Shift+C).")) {
      copy_picture(ui.state);
    }
    ImGui::SameLine();
  }
  ImGui::SetCursorPosX(left + width - 2 * size.x - ui.theme.px(8));
  cancel = button(ui, "dialog.cancel", "Cancel", size) || presses(ui, Key::escape) > 0;
  ImGui::SameLine(left + width - size.x);
  const std::string busy = ui.state.dialogs.drawing ? "Drawing the picture. Cancel stops it." : "";
  const std::string words = asks(dialog) ? "Replace" : std::string(words_of(dialog.kind).button);
  return coloured_button(ui, "dialog.ok", words, size, ui.theme.run, ui.theme.run_hover, busy) ||
         presses(ui, Key::enter) > 0;
}

constexpr float dialog_width = 520;

/// What the window has room for beside the options, pixels; 0: for nothing that one could see.
float preview_width(const Ui& ui) {
  const float margins = ui.theme.px(20 + 20 + 16 + 12);
  const float room = ImGui::GetIO().DisplaySize.x - ui.theme.px(dialog_width) - margins;
  return room < ui.theme.px(160) ? 0 : std::min(room, ui.theme.px(760));
}

void fill(Ui& ui, FileDialog& dialog) {
  const float width = ui.theme.px(dialog_width);
  const Words& words = words_of(dialog.kind);
  text(ui, words.title, title_size, true, ui.theme.text);
  text(ui, words.help, small_size, false, ui.theme.text_dim);
  if (dialog.kind == DialogKind::save) session_choice(ui, dialog, width);
  path_field(ui, dialog, width);
  suggestion_list(ui, dialog, width);
  if (const auto recent = recent_list(ui, dialog, width)) {
    open_recent(ui.state, *recent);
    return;
  }
  if (dialog.kind == DialogKind::export_picture) draw_export_options(ui, dialog, width);
  message(ui, dialog, width);
  bool cancel = false;
  if (buttons(ui, dialog, width, cancel)) {
    confirm_dialog(ui.state);
  } else if (cancel) {
    ui.state.dialogs.file.reset();
  }
  ui.keys = {};  // none is left for what comes after it
}

/// An export's options at the left, its picture at the right.
void fill_export(Ui& ui, FileDialog& dialog) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  fill(ui, dialog);
  const float height = ImGui::GetCursorScreenPos().y - at.y - ImGui::GetStyle().ItemSpacing.y;
  const float width = preview_width(ui);
  if (!ui.state.dialogs.file || width <= 0) return;
  const float left = at.x + ui.theme.px(dialog_width + 16);
  ImGui::SetCursorScreenPos({left, at.y});
  draw_export_preview(ui, dialog, {left, at.y, width, height});
}

}  // namespace

void draw_dialog(Ui& ui) {
  modal(
      ui, "##dialog", [&] { return ui.state.dialogs.file.has_value(); },
      [&] {
        FileDialog& dialog = *ui.state.dialogs.file;
        dialog.kind == DialogKind::export_picture ? fill_export(ui, dialog) : fill(ui, dialog);
      });
}

}  // namespace ui
