#include "app/window/desktop_theme.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace app {
namespace {

// A portal that has to be started first takes a second or two.
constexpr std::chrono::seconds question_limit{5};

constexpr const char* destination = "org.freedesktop.portal.Desktop";
constexpr const char* object = "/org/freedesktop/portal/desktop";
constexpr const char* interface = "org.freedesktop.portal.Settings";
constexpr const char* group = "org.freedesktop.appearance";
constexpr const char* key = "color-scheme";

/// Where systemd and dbus put the user's bus.
bool has_session_bus() {
  const char* address = std::getenv("DBUS_SESSION_BUS_ADDRESS");
  if (address != nullptr && *address != '\0') return true;
  const char* folder = std::getenv("XDG_RUNTIME_DIR");
  std::error_code ignored;
  return folder != nullptr &&
         std::filesystem::exists(std::filesystem::path(folder) / "bus", ignored);
}

std::array<Child::Words, 3> questions() {
  const std::string method = std::string(interface) + ".Read";
  // Only busctl can ask without starting a portal that does not run.
  return {{{"busctl", "--user", "--auto-start=no", "call", destination, object, interface, "Read",
            "ss", group, key},
           {"gdbus", "call", "--session", "--dest", destination, "--object-path", object,
            "--method", method, group, key},
           {"dbus-send", "--session", "--print-reply=literal", std::string("--dest=") + destination,
            object, method, std::string("string:") + group, std::string("string:") + key}}};
}

}  // namespace

std::optional<bool> light_of_reply(std::string_view text) {
  // The value is the only digit after the types: "(<<uint32 1>>,)", "v v u 1", "variant uint32 1".
  const std::size_t digit = text.find_last_of("0123456789");
  if (digit == std::string_view::npos) return {};
  const bool alone = digit > 0 && text[digit - 1] == ' ';
  const char value = text[digit];
  if (!alone || value < '0' || value > '2') return {};
  return value != '1';
}

void DesktopTheme::ask() {
  if (busy() || !has_session_bus()) return;
  reply_ = temporary_file();
  if (!reply_) return;
  const int file = fileno(reply_.get());
  for (const Child::Words& words : questions())
    if (child_.start(words, -1, file, question_limit)) return;
  reply_.reset();
}

std::optional<bool> DesktopTheme::answer() {
  const std::optional<int> code = child_.ended();
  if (!code) return {};
  std::array<char, 256> text{};
  std::rewind(reply_.get());
  const std::size_t length = std::fread(text.data(), 1, text.size(), reply_.get());
  reply_.reset();
  return *code == 0 ? light_of_reply({text.data(), length}) : std::nullopt;
}

}  // namespace app
