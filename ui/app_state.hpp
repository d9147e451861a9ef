// Everything that the window shows, as plain values, and how it reacts to events of the worker.
// Intents of the user are in ui/intents.hpp. Pure: knows no ImGui, no window, no thread; what the
// worker must do is left in `commands`.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "engine/roofs.hpp"
#include "engine/sweeper.hpp"
#include "ui/division.hpp"
#include "ui/figures.hpp"
#include "ui/file_dialog.hpp"
#include "ui/picture_job.hpp"
#include "ui/point_facts.hpp"
#include "ui/versioned.hpp"
#include "ui/zoom.hpp"

namespace ui {

struct StartSweep {
  engine::SweepRequest request;
};
struct StartProbe {
  engine::ProbeRequest request;
};
struct StopWork {};
/// Roofs that were measured on this device are not to be taken again.
struct ForgetRoofs {
  std::string device;
};
/// A picture is to be put on the clipboard.
struct CopyPicture {
  std::string png;
};
/// A picture that is being made is not wanted any more.
struct CancelPicture {
  std::uint64_t number = 0;
};
/// Write a recovery file: against a crash, until the session is saved or discarded.
struct KeepSession {
  std::string name;  ///< among the recovery files
  engine::Session session;
};
/// Remove a recovery file.
struct DropSession {
  std::string name;
};
/// Keep what nobody saved as a last session, which the Open dialog offers.
struct RetireSession {
  std::string name;  ///< among the recovery files
  engine::Session session;
  bool asked_for = false;  ///< the user's own work: no later last session takes its place
};
/// What the worker, the window system and the writers of files are asked for; the window
/// hands it on after each frame.
using Command = std::variant<StartSweep, StartProbe, StopWork, ForgetRoofs, DrawPicture,
                             CancelPicture, CopyPicture, KeepSession, DropSession, RetireSession>;

/// One sentence for the status bar and the log.
struct Notice {
  std::string text;
  bool warning = true;    ///< false: information only
  std::int64_t time = 0;  ///< when it was last said: s since 1970
  bool seen = false;      ///< the log has shown it: it leaves the status bar
  std::string brief{};    ///< what the status bar has room for; empty: the text
};

/// What the worker does now.
struct Running {
  bool sweep = false;
  bool probe = false;
  bool roofs = false;    ///< the sweep is the experiment "roofs"
  bool by_user = false;  ///< the sweep was asked for; false: the window began with it
  std::uint64_t sweep_number = 0;
  std::uint64_t probe_number = 0;
  std::string device;        ///< id of the device that is swept
  std::string probe_device;  ///< id of the device that is probed
  std::size_t done = 0, total = 0;
  double seconds_left = 0;
  std::string now;  ///< what runs, in words

