#include "app/jobs/clipboard.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace app {
namespace {

constexpr std::chrono::seconds server_limit{10};  // a display that is gone never answers

/// A program that serves the clipboard, and the package to install it from.
struct Server {
  Child::Words command;
  std::string_view package;
};

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// The programs for this desktop, the best first; on Wayland an X server may be there, too.
std::vector<Server> servers() {
  std::vector<Server> found;
  if (is_set("WAYLAND_DISPLAY"))
    found.push_back({{"wl-copy", "--type", "image/png"}, "wl-clipboard"});
  if (is_set("DISPLAY") || found.empty()) {
    found.push_back({{"xclip", "-selection", "clipboard", "-target", "image/png", "-in"}, "xclip"});
  }
  return found;
}

/// A file without a name that holds the bytes: a pipe would have to be fed.
File file_with(std::string_view bytes) {
  File file = temporary_file();
  const bool written = file &&
                       std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
                       std::fflush(file.get()) == 0;
  if (!written) return {};
  std::rewind(file.get());
  return file;
}

}  // namespace

std::optional<std::string> Clipboard::copy_png(std::string_view png) {
  if (busy()) return "The previous picture is still being copied.";
  const File file = file_with(png);
  if (!file) return "The picture was not copied: the temporary folder is full.";
  const std::vector<Server> known = servers();
  for (const Server& server : known) {
    if (!child_.start(server.command, fileno(file.get()), -1, server_limit)) continue;
    program_ = server.command.front();
    return {};
  }
  return fmt::format("The picture was not copied: install {}, or export a file.",
                     known.front().package);
}

std::optional<Clipboard::Outcome> Clipboard::outcome() {
  const std::optional<int> code = child_.ended();
  if (!code) return {};
  if (*code == 0) return Outcome{true, "Copied the picture to the clipboard"};
  return Outcome{false,
                 fmt::format("The picture was not copied: {} failed; export a file.", program_)};
}

}  // namespace app
