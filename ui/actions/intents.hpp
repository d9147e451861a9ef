// What the user can ask for, as functions on the state. Pure apart from the files that the dialogs
// read and write.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/model/app_state.hpp"

namespace ui {

/// Starts the sweep of the spec; replaces a running one. Does nothing while no device is known.
void run(AppState&);
/// Starts the lab that measures every roof; `again` searches the kernel shapes again.
void measure_roofs(AppState&, bool again);
/// Runs every lab that can run on the device, one after the other, with the short settings of a
/// tour. Stopping ends it, and so does any other run; what was measured stays.
void run_all_labs(AppState&);
/// Once a lab of such a tour has ended: the next one. Does nothing where none waits.
void run_next_lab(AppState&);
/// Plays a session as if it were being measured, `speed` times as fast as it was.
void replay(AppState&, const engine::Session& recording, double speed = 1);
/// The same with an opened session, which leaves the screen as by close_opened().
void replay_opened(AppState&, std::size_t index);
void stop(AppState&);
/// Space and the big button: starts what is shown, or stops.
void toggle_run(AppState&);
/// Forgets points, measured roofs (unless a sweep needs them) and opened files, until undo().
void clear(AppState&);
/// Forgets what points into sessions that are not what they were.
void forget_places(AppState&);
/// Takes one opened session off the screen, until undo().
void close_opened(AppState&, std::size_t index);
/// Brings back what the last clear() or close_opened() took, before what was measured since.
void undo(AppState&);

void set_device(AppState&, const std::string& id, double now);
void set_family(AppState&, kernels::Family, double now);
void set_op(AppState&, kernels::Op, double now);
/// Adds or removes a dtype; the last one stays.
void toggle_dtype(AppState&, kernels::Dtype, double now);
void set_fusion(AppState&, engine::FusionChoice, double now);
/// Matrix units bring a family along that runs on them.
void set_units(AppState&, engine::UnitsChoice, double now);
/// 0: the default that fits the device. The slider's point is measured again.
void set_elements(AppState&, std::uint64_t elements, double now);
/// Spec::noise or Spec::max_time, within the limits that these knobs have in engine::knobs().
void set_quality(AppState&, double engine::Spec::*which, double value);

/// Moves the intensity slider (1..4096); its point is measured once it has rested.
void set_cursor(AppState&, std::uint64_t repeat, double now);
/// The same to the next stop up (1) or down (-1): thirds of octaves, rounded.
void step_cursor(AppState&, int direction, double now);
/// Measures the slider's point now.
void probe(AppState&);

/// What the inputs of every kernel hold.
void set_data(AppState&, kernels::Data, double now);

/// Shows a lab; starts it as well when `run`.
void show_lab(AppState&, const engine::Lab&, bool run = false);
/// Shows the charts of the lab that stand apart, or the others.
void show_apart(AppState&, bool apart);
/// Fills the middle of the window with a comparison of two sides; goes back to the charts.
void show_comparison(AppState&);
void hide_comparison(AppState&);
/// Sets a knob of the lab's own, or an axis of a family. Text that it does not take is a notice.
void set_own_knob(AppState&, std::string_view name, std::string_view text, double now);
/// Shows the roofs of one of roofs_choices(), by its number.
void show_roofs_of(AppState&, std::size_t number);
/// Draws a roof of the roofs view that is not drawn, or the other way round.
void toggle_roof(AppState&, const std::string& name);

/// Draws what a device of AppState::sheets would do by its datasheet, or none.
void set_what_if(AppState&, std::optional<std::size_t> sheet);

/// Every axis as it is now, whatever is measured next.
void lock_axes(AppState&);
/// Lets one panel fill the plots' area; the one that does goes back to its place.
void maximise(AppState&, std::string_view id);
/// Escape: closes the inspector, else puts the maximised panel back.
void step_back(AppState&);
/// Presents the charts alone, from their axes on, or goes back. Nothing starts to measure
/// meanwhile; what runs goes on, and a tour waits before its next lab.
void present(AppState&);
/// Shows so many steps more, or fewer.
void step_presentation(AppState&, int steps);
inline constexpr int all_steps = 1000;
/// Folds the controls away, or brings them back.
void fold_controls(AppState&);

void set_x_axis(AppState&, XAxis);
/// Hides series everywhere; shows them where any is hidden.
void toggle_series(AppState&, const std::set<std::string>& ids);
/// Shows these alone among all; where they are, shows all again.
void isolate_series(AppState&, const std::set<std::string>& ids, const std::set<std::string>& all);
/// The spec of the lab on screen without the element types, the fusion and the units of which every
/// series is hidden. As it is where all are.
engine::Spec without_hidden(const AppState&, engine::Spec);

/// Makes everything larger or smaller by a step; 0 steps: as the monitor says.
void magnify(AppState&, int steps);

/// The button goes down on what is hovered; `twice`: as the second press of a double click.
void press_point(AppState&, bool twice);
/// The button comes up: inspects the hovered point where it went down on it, `at_left` or at right.
void click_point(AppState&, bool at_left);
/// Shows everything that is known of a point of sessions_shown(); of one that is gone, nothing.
void inspect(AppState&, const Hovered&);
/// Zooms or pans a chart's axes.
void set_range(AppState&, const engine::Chart&, std::optional<Range> x, std::optional<Range> y);

void show_open(AppState&);
void show_save(AppState&);
/// The dialog that saves any session of the window.
void show_save_of(AppState&, const SessionKey&);
void show_export(AppState&);
/// Puts what is on screen on the clipboard, as the last export looked.
void copy_picture(AppState&);
/// Opens each session, as when files are dropped on the window; what cannot be opened is a notice.
void open_paths(AppState&, const std::vector<std::string>& paths);
/// Makes a path the first of the recent ones.
void remember(AppState&, const std::string& path);
/// Opens or closes the log; what it has shown leaves the status bar.
void toggle_log(AppState&);
/// The results below the plots, those that this filter lets through.
void show_results(AppState&, const std::string& filter);
/// Opens one of FileDialog::recent and closes the dialog, or leaves an error in it.
void open_recent(AppState&, std::size_t index);
/// Does what the dialog is for; closes it, or leaves an error in it. An export is only begun: the
/// dialog is closed by picture_done().
void confirm_dialog(AppState&);
/// A picture is made, or is not.
void picture_done(AppState&, PictureDone);
/// Gives up a picture whose dialog was closed.
void cancel_left_picture(AppState&);

/// The user wants to close the window: closes it, or asks first.
void close_window(AppState&);
/// The answer to that question.
void answer_closing(AppState&, CloseAnswer);

/// The tour of the window: begins at its first step, in the lab that it is about.
void start_guide(AppState&);
/// The step after this one, whether this one was done or not; after the last one the tour is over.
void next_guide_step(AppState&);
void leave_guide(AppState&);

/// Shows an exercise of Documents::exercises, with its lab and its knobs. Its charts stay empty
/// until the user has said something and had it measured.
void start_exercise(AppState&, std::size_t number);
/// What the user says, within the limits of such an answer.
void guess(AppState&, const engine::Guess&);
/// The same one step up (1) or down (-1); the next regime of the three.
void step_guess(AppState&, int direction);
/// The guess stands: the machine measures. Nothing while nothing was said.
void measure_exercise(AppState&);
/// Keeps what the run that ended says to it; later runs change nothing. One that did not get to its
/// end is kept only where it has an answer.
void answer_exercise(AppState&, bool complete);
/// Ends it; the controls go back to how they stood before it.
void leave_exercise(AppState&);
/// The palette with all exercises.
void show_exercises(AppState&);

}  // namespace ui
