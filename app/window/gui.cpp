#include "app/window/gui.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "app/jobs/autosave_writer.hpp"
#include "app/jobs/clipboard.hpp"
#include "app/jobs/picture_writer.hpp"
#include "app/jobs/workers.hpp"
#include "app/output/progress_bar.hpp"
#include "app/window/desktop_theme.hpp"
#include "app/window/window.hpp"
#include "app/window/window_signals.hpp"
#include "engine/measure/measure.hpp"
#include "engine/session/session_file.hpp"
#include "engine/worker/sweeper.hpp"
#include "ui/actions/events.hpp"
#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/autosave/autosave_folder.hpp"
#include "ui/model/settings.hpp"
#include "ui/panels/panels.hpp"
#include "ui/screen/redraw.hpp"
#include "ui/views/panel_cache.hpp"
#include "ui/widgets/ui_map.hpp"

namespace app {

namespace {

constexpr bool tour_once_more = false;     // it begins by itself in the very first start
constexpr double look_at_children = 0.05;  // s, while a program runs beside the window
constexpr double look_at_replay = 0.02;    // s

std::optional<double> earlier(std::optional<double> a, std::optional<double> b) {
  if (!a) return b;
  if (!b) return a;
  return std::min(*a, *b);
}

ui::AppState first_state(const ui::LoadedSettings& loaded, const GuiOptions& options) {
  ui::AppState state = ui::new_state();
  state.program = options.program;
  state.spec = loaded.settings.spec;
  state.spec.lab = ui::lab_on_screen(state).name;  // settings can name one that is gone
  state.look.view.x = loaded.settings.x;
  state.cursor_repeat = loaded.settings.cursor_repeat;
  state.documents.last_folder = loaded.settings.folder;
  state.look.magnification = loaded.settings.magnification;
  state.look.light = loaded.settings.light;
  state.look.follow_desktop = loaded.settings.follow_desktop;
  state.look.division = loaded.settings.division;
  state.look.title = loaded.settings.title;
  state.dialogs.exporting = loaded.settings.exporting;
  state.documents.recent = loaded.settings.recent;
  state.dialogs.ask_before_closing = loaded.settings.ask_before_closing;
  if (loaded.settings.tour) ui::start_guide(state);
  state.clock = std::time(nullptr);
  for (const OpenedSession& file : options.sessions) {
    state.documents.opened.push_back({file.path.filename().string(), file.session});
    ui::remember(state, file.path.string());
  }
  // Who starts it without a file sees a roofline draw itself.
  state.worker.run_when_ready =
      loaded.settings.measure_on_start && loaded.may_measure && options.sessions.empty();
  std::vector<std::string> problems;
  state.documents.sheets = engine::datasheet_devices(&problems);
  if (problems.empty())  // else the assets are missing
    state.documents.exercises =
        engine::read_exercises(engine::assets_folder() / "exercises", problems);
  for (const std::string& problem : problems) ui::notify(state, problem);
  if (!loaded.problem.empty()) ui::notify(state, loaded.problem);
  return state;
}

/// Keeps the file that RIDGEPOINT_UI_MAP names up to date: see ui/widgets/ui_map.hpp. A folder that
/// is gone is nobody's loss: errors are ignored.
void write_map(const ui::UiMap& map, const ui::AppState& state, std::string& last) {
  const char* path = std::getenv("RIDGEPOINT_UI_MAP");
  if (path == nullptr || *path == '\0') return;
  std::string text = ui::ui_map_text(map, state);
  if (text == last) return;
  last = std::move(text);
  // Not engine::write_file: its flush to the disk would take longer than the frame, and the file
  // is of no use later.
  const std::string next = std::string(path) + ".new";
  std::ofstream(next, std::ios::binary) << last;
  std::error_code ignored;
  std::filesystem::rename(next, path, ignored);
}

/// Whoever only looks at a recording opens no device.
std::unique_ptr<engine::Worker> local_worker(const GuiOptions& options) {
  if (options.replay) return nullptr;
  return std::make_unique<engine::Sweeper>(options.open_devices, Window::wake, options.timing);
}

/// The window while it is open.
class Desktop {
 public:
  Desktop(const ui::LoadedSettings& loaded, const GuiOptions& options)
      : measure_on_start_(loaded.settings.measure_on_start),
        state_(first_state(loaded, options)),
        window_(loaded.settings.width, loaded.settings.height),
        theme_(ui::theme_of(scale(), state_.look.light)),
        fonts_(make_fonts(scale())),
        workers_(local_worker(options)) {
    ui::apply_to_imgui(theme_);
    window_.keep_room(theme_.scale);
    offer_recovered();
    if (options.replay) ui::replay(state_, options.replay->session, options.replay->speed);
  }

  void run() {
    while (!state_.quit && !signals_.interrupted()) {
      wait();
      take_in();
      hand_over();
      if (redraw_.wait(engine::steady_seconds()) == 0.0) draw();
      hand_over();
    }
  }

  bool interrupted() const { return signals_.interrupted(); }