  bool any() const { return sweep || probe; }
  /// The roofs of this device are being measured.
  bool measures_roofs_of(const std::string& id) const { return sweep && roofs && device == id; }
  /// Id of the device that is busy: the sweep's, else the probe's.
  const std::string& busy_device() const { return sweep ? device : probe_device; }
};

/// A session read from a file, or measured on a device that is not the chosen one.
struct OpenedFile {
  std::string name;
  Versioned<engine::Session> session;
  std::string recovery{};  ///< its recovery file's name, while no file of the user holds it
};

/// The measured point under the pointer, as indices into sessions_shown() and its points.
struct Hovered {
  std::size_t session = 0;
  std::size_t point = 0;
  auto operator<=>(const Hovered&) const = default;
};

/// Everything that is known of one point, as it was when it was clicked.
struct Inspection {
  std::string title;    ///< its series
  std::string runtime;  ///< the median, in words
  std::vector<Reading> facts;
  std::string command;  ///< measures it again
  engine::Seconds seconds;
  bool at_left = false;  ///< stands at the left, where it does not cover the point
};

/// What stands below the plots.
enum class Below : std::uint8_t { verdict, results };

enum class ResultColumn : std::uint8_t {
  series,
  run,
  repeat,
  elements,
  intensity,
  runtime,
  spread,
  flops,
  bandwidth,
  share,
  bound,
  remarks
};

/// How the results table is sorted and filtered, and what is chosen in it.
struct ResultsTable {
  std::string filter;
  std::optional<ResultColumn> column{};  ///< nothing: in the order of measurement
  bool ascending = true;
  std::set<Hovered> selected{};                    ///< ringed in the plots
  std::optional<Hovered> last{};                   ///< where a range begins
  std::optional<Hovered> pointed{};                ///< the row under the pointer
  std::vector<const engine::Session*> sessions{};  ///< in which rows were chosen; never looked into
};

/// How a device's session stands against the files that hold it.
struct Keeping {
  std::uint64_t changes = 0;  ///< points and roofs measured so far
  std::uint64_t saved = 0;    ///< `changes` when the user last saved or cleared
  std::uint64_t kept = 0;     ///< `changes` that the recovery file holds
  bool asked_for = false;     ///< points of a sweep that the user started are not saved
  bool ended = false;         ///< a sweep has ended since
  std::optional<double> due;  ///< when the recovery file is written
};

/// What Clear or closing took away.
struct Removed {
  std::string device;  ///< whose session; empty: only opened ones were taken
  engine::Session session;
  Keeping keeping;
  std::vector<OpenedFile> opened;
  std::size_t place = 0;  ///< of the first of `opened`
  std::string back;       ///< the notice when it is brought back
};

/// Commands by name: what is typed, and which of the matches Enter runs.
struct Palette {
  std::string typed;
  std::size_t selected = 0;
};

/// Before the window closes: what becomes of measurements that nobody saved.
enum class CloseAnswer : std::uint8_t { save, discard, cancel };

/// What the very first start points out.
enum class Hint : std::uint8_t { drag, toggle, click };

/// What fills the middle of the window.
enum class Shown : std::uint8_t { sweep, speedup, roofs };

/// What the verdict speaks of while nobody hovers: the newest point, or the slider's.
enum class Focus : std::uint8_t { newest, cursor };

inline constexpr std::size_t most_recent = 10;  ///< paths that AppState::recent holds
inline constexpr double smallest_magnification = 0.7;
inline constexpr double largest_magnification = 2.5;
inline constexpr double rest_before_probe =
    0.1;  ///< s that the slider rests before its point is measured
inline constexpr double rest_before_restart =
    0.3;  ///< s after a change before a running sweep starts anew

/// A tooltip shows once the pointer has rested on its item: one at once would cover what is worked
/// on. It is there as long as the item is under the pointer.
struct Tip {
  double x = 0, y = 0;  ///< of the item, pixels
  double due = 0;       ///< s, as tick() sees it
  bool shown = false;
  bool spent = false;    ///< the item works and was clicked: whoever does so knows it
  bool claimed = false;  ///< in this frame
};
inline constexpr double rest_before_tip = 0.4;  ///< s

struct AppState {
  std::string program = "ridgepoint";  ///< what a user types to start this program
  engine::Spec spec;
  bool set_up = false;  ///< the user has set a control or started a sweep: no file steers the spec
  std::optional<engine::Spec> own_spec;  ///< while the spec follows the one opened file: the user's
  View view;
  std::uint64_t cursor_repeat = 32;  ///< where the intensity slider stands
  bool run_when_ready = false;       ///< start the sweep as soon as a device is known

  bool looking = true;  ///< devices are still being opened
  std::vector<engine::DeviceSummary> devices;
  std::vector<kernels::Unavailable> unavailable;
  std::map<std::string, Versioned<engine::Session>> sessions;  ///< by device id
  std::map<std::string, Keeping> keeping;                      ///< by device id
  std::vector<engine::SheetDevice> sheets;                     ///< what the view can compare with
  std::vector<OpenedFile> opened;

