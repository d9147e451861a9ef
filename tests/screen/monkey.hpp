// A user without a plan, and what must hold whatever such a user does.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/session/session.hpp"
#include "tests/screen/monkey_dice.hpp"
#include "tests/screen/monkey_home.hpp"
#include "tests/screen/monkey_screen.hpp"
#include "tests/screen/monkey_worker.hpp"

namespace monkey {

inline constexpr std::size_t most_opened = 8;  // frames of more take long, and are no others

/// The name of a point in what the window may not lose.
std::string name_of(const engine::Point&);

/// Opened sessions, on screen and in what undo() brings back.
std::size_t opened_and_closed(const ui::AppState&);

class Monkey {
 public:
  explicit Monkey(unsigned seed);

  /// One thing that a user, the worker or the window system may do, and the frames after it.
  void act();
  /// Lets everything come to rest and checks what must hold.
  void check();
  /// Closes the window: everything measured is on screen, or can be brought back, or was kept.
  void end();

 private:
  using Names = std::set<std::string>;

  // What a user does.
  void move();
  void click();
  void click_twice();
  void drag();
  void wheel();
  void press_key();
  void edit_text();
  void type_characters();
  void type_words();
  void run_by_name();
  // What happens to the window.
  void worker_reports();
  void time_passes();
  void window_changes();
  void files_are_dropped();
  void bad_news();
  void close_request();

  void frame();
  void deliver(const engine::Event&);
  void hand_over();
  void make_pictures();
  void obey(ui::StartSweep&);
  void obey(ui::StartProbe&);
  void obey(const ui::StopWork&);
  void obey(const ui::ForgetRoofs&) {}
  void obey(const ui::PlayRecording&) {}  // what a session holds already
  void obey(ui::DrawPicture&);
  void obey(const ui::CancelPicture&);
  void obey(const ui::CopyPicture& copy);
  void obey(ui::WriteAutosave&);
  void obey(const ui::RemoveAutosave&);
  void stay_at_home();
  void bring_all_back();
  void start_over();
  ImVec2 somewhere();
  ImVec2 some_control();

  void come_to_rest();
  void check_settings() const;
  void check_sessions() const;
  void check_points() const;
  void check_autosaves() const;
  void check_map() const;

  Home home_;
  Dice dice_;
  Worker worker_;
  ui::AppState state_;
  Screen screen_;
  double now_ = 1000;
  std::vector<ui::DrawPicture> pictures_;        ///< not made yet
  std::set<std::uint64_t> cancelled_;            ///< pictures
  std::size_t files_read_ = 0;                   ///< sessions opened so far
  std::map<std::string, Names> measured_;        ///< points that the window took, by device
  std::map<std::string, engine::Session> kept_;  ///< autosave files
};

}  // namespace monkey