  /// What was measured and not saved goes into the files that the next start finds.
  void end() {
    if (state_.quit) {
      ui::end_in_order(state_);
    } else {
      ui::end_at_once(state_);
    }
    hand_over();
    pictures_.finish();
    for (ui::PictureDone& done : pictures_.take_done()) {
      if (!done.problem.empty()) Console().say(done.problem);
      ui::picture_done(state_, std::move(done));
    }
    hand_over();  // a picture for the clipboard
    autosaves_.finish();
    for (const std::string& problem : autosaves_.take_problems()) Console().say(problem);
    if (state_.quit) return;
    for (const std::filesystem::path& file : autosaves_.files())
      Console().say(
          fmt::format("unsaved measurements are in {}: the next start offers them", file.string()));
  }

  ui::Settings settings() const {
    engine::Spec spec = state_.own_spec ? *state_.own_spec : state_.spec;
    std::uint64_t cursor = state_.cursor_repeat;
    ui::XAxis x = state_.look.view.x;
    if (const auto& exercise = state_.dialogs.exercise) {  // what it has set is not the user's
      spec = exercise->own_before.value_or(exercise->before);
      x = exercise->x_before;
      cursor = exercise->cursor_before;
    }
    spec.elements = state_.own_elements.value_or(spec.elements);
    if (spec.device == engine::recording_id) spec.device.clear();
    return {spec,
            x,
            cursor,
            window_.usual_size().width,
            window_.usual_size().height,
            state_.documents.last_folder,
            state_.look.magnification,
            state_.look.light,
            state_.look.follow_desktop,
            state_.look.division,
            measure_on_start_,
            state_.documents.recent,
            state_.dialogs.ask_before_closing,
            tour_once_more,
            state_.look.title,
            state_.dialogs.exporting};
  }

 private:
  /// What windows that did not close in order have left. Shown once the user asks for it: who opens
  /// a file wants to see that file.
  void offer_recovered() {
    ui::Leftovers left = autosaves_.take_over();
    state_.documents.recovered = std::move(left.sessions);
    news_ = std::move(left.said);
    news_.insert(news_.end(), left.problems.begin(), left.problems.end());
  }

  void wait() {
    const double now = engine::steady_seconds();
    std::optional<double> rest = redraw_.wait(now);
    if (const auto due = ui::next_deadline(state_)) rest = earlier(rest, std::max(0.0, *due - now));
    if (clipboard_.busy() || desktop_theme_.busy()) rest = earlier(rest, look_at_children);
    if (workers_.replays()) rest = earlier(rest, look_at_replay);
    window_.wait(rest);
  }

  void take_in() {
    state_.clock = std::time(nullptr);
    if (window_.take_close()) ui::close_window(state_);
    ui::open_paths(state_, window_.take_drops());
    take_input();
    follow_desktop();
    fill_screen();
    if (scale() != theme_.scale || state_.look.light != light_) rescale();
    for (const engine::Event& event : workers_.drain()) {
      if (ui::apply(state_, event)) redraw_.data();
    }
    if (!state_.worker.looking) {
      for (std::string& text : std::exchange(news_, {})) ui::notify(state_, std::move(text));
    }
    for (const std::string& problem : autosaves_.take_problems()) {
      ui::notify(state_, problem);
      redraw_.data();
    }
    for (ui::PictureDone& done : pictures_.take_done()) {
      ui::picture_done(state_, std::move(done));
      redraw_.input();  // a dialog that closes takes more than one frame
    }
    if (ui::tick(state_, engine::steady_seconds()))
      redraw_.input();  // a tooltip is measured first, then shown
    if (const auto outcome = clipboard_.outcome()) {
      ui::notify(state_, outcome->sentence, !outcome->copied);
      redraw_.data();
    }
    redraw_.limit(limits());
  }

  void take_input() {
    if (window_.take_input()) redraw_.input();
    if (window_.take_press()) redraw_.press();
  }

  /// Light or dark as the desktop is; asked again whenever the user comes back to the window.
  void follow_desktop() {
    const bool came_back = window_.take_focus();
    // A program beside a measurement would disturb it: the next time will do.
    const bool ask =
        state_.look.follow_desktop && (came_back || !follows_) && !state_.worker.running.any();
    if (ask) desktop_theme_.ask();
    follows_ = state_.look.follow_desktop && (follows_ || ask);
    const auto light = desktop_theme_.answer();
    if (light && state_.look.follow_desktop) state_.look.light = *light;
  }

  /// What pixels at scale 1 are multiplied by; more where there are no controls.
  float scale() const {
    const bool presents = state_.look.presenting.has_value();
    return usual_scale() * (presents ? static_cast<float>(ui::presented_type) : 1);
  }

  float usual_scale() const {
    return std::min(window_.scale() * static_cast<float>(state_.look.magnification),
                    window_.largest_scale());
  }

  void fill_screen() {
    const bool presents = state_.look.presenting.has_value();
    if (presents == window_.fills_screen()) return;
    window_.fill_screen(presents);
    redraw_.input();
  }

