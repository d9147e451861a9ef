// Light or dark as the desktop says, with stand-ins for the programs that ask it.
#include "app/window/desktop_theme.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "tests/screen/path_folder.hpp"

namespace {

/// A session bus as far as the variables tell, and the programs that a test installs.
struct Desktop : PathFolder {
  Desktop() { setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere", 1); }
  ~Desktop() { unsetenv("DBUS_SESSION_BUS_ADDRESS"); }
  Desktop(const Desktop&) = delete;
  Desktop& operator=(const Desktop&) = delete;
};

std::optional<bool> asked() {
  app::DesktopTheme theme;
  theme.ask();
  while (theme.busy()) {
    if (const auto light = theme.answer()) return light;
    std::this_thread::yield();
  }
  return {};
}

}  // namespace

TEST_CASE("the reply of every D-Bus program is understood: 1 is dark, 2 and 0 are light") {
  for (const char* form :
       {"(<<uint32 {}>>,)\n", "v v u {}\n", "   variant       variant          uint32 {}\n"}) {
    CAPTURE(form);
    const auto reply = [&](char value) {
      std::string text = form;
      text.replace(text.find("{}"), 2, 1, value);
      return app::light_of_reply(text);
    };
    CHECK(reply('1') == false);
    CHECK(reply('2') == true);
    CHECK(reply('0') == true);
    CHECK(reply('3') == std::nullopt);
  }
  CHECK(app::light_of_reply("") == std::nullopt);
  CHECK(app::light_of_reply("Error: no such interface") == std::nullopt);
  CHECK(app::light_of_reply("v v u 12") == std::nullopt);
}

TEST_CASE("the first D-Bus program that is there is asked for the desktop's colour scheme") {
  Desktop desktop;
  desktop.install("dbus-send", "echo '   variant       variant          uint32 2'");
  CHECK(asked() == true);
  desktop.install("busctl",
                  "[ \"$*\" = '--user --auto-start=no call org.freedesktop.portal.Desktop "
                  "/org/freedesktop/portal/desktop org.freedesktop.portal.Settings Read ss "
                  "org.freedesktop.appearance color-scheme' ] && echo v v u 1");
  CHECK(asked() == false);
}

TEST_CASE("no bus, no program, and one that fails are no answer") {
  {
    Desktop desktop;
    CHECK(asked() == std::nullopt);
    desktop.install("gdbus", "echo '(<<uint32 2>>,)'; exit 1");
    CHECK(asked() == std::nullopt);
  }
  unsetenv("XDG_RUNTIME_DIR");
  PathFolder programs;
  programs.install("gdbus", "echo '(<<uint32 2>>,)'");
  CHECK(asked() == std::nullopt);
}
