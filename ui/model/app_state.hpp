// Everything that the window shows, as plain values. Events of the worker and intents of the user
// change it (ui/actions/). Pure: knows no ImGui, no window, no thread; what the worker must do is
// left in `commands`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/model/commands.hpp"
#include "ui/model/dialogs.hpp"
#include "ui/model/documents.hpp"
#include "ui/model/look.hpp"
#include "ui/model/worker_state.hpp"

namespace ui {

/// One sentence for the status bar and the log.
struct Notice {
  std::string text;
  bool warning = true;    ///< false: information only
  std::int64_t time = 0;  ///< when it was last said: s since 1970
  bool seen = false;      ///< the log has shown it: it leaves the status bar
  std::string brief{};    ///< what the status bar has room for; empty: the text
  std::string lab{};      ///< whose run it is about; empty: the window's
};

struct AppState {
  std::string program = "ridgepoint";  ///< what a user types to start this program
  engine::Spec spec;
  bool set_up = false;  ///< the user has set a control or started a sweep: no file steers the spec
  /// The user's elements, where a control was used while the spec followed an opened file.
  std::optional<std::uint64_t> own_elements;
  std::optional<engine::Spec> own_spec;  ///< while the spec follows the one opened file: the user's
  /// Element types that the user chose, some of which do not run now; empty: those of the spec.
  std::vector<kernels::Dtype> chosen_dtypes;
  std::uint64_t cursor_repeat = 32;  ///< where the intensity slider stands

  WorkerState worker;
  Documents documents;
  Look look;
  Dialogs dialogs;

  std::vector<Notice> notices;  ///< newest last
  std::int64_t clock = 0;       ///< s since 1970, as the window last saw it
  bool quit = false;            ///< the window is to close
  std::vector<Command> commands;
};

/// A state with the window's default sweep: fp32 fma, fused and unfused.
AppState new_state();

/// The chosen device, or nullptr while devices are looked for.
const engine::Place* current_device(const AppState&);
/// What was measured on a device, or on the chosen one; or nullptr.
const engine::Session* measured_on(const AppState&, const std::string& device);
const engine::Session* current_session(const AppState&);
/// What the plots show: the chosen device's session while it holds points, then opened files.
std::vector<const engine::Session*> sessions_shown(const AppState&);

/// Whether all that the plots show was read from files, so that the slider measures nothing.
bool is_view_only(const AppState&);

/// The lab on screen, which Space starts.
const engine::Lab& lab_on_screen(const AppState&);
/// The titles of the lab's charts that stand apart, or of the others: "Speed-up". Empty: none.
std::string titles_of(const engine::Lab&, bool apart);
/// Whether it has charts that stand apart, and whether the middle shows those.
bool has_apart(const engine::Lab&);
bool shows_apart(const AppState&);
/// What the lab on screen would run: what it reads of the spec, in the element types and on the
/// units that suit the chosen device.
engine::Spec spec_on_screen(const AppState&);
/// Whether that lab is being measured.
bool runs_lab_on_screen(const AppState&);
/// The first session on screen with points of the lab there, else the first: whose verdict it is.
const engine::Session* lab_session(const AppState&);
/// What the lab on screen says of that session.
engine::LabVerdict lab_verdict(const AppState&);

/// A session that can be chosen: to show its roofs, or as a side of a comparison.
struct SessionChoice {
  std::size_t number = 0;  ///< 0: the chosen device's; i + 1: that of opened[i]
  const engine::Session* session = nullptr;
  std::string title;  ///< as the menu names it
};
/// For the roofs view: the chosen device's first, then the opened files that hold roofs.
std::vector<SessionChoice> roofs_choices(const AppState&);
/// Whose roofs the roofs view shows: as the user chose, else the chosen device's once any is
/// measured or being measured, else the first file's; nothing while nothing is there.
std::optional<SessionChoice> roofs_choice(const AppState&);
const engine::Session* roofs_session(const AppState&);

/// The version of a session of `sessions` or `opened`.
std::uint64_t version_of(const AppState&, const engine::Session&);

/// What is on screen: in the roofs view its one session, else what the plots show.
std::vector<const engine::Session*> sessions_on_screen(const AppState&);

/// The opened file that a session was read from, or nullptr.
const OpenedFile* file_of(const AppState&, const engine::Session&);

/// The case at the slider, elements filled in; nothing while no device is known.
std::optional<kernels::Case> cursor_case(const AppState&);

/// What was typed or read as a title: printable, and no longer than fits above any charts.
std::string as_title(std::string_view);

/// Says it now; what was said last is said once.
void add_notice(AppState&, Notice);
void notify(AppState&, std::string text, bool warning = true);
/// Information that is long, and what the status bar shows of it.
void notify_briefly(AppState&, std::string text, std::string brief);
/// The newest of the lab on screen or of none, until the log has shown it; else null.
const Notice* newest_notice(const AppState&);

}  // namespace ui
