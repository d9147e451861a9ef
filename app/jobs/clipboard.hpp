// The clipboard of the desktop, through the programs that serve it: GLFW knows texts only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/jobs/child.hpp"

namespace app {

/// Gives pictures to wl-copy (Wayland) or xclip (X11), and never waits for them.
class Clipboard {
 public:
  /// A sentence when the picture cannot be handed over; nothing when it is on its way.
  std::optional<std::string> copy_png(std::string_view png);
  /// The program has not taken the picture yet; ask again for what became of it.
  bool busy() const { return child_.running(); }
  /// Once for every picture on its way, when it has arrived or failed.
  struct Outcome {
    bool copied = false;
    std::string sentence;
  };
  std::optional<Outcome> outcome();

 private:
  Child child_;
  std::string program_;
};

}  // namespace app
