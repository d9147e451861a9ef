#include "app/jobs/clipboard.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/screen/path_folder.hpp"

namespace {

/// A desktop of one display and the programs that a test installs.
class Desktop : public PathFolder {
 public:
  explicit Desktop(const char* display) {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) unsetenv(name);
    setenv(display, ":9", 1);
    setenv("RIDGEPOINT_TEST_COPY", copied().c_str(), 1);
  }

  std::string copied() const { return *this / "copied"; }

  /// A program that keeps its name, arguments and the picture.
  void install_keeper(const std::string& program) const {
    install(program, "{ echo " + program +
                         " \"$@\"; while IFS= read -r line; do echo \"$line\"; done; } "
                         "> \"$RIDGEPOINT_TEST_COPY\"");
  }
};

app::Clipboard::Outcome outcome_of(app::Clipboard& clipboard) {
  for (;;) {
    if (const auto outcome = clipboard.outcome()) return *outcome;
    std::this_thread::yield();
  }
}

/// What the program that took the picture was given.
std::string copied_on(const Desktop& desktop) {
  app::Clipboard clipboard;
  CHECK_FALSE(clipboard.copy_png("a picture\n"));
  CHECK(outcome_of(clipboard).copied);
  CHECK_FALSE(clipboard.busy());
  return read_file(desktop.copied());
}

}  // namespace

TEST_CASE("on X11 xclip is given the picture as PNG") {
  const Desktop desktop("DISPLAY");
  desktop.install_keeper("xclip");
  CHECK(copied_on(desktop) == "xclip -selection clipboard -target image/png -in\na picture\n");
}

TEST_CASE("on Wayland wl-copy is preferred") {
  const Desktop desktop("WAYLAND_DISPLAY");
  setenv("DISPLAY", ":9", 1);
  desktop.install_keeper("xclip");
  desktop.install_keeper("wl-copy");
  CHECK(copied_on(desktop).starts_with("wl-copy --type image/png\n"));
}

TEST_CASE("on Wayland without wl-copy xclip serves its X server") {
  const Desktop desktop("WAYLAND_DISPLAY");
  setenv("DISPLAY", ":9", 1);
  desktop.install_keeper("xclip");
  CHECK(copied_on(desktop).starts_with("xclip "));
}

TEST_CASE("without a program the sentence names the package to install") {
  app::Clipboard clipboard;
  {
    const Desktop x11("DISPLAY");
    CHECK(clipboard.copy_png("a picture") ==
          "The picture was not copied: install xclip, or export a file.");
  }
  const Desktop wayland("WAYLAND_DISPLAY");
  CHECK(clipboard.copy_png("a picture") ==
        "The picture was not copied: install wl-clipboard, or export a file.");
  CHECK_FALSE(clipboard.busy());
  CHECK_FALSE(clipboard.outcome());
}

TEST_CASE("a program that fails is named") {
  const Desktop desktop("DISPLAY");
  desktop.install("xclip", "exit 1");
  app::Clipboard clipboard;
  CHECK_FALSE(clipboard.copy_png("a picture"));
  const app::Clipboard::Outcome outcome = outcome_of(clipboard);
  CHECK_FALSE(outcome.copied);
  CHECK(outcome.sentence == "The picture was not copied: xclip failed; export a file.");
}

TEST_CASE("a picture that is still on its way is not overtaken") {
  const Desktop desktop("DISPLAY");
  desktop.install("xclip", "until [ -e \"$RIDGEPOINT_TEST_COPY\" ]; do :; done");
  app::Clipboard clipboard;
  CHECK_FALSE(clipboard.copy_png("a picture"));
  CHECK(clipboard.busy());
  CHECK(clipboard.copy_png("another") == "The previous picture is still being copied.");
  std::ofstream(desktop.copied()) << "go";
  CHECK(outcome_of(clipboard).copied);
}