  void rescale() {
    light_ = state_.look.light;
    theme_ = ui::theme_of(scale(), light_);
    fonts_ = make_fonts(scale());
    ui::apply_to_imgui(theme_);
    window_.keep_room(usual_scale());
    redraw_.input();
  }

  ui::Busy busy() const {
    if (!state_.worker.running.any()) return ui::Busy::no;
    const bool held = !state_.worker.running.sweep && window_.button_held();
    return held ? ui::Busy::held : ui::Busy::yes;
  }

  ui::RedrawLimits limits() const {
    for (const engine::Place& device : state_.worker.devices) {
      if (device.info.id != state_.worker.running.busy_device()) continue;
      if (device.recorded) return {};  // drawing disturbs nothing
      const bool draws = device.info.kind == "cpu" ? software_ : device.info.draws_screen;
      return ui::limits_while(busy(), draws);
    }
    return {};
  }

  void hand_over() {
    for (ui::Command& command : std::exchange(state_.commands, {})) {
      std::visit([this](auto& one) { obey(one); }, command);
    }
  }

  void obey(ui::StartSweep& sweep) {
    state_.worker.running.sweep_number = workers_.start(std::move(sweep));
  }
  void obey(ui::StartProbe& probe) {
    state_.worker.running.probe_number = workers_.probe(std::move(probe));
  }
  void obey(const ui::StopWork&) { workers_.stop(); }
  void obey(ui::PlayRecording& recording) {
    workers_.replay(std::move(recording.session), recording.speed);
    redraw_.data();
  }
  void obey(const ui::ForgetRoofs& forget) { workers_.forget_roofs(forget.device); }
  void obey(ui::WriteAutosave& keep) { autosaves_.keep(keep.name, std::move(keep.session)); }
  void obey(const ui::RemoveAutosave& drop) { autosaves_.drop(drop.name); }
  void obey(ui::DrawPicture& picture) { pictures_.draw(std::move(picture)); }
  void obey(const ui::CancelPicture& cancel) { pictures_.cancel(cancel.number); }
  void obey(const ui::CopyPicture& copy) {
    const auto problem = clipboard_.copy_png(copy.png);
    if (!problem) return;
    ui::notify(state_, *problem);
    redraw_.data();
  }

  void draw() {
    const double started = engine::steady_seconds();
    redraw_.drew(started);
    if (!window_.visible()) return;
    window_.begin_frame();
    const std::vector<ui::KeyPress> keys = window_.take_keys();
    ui::Ui frame{state_, theme_, fonts_, map_, panels_, keys, started};
    ui::draw_screen(frame);
    window_.end_frame();
    take_input();  // what this frame has left for the next one
    ++map_.frame;
    write_map(map_, state_, written_map_);
  }

  BlockedSignals blocked_;  // first member: every thread inherits it
  const bool measure_on_start_;
  std::vector<std::string> news_;  // to be said after what is said of the devices
  ui::AppState state_;
  Window window_;
  const bool software_ = window_.draws_in_software();
  SignalWatch signals_{Window::wake};
  ui::Theme theme_;
  bool light_ = state_.look.light;  // of theme_
  ui::Fonts fonts_;
  ui::UiMap map_;
  ui::PanelCache panels_;
  std::string written_map_;
  ui::RedrawPolicy redraw_;
  Clipboard clipboard_;
  DesktopTheme desktop_theme_;
  bool follows_ = false;  // the desktop was asked since state_ follows it
  PictureWriter pictures_{Window::wake};
  AutosaveWriter autosaves_{ui::autosave_folder(), Window::wake};
  Workers workers_;  // last member: a thread of theirs wakes the window until it is joined
};

/// A problem with the settings shows in the window; without one, it is said here.
std::unique_ptr<Desktop> open_desktop(const ui::LoadedSettings& loaded, const GuiOptions& options) {
  try {
    return std::make_unique<Desktop>(loaded, options);
  } catch (const NoWindow&) {
    if (!loaded.problem.empty()) Console().say(loaded.problem);
    throw;
  }
}

/// False, with a sentence, when they could not be written.
bool keep_settings(const ui::Settings& settings, const std::filesystem::path& path) {
  try {
    ui::save_settings(settings, path);
    return true;
  } catch (const engine::CannotWrite& problem) {
    Console().say(fmt::format("the settings were not saved: {}", problem.what()));
    return false;
  }
}

}  // namespace

Exit run_gui(const GuiOptions& options) {
  const std::filesystem::path path = ui::settings_path();
  const ui::LoadedSettings loaded = ui::load_settings(path);
  const auto desktop = open_desktop(loaded, options);
  // Whatever ends it, what the user has set up is kept.
  std::exception_ptr failure;
  try {
    desktop->run();
  } catch (...) {
    failure = std::current_exception();
  }
  desktop->end();
  const bool kept = loaded.keep_file || keep_settings(desktop->settings(), path);
  if (failure) std::rethrow_exception(failure);
  if (desktop->interrupted()) return Exit::interrupted;
  return kept ? Exit::done : Exit::failed;
}

}  // namespace app