  Running running;
  std::vector<Notice> notices;        ///< newest last
  std::int64_t clock = 0;             ///< s since 1970, as the window last saw it
  std::optional<double> probe_due;    ///< when the slider will have rested
  std::optional<double> restart_due;  ///< when a changed sweep starts anew
  std::optional<Tip> tip;             ///< of what the pointer rests on
  Focus focus = Focus::newest;
  std::optional<Hovered> hovered;
  std::optional<Hovered> pressed;  ///< what lay under the pointer when its button went down
  std::optional<Inspection> inspected;
  std::vector<Removed> removed;  ///< what undo() brings back, newest last
  bool help = false;             ///< the list of keys is open
  bool log = false;              ///< the list of notices is open
  std::optional<Palette> palette;
  std::optional<CloseAnswer> closing;  ///< the question is open; the answer that Enter gives
  bool quit = false;                   ///< the window is to close
  bool ask_before_closing = true;      ///< a setting: whether there is such a question
  bool light = false;                  ///< the window's theme: paper instead of dark
  bool follow_desktop = true;          ///< light or dark as the desktop is, where it tells
  std::set<Hint> hints{};              ///< still to be given
  Shown shown = Shown::sweep;
  Below below = Below::verdict;
  ResultsTable results;
  Division division;                    ///< where the splitters lie
  std::optional<Panel> cursor_held;     ///< the panel in which the pointer drags the cursor line
  std::optional<Panel> maximised;       ///< the panel that fills the plots' area
  std::optional<std::size_t> roofs_of;  ///< RoofsChoice::number; nothing: as roofs_session() says
  std::string selected_roof;            ///< whose shapes are listed; empty: the first
  ZoomState zoom;
  std::optional<FileDialog> dialog;
  ExportOptions exporting;
  std::uint64_t pictures = 0;            ///< numbers given to pictures
  std::optional<std::uint64_t> drawing;  ///< the picture that the dialog waits for
  std::string last_folder;
  std::vector<std::string> recent;  ///< paths of sessions opened and saved, newest first
  std::string recovery_folder;      ///< where recovery files and last sessions lie; may be empty
  std::size_t recoveries = 0;       ///< names of recovery files given to opened sessions
  double magnification = 1;         ///< of everything in the window, on top of the monitor's scale

  std::vector<Command> commands;
};

/// A state with the window's default sweep: fp32 fma, fused and unfused.
AppState new_state();

/// The chosen device, or nullptr while devices are looked for.
const engine::DeviceSummary* current_device(const AppState&);
/// What was measured on the chosen device, or nullptr.
const engine::Session* current_session(const AppState&);
/// What the plots show: the chosen device's session first, then opened files; files alone while it
/// holds no points.
std::vector<const engine::Session*> sessions_shown(const AppState&);

/// The experiment that Space starts.
std::string_view experiment_shown(const AppState&);

/// A session whose roofs the roofs view can show.
struct RoofsChoice {
  std::size_t number = 0;  ///< 0: the chosen device's; i + 1: that of opened[i]
  const engine::Session* session = nullptr;
  std::string title;  ///< the device, and the file that it was read from
};
/// The chosen device's first, then the opened files that hold roofs.
std::vector<RoofsChoice> roofs_choices(const AppState&);
/// Whose roofs the roofs view shows: as the user chose, else the chosen device's once any is
/// measured or being measured, else the first file's; nothing while nothing is there.
std::optional<RoofsChoice> roofs_choice(const AppState&);
const engine::Session* roofs_session(const AppState&);

/// The version of a session of `sessions` or `opened`.
std::uint64_t version_of(const AppState&, const engine::Session&);

/// What is on screen: in the roofs view its one session, else what the plots show.
std::vector<const engine::Session*> sessions_on_screen(const AppState&);

/// The opened file that a session was read from, or nullptr.
const OpenedFile* file_of(const AppState&, const engine::Session&);

/// The case at the slider, elements filled in; nothing while no device is known.
std::optional<kernels::Case> cursor_case(const AppState&);

/// Takes one event of the worker; true when something visible changed.
bool apply(AppState&, const engine::Event&);
/// The numbers that the worker gave to what `commands` asked for.
void sweep_started(AppState&, std::uint64_t number);
void probe_started(AppState&, std::uint64_t number);

/// A picture is made, or is not.
void picture_done(AppState&, PictureDone);

/// Lets time pass: a picture whose dialog was closed is given up, a slider that has rested asks for
/// its point, a changed sweep starts anew, what is new is kept against a crash. True when something
/// visible changed.
bool tick(AppState&, double now);
/// When tick() has something to do next; nothing when it has not.
std::optional<double> next_deadline(const AppState&);

void notify(AppState&, std::string text, bool warning = true);
/// Information that is long, and what the status bar shows of it.
void notify_briefly(AppState&, std::string text, std::string brief);

}  // namespace ui
