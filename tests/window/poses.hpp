// States of the window worth a picture: those of the README's gallery, which are also compared with
// goldens, and more that are only compared.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/window/display/user.hpp"

namespace poses {

/// Session files that a pose opens.
struct Files {
  std::string sweep, other_sweep, roofs;
  std::string recording;  ///< that is played, in the time that it took
};

/// A window at 1280x800 with the session of a sweep, the slider at 32 ops, and then what `take`
/// does.
struct Pose {
  std::string name;
  std::function<void(App&)> take = [](App&) {};
  std::vector<std::string Files::*> opens = {&Files::sweep};
  int width = 1280, height = 800;
  nlohmann::json settings = nlohmann::json::object();  ///< over those of every pose
};

/// Of the gallery. `what_if` is the datasheet that its pose chooses.
std::vector<Pose> gallery(const std::string& what_if = "H200 SXM 141GB");
/// Too small, too large, at the start, in a question.
std::vector<Pose> corners();

/// What the screen shows once the program has started with the pose's settings, taken the pose and
/// come to rest.
test::Pixels picture_of(const Pose&, const Files&, const std::string& program = real_program());

}  // namespace poses
