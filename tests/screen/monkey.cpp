// What the monkey does, and the frames of the window after it.
#include "tests/screen/monkey.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cfloat>
#include <utility>
#include <variant>

#include "ui/actions/actions.hpp"
#include "ui/actions/events.hpp"
#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/autosave/autosave_folder.hpp"

namespace monkey {

namespace {

constexpr std::size_t most_removed = 7;    // undo() remembers ten
constexpr std::size_t most_commands = 64;  // that one frame can ask for

ImVec2 middle_of(const plot::Rect& rect) {
  return {static_cast<float>(rect.x + rect.w / 2), static_cast<float>(rect.y + rect.h / 2)};
}

}  // namespace

Monkey::Monkey(unsigned seed)
    : dice_(seed),
      worker_(dice_, {fake::summary("cpu"), fake::summary("cuda:0")}),
      state_(ui::new_state()) {
  state_.worker.run_when_ready = dice_.one_in(2);
  state_.documents.sheets = engine::datasheet_devices();
  state_.documents.last_folder = dice_.one_in(2) ? home_.path_of("") : "";
  frame();
}

void Monkey::act() {
  struct Habit {
    std::size_t share;
    void (Monkey::*act)();
  };
  static constexpr std::array habits{
      Habit{18, &Monkey::move},           Habit{24, &Monkey::click},
      Habit{3, &Monkey::click_twice},     Habit{6, &Monkey::drag},
      Habit{5, &Monkey::wheel},           Habit{16, &Monkey::press_key},
      Habit{4, &Monkey::edit_text},       Habit{6, &Monkey::type_characters},
      Habit{4, &Monkey::type_words},      Habit{4, &Monkey::run_by_name},
      Habit{16, &Monkey::worker_reports}, Habit{6, &Monkey::time_passes},
      Habit{2, &Monkey::window_changes},  Habit{1, &Monkey::files_are_dropped},
      Habit{1, &Monkey::bad_news},        Habit{1, &Monkey::close_request}};
  std::size_t all = 0;
  for (const Habit& habit : habits) all += habit.share;
  std::size_t drawn = dice_.below(all);
  for (const Habit& habit : habits) {
    if (drawn < habit.share) {
      (this->*habit.act)();
      break;
    }
    drawn -= habit.share;
  }
  if (state_.documents.removed.size() > most_removed) bring_all_back();
}

ImVec2 Monkey::somewhere() {
  const ImVec2 size = screen_.size();
  return {static_cast<float>(dice_.between(-20, static_cast<double>(size.x) + 20)),
          static_cast<float>(dice_.between(-20, static_cast<double>(size.y) + 20))};
}

ImVec2 Monkey::some_control() {
  const ui::UiMap& map = screen_.map();
  if (!map.plots.empty() && dice_.one_in(5)) {
    const ui::UiMap::Plot& plot = dice_.any_of(map.plots).second;
    if (plot.cursor && dice_.one_in(2))
      return {static_cast<float>(*plot.cursor), middle_of(plot.layout.plot).y};
    if (!map.legend.empty() && dice_.one_in(2)) return middle_of(dice_.any_of(map.legend).rect);
    return middle_of(plot.layout.plot);
  }
  if (map.controls.empty()) return somewhere();
  return middle_of(dice_.any_of(map.controls).second.rect);
}

void Monkey::move() {
  // As when the pointer has left the window.
  screen_.move(dice_.one_in(25)  ? ImVec2{-FLT_MAX, -FLT_MAX}
               : dice_.one_in(3) ? somewhere()
                                 : some_control());
  frame();
}

void Monkey::click() {
  if (!dice_.one_in(4)) move();
  screen_.hold_modifiers(dice_.one_in(8), dice_.one_in(8));
  screen_.hold_button(true);
  frame();
  screen_.hold_button(false);
  frame();
  screen_.hold_modifiers(false, false);
}

void Monkey::click_twice() {
  move();
  for (const bool down : {true, false, true, false}) {
    screen_.hold_button(down);
    frame();
  }
}

void Monkey::drag() {
  move();
  screen_.hold_button(true);
  frame();
  for (std::size_t i = dice_.below(6); i > 0; --i) {
    screen_.move(dice_.one_in(4) ? some_control() : somewhere());
    // The worker does not wait for the hand.
    if (const auto event = dice_.one_in(3) ? worker_.next() : std::nullopt) deliver(*event);
    frame();
  }
  screen_.hold_button(false);
  frame();
}

void Monkey::wheel() {
  move();
  screen_.turn_wheel(static_cast<float>(dice_.between(-4, 4)));
  frame();
}

void Monkey::press_key() {
  constexpr std::string_view printed = " 1234BCEFJKLOPQSTWZ=-0";
  constexpr std::size_t others = static_cast<std::size_t>(ui::Key::f11) + 1;
  const std::size_t drawn = dice_.below(others + printed.size());
  const auto key = static_cast<ui::Key>(
      drawn < others ? drawn : static_cast<unsigned char>(printed[drawn - others]));
  const bool ctrl = dice_.one_in(2), shift = dice_.one_in(4);
  screen_.hold_modifiers(ctrl, shift);
  for (std::size_t times = dice_.one_in(6) ? 4 : 1; times > 0; --times)
    screen_.press(ui::KeyPress{key, ctrl, shift});
  frame();
  screen_.hold_modifiers(false, false);
}

void Monkey::edit_text() {
  static constexpr std::array keys{ImGuiKey_Backspace, ImGuiKey_Delete, ImGuiKey_A,
                                   ImGuiKey_V,         ImGuiKey_X,      ImGuiKey_Y,
                                   ImGuiKey_PageDown};
  screen_.hold_modifiers(dice_.one_in(2), dice_.one_in(4));
  screen_.press(dice_.any_of(keys));
  frame();
  screen_.hold_modifiers(false, false);
}

void Monkey::type_characters() {
  static constexpr std::array rare{0xb5U, 0x65e5U, 0x1f600U, 0xfffdU, 0x7fU, 0x9U};
  for (std::size_t i = 1 + dice_.below(5); i > 0; --i) {
    screen_.type(dice_.one_in(8) ? dice_.any_of(rare)
                                 : static_cast<unsigned>(0x20 + dice_.below(0x5f)));
  }
  frame();
}

/// What has a meaning somewhere.
void Monkey::type_words() {
  static constexpr std::array words{"fp32",  "unfused",  "run",     "good.json", "x.png", "x.svg",
                                    "x.pdf", "new.json", "64M",     "1 s",       "0.5%",  "clear",
                                    "close", "~",        "failed",  "200",       "8000",  "-1",
                                    "1e99",  "theme",    "measure", "recent",    "..",    "data"};
  for (const char* at = dice_.any_of(words); *at != '\0'; ++at)
    screen_.type(static_cast<unsigned char>(*at));
  frame();
  if (dice_.one_in(2)) return;
  screen_.press(ui::KeyPress{ui::Key::enter});
  frame();
}

/// What the palette would do, without typing its name.
void Monkey::run_by_name() {
  if (state_.dialogs.file || state_.dialogs.palette || state_.dialogs.closing ||
      state_.dialogs.help)
    return;
  const std::vector<ui::Action> all = ui::actions_of(state_);
  const ui::Action& one = dice_.any_of(all);
  if (one.why_not.empty()) one.act(state_, now_);
  frame();
}

void Monkey::worker_reports() {
  for (std::size_t i = 1 + dice_.below(6); i > 0; --i) {
    const auto event = worker_.next();
    if (!event) break;
    deliver(*event);
  }
  make_pictures();
  frame();
}

void Monkey::time_passes() {
  now_ += dice_.between(0, dice_.one_in(4) ? 60 : 0.5);
  state_.clock += static_cast<std::int64_t>(dice_.below(100));
  frame();
}

void Monkey::window_changes() {
  static constexpr std::array scales{1.0F, 1.25F, 1.5F, 2.0F};
  if (dice_.one_in(8)) {
    screen_.set_monitor(dice_.any_of(scales));
  } else if (dice_.one_in(4)) {
    state_.look.light = !state_.look.light;
  } else {
    screen_.resize(static_cast<float>(800 + dice_.below(2560 - 800 + 1)),
                   static_cast<float>(480 + dice_.below(1440 - 480 + 1)));
  }
  frame();
}

void Monkey::files_are_dropped() {
  if (state_.documents.opened.size() < most_opened)
    ui::open_paths(state_, {dice_.any_of(home_.files())});
  frame();
}

void Monkey::bad_news() {
  ui::notify(state_, fmt::format("cuda:{} is lost: restart the program", dice_.below(9)));
  frame();
}

void Monkey::close_request() {
  ui::close_window(state_);
  frame();
}

/// As the window's loop: what came in, what is due, what is asked for, all panels, what those ask
/// for.
void Monkey::frame() {
  now_ += 1.0 / 60;
  ui::tick(state_, now_);
  hand_over();
  const auto due = ui::next_deadline(state_);
  CHECK_MESSAGE((!due || *due > now_), "the window would not rest");
  const std::size_t sessions = opened_and_closed(state_);
  screen_.frame(state_, now_);
  CHECK_MESSAGE(opened_and_closed(state_) >= sessions, "an opened session is gone");
  hand_over();
  stay_at_home();
  state_.quit = false;  // this window stays, and what it asked before that must hold
}

void Monkey::deliver(const engine::Event& event) {
  const bool taken = ui::apply(state_, event);
  if (const auto* one = std::get_if<engine::PointMeasured>(&event)) {
    CHECK(taken);
    measured_[one->device].insert(name_of(one->point));
  }
}

void Monkey::hand_over() {
  CHECK(state_.commands.size() <= most_commands);
  for (ui::Command& command : std::exchange(state_.commands, {})) {
    std::visit([this](auto& one) { obey(one); }, command);
  }
}

void Monkey::obey(ui::StartSweep& sweep) {
  state_.worker.running.sweep_number = worker_.start(std::move(sweep));
}

void Monkey::obey(ui::StartProbe& probe) {
  state_.worker.running.probe_number = worker_.probe(std::move(probe));
}

void Monkey::obey(const ui::StopWork&) { worker_.stop(); }

void Monkey::obey(ui::DrawPicture& picture) { pictures_.push_back(std::move(picture)); }

void Monkey::obey(const ui::CancelPicture& cancel) { cancelled_.insert(cancel.number); }

void Monkey::make_pictures() {
  for (const ui::DrawPicture& picture : std::exchange(pictures_, {})) {
    const auto cancelled = [&] { return cancelled_.contains(picture.number); };
    ui::picture_done(state_, ui::do_picture(picture, cancelled));
  }
  hand_over();
}

void Monkey::obey(const ui::CopyPicture& copy) { CHECK(copy.png.starts_with("\x89PNG")); }

void Monkey::obey(ui::WriteAutosave& keep) { kept_[keep.name] = std::move(keep.session); }

void Monkey::obey(const ui::RemoveAutosave& drop) { kept_.erase(drop.name); }

/// A dialog whose path leads elsewhere is cancelled before anything can confirm it.
void Monkey::stay_at_home() {
  // A picture as large as a poster takes seconds, and is no other test.
  if (state_.dialogs.exporting.look.scale && !state_.dialogs.file)
    state_.dialogs.exporting.look.scale.reset();
  if (!state_.dialogs.file || home_.holds(state_.dialogs.file->path)) return;
  state_.dialogs.file.reset();
  screen_.frame(state_, now_);
}

}  // namespace monkey
