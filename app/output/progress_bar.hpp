// Standard error: messages for people, and below them a progress bar when it is a terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/cli/exit_codes.hpp"
#include "engine/worker/worker.hpp"

namespace app {

/// As far as it can be written: a full disk or a closed terminal ends nothing.
void print_to_stderr(const std::string&);

/// Of the terminal that a standard stream is; nothing where it is none.
std::optional<int> columns_of(int stream);

/// One line of at most `columns` characters: bar, count, time left, what runs.
std::string bar_line(const engine::Progress&, int columns);

/// Messages and the bar. The bar is redrawn in place and taken away before anything else is
/// written.
class Console {
 public:
  Console();
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// "ridgepoint: sentence", printable, on a line of its own.
  void say(std::string_view sentence);
  /// Draws the bar; does nothing unless standard error is a terminal that can move its cursor.
  void show(const engine::Progress&);
  /// Takes the bar away.
  void clear();

 private:
  bool terminal_;
  bool bar_shown_ = false;
};

/// Says that nothing was measured and no file was written. Returns Exit::interrupted.
Exit interrupted_too_early(Console&);

}  // namespace app
