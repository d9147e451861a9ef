// Standard output, for results alone. Knows nothing of what is written.
#pragma once

#include <string>
#include <string_view>

#include "app/cli/exit_codes.hpp"

namespace app {

/// Writes at once, whole, unbuffered. A reader that leaves (`| head`) is no error: what follows is
/// dropped, and so it is when the program is interrupted while the reader stands still.
class Output {
 public:
  /// Drops the text when an earlier write failed.
  void write(std::string_view bytes);
  /// The same for lines that people read: what is not printable in them is escaped.
  void say(std::string_view lines);
  /// False once nothing that is written arrives any more.
  bool usable() const { return !reader_left_ && problem_.empty(); }
  /// Returns Exit::done. Throws Failure when a write failed for another reason than a reader that
  /// left.
  Exit finish() const;

 private:
  bool reader_left_ = false;
  std::string problem_;
};

}  // namespace app
