// Dialogs, the tour and the exercise: which are open, and what was entered. Knows no ImGui.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/exercises/exercise.hpp"
#include "ui/figures/figures.hpp"
#include "ui/plot/output/presets.hpp"

namespace ui {

/// The dialog that opens, saves and exports.
enum class DialogKind : std::uint8_t { open, save, export_picture };

struct Suggestion {
  std::string name;
  bool folder = false;
};

/// A session of the window: the id of the device that measured it, or its index among the opened.
using SessionKey = std::variant<std::string, std::size_t>;

/// A session that was opened or saved before.
struct RecentFile {
  std::string path;
  std::string title;
  bool there = true;  ///< it still exists
};
/// One for each path, "~" for the home folder in its title.
std::vector<RecentFile> recent_files(const std::vector<std::string>& paths);

struct FileDialog {
  DialogKind kind = DialogKind::open;
  std::string path;         ///< as typed
  std::string error;        ///< one sentence; empty = none
  bool type_again = false;  ///< something failed: the path is to be typed into once more
  /// The folder above, and what is in the folder and starts like the typed name.
  std::vector<Suggestion> suggestions;
  bool exists = false;  ///< the typed path is a file already
  std::string asked{};  ///< the path of which it was asked whether to replace what is there

  std::vector<RecentFile> recent;     ///< open: newest first
  std::optional<SessionKey> session;  ///< save: absent = what is measured on the chosen device
  bool then_close = false;            ///< save: the window is closed afterwards

  plot::Format format = plot::Format::png;  ///< export: as the typed name ends
  std::string title{};       ///< export: in place of what was measured, as the picture's heading
  bool data_exists = false;  ///< export: so is the table that would lie beside the picture
};

/// What an exported picture shows and how it looks; kept from one export to the next.
struct ExportOptions {
  std::optional<std::string> chart;  ///< its id; absent = all
  plot::Format format = plot::Format::png;
  plot::PictureSpec look;
  bool data = false;  ///< with the numbers behind it, as a table beside it
};

/// What is there already and would be replaced, in a sentence; empty where nothing is.
std::string replaced(const FileDialog&, const ExportOptions&);

/// A dialog with `path` typed in.
FileDialog new_dialog(DialogKind, std::string path);
/// Takes a typed path: suggestions, whether it exists, and the format that its ending names.
void set_path(FileDialog&, std::string path);
/// Takes a suggestion: a folder is entered (".." is the one above), a file replaces the name.
void take(FileDialog&, const Suggestion&);
/// Chooses a picture format and gives the name its ending.
void set_format(FileDialog&, plot::Format);

/// Where the table of a picture goes: beside it, under its name.
std::string data_path(const std::string& picture);

/// "~" and "~/x" with the home folder in place of the tilde.
std::string expand_home(const std::string& path);
/// A typed path from the root on.
std::string whole_path(const std::string& path);
/// "~/x" for what lies in the home folder.
std::string from_home(const std::string& path);
/// from_home() without the folders in the middle where it is long: "~/…/paper/roofline.svg".
std::string brief_path(const std::string& path);
/// The folder of a typed path, with a slash at its end; empty for a bare name.
std::string folder_of(const std::string& path);

/// Limits of an exported picture's sides, in pixels or points.
inline constexpr int largest_side = 8000;

/// Commands by name: what is typed, and which of the matches Enter runs.
struct Palette {
  std::string typed;
  std::size_t selected = 0;
};

/// Before the window closes: what becomes of measurements that nobody saved.
enum class CloseAnswer : std::uint8_t { save, discard, cancel };

// The tour of the window: five steps, each of which waits for what the user does.

/// As in the article "Making Deep Learning Go Brrrr From First Principles".
enum class GuideStep : std::uint8_t { add_ops, cross_ridge, fuse, shrink, precision };
inline constexpr std::array guide_steps{GuideStep::add_ops, GuideStep::cross_ridge, GuideStep::fuse,
                                        GuideStep::shrink, GuideStep::precision};

/// The tour while it is on. What differs from when its step began the user has done.
struct Guide {
  GuideStep step = GuideStep::add_ops;
  engine::Spec spec;
  std::uint64_t repeat = 0;
};

/// An exercise while the user works on it.
struct Exercising {
  std::size_t number = 0;  ///< of Documents::exercises
  std::optional<engine::Guess> guess{};
  bool asked = false;           ///< the guess stands, and the machine is to answer
  std::uint64_t after_run = 0;  ///< runs up to this one were there before that
  std::string device{};         ///< that is to answer
  engine::Spec measured{};      ///< the controls when the guess stood
  std::optional<engine::MeasuredAnswer> answer{};  ///< of the first run after the guess
  engine::Spec before{};                           ///< as the controls stood before any exercise
  std::optional<engine::Spec> own_before{};        ///< AppState::own_spec then
  bool set_up_before = false;                      ///< AppState::set_up then
  XAxis x_before = XAxis::repeat;
  std::uint64_t cursor_before = 1;  ///< AppState::cursor_repeat then
};

struct Dialogs {
  std::optional<FileDialog> file;
  ExportOptions exporting;
  std::uint64_t pictures = 0;            ///< numbers given to pictures
  std::optional<std::uint64_t> drawing;  ///< the picture that the dialog waits for
  std::optional<Palette> palette;
  bool help = false;                   ///< the list of keys is open
  bool log = false;                    ///< the list of notices is open
  std::optional<Guide> guide;          ///< the tour is on
  std::optional<Exercising> exercise;  ///< an exercise is on; never both
  std::optional<CloseAnswer> closing;  ///< the question is open; the answer that Enter gives
  bool ask_before_closing = true;      ///< a setting: whether there is such a question
};

}  // namespace ui
