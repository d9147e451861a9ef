// What the parts of the list of actions share.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ui/actions/actions.hpp"

namespace ui {

/// The key with Ctrl held.
constexpr KeyPress ctrl(Key key) { return {key, true}; }

/// What an action has beside its name, its title and what it does, as in Action.
struct ActionDetails {
  std::vector<KeyPress> keys{};
  std::string why_not{};
  bool chosen = false;
};

/// Adds actions of one topic to the list.
class ActionAdder {
 public:
  using Act = std::function<void(AppState&)>;
  using TimedAct = std::function<void(AppState&, double now)>;

  ActionAdder(std::vector<Action>& all, Topic topic) : all_(all), topic_(topic) {}

  void add(std::string name, std::string title, ActionDetails details, TimedAct act) {
    all_.push_back({std::move(name), std::move(title), topic_, std::move(details.keys),
                    std::move(details.why_not), details.chosen, std::move(act)});
  }
  void add(std::string name, std::string title, ActionDetails details, Act act) {
    add(std::move(name), std::move(title), std::move(details),
        [act = std::move(act)](AppState& state, double) { act(state); });
  }

 private:
  std::vector<Action>& all_;
  Topic topic_;
};

/// What is measured, and how: the runs, the intensity, the device, the knobs of the spec.
void add_measuring(std::vector<Action>&, const AppState&);
/// What is shown, and how: views, axes, plots, the size of everything, log, palette, help.
void add_looks(std::vector<Action>&, const AppState&);
/// While charts are presented.
void add_presenting(std::vector<Action>&, const AppState&);
/// What is kept: sessions, pictures, what was cleared; closing the window.
void add_files(std::vector<Action>&, const AppState&);

}  // namespace ui
