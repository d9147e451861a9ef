#include "tests/window/display/screen.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace fs = std::filesystem;

namespace {

bool on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

pid_t spawn(std::vector<std::string> words, const std::vector<std::string>& more_environment) {
  std::vector<std::string> environment = more_environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string(*entry).starts_with("DISPLAY=")) environment.emplace_back(*entry);
  }
  pid_t pid = -1;
  const std::string program = words[0];
  REQUIRE(posix_spawnp(&pid, program.c_str(), nullptr, nullptr, pointers(words).data(),
                       pointers(environment).data()) == 0);
  return pid;
}

}  // namespace

std::string missing_for_window_tests() {
  std::string missing;
  for (const char* program : {"Xvfb", "xdotool", "setpriv"}) {
    if (!on_path(program)) missing += std::string(missing.empty() ? "" : " and ") + program;
  }
  return missing;
}

Screen::Screen(const std::vector<std::string>& more) {
  std::array<int, 2> numbers{};
  REQUIRE(pipe(numbers.data()) == 0);
  fcntl(numbers[0], F_SETFD, FD_CLOEXEC);
  // The server ends with this program, also when that crashes: left behind, it would hold the
  // output open that CTest reads to the end.
  std::vector<std::string> words{
      "setpriv",
      "--pdeathsig",
      "TERM",
      "Xvfb",
      "-displayfd",
      std::to_string(numbers[1]),
      "-screen",
      "0",
      std::to_string(screen_width) + "x" + std::to_string(screen_height) + "x24",
      "-nolisten",
      "tcp",
      "-noreset",
      "-fbdir",
      pixels_.path().string()};
  words.insert(words.end(), more.begin(), more.end());
  pid_ = spawn(words, {});
  close(numbers[1]);
  // Xvfb writes the number of its display and a line feed once clients can connect.
  std::string number;
  for (char c = 0; read(numbers[0], &c, 1) == 1 && c != '\n';) number += c;
  close(numbers[0]);
  REQUIRE_FALSE(number.empty());
  display_ = ":" + number;
}

Screen::~Screen() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

test::Pixels Screen::corner(int width, int height) const {
  // An X window dump (XWDFile.h): big-endian words, then 12 bytes for each colour, then rows of
  // four bytes a pixel, blue first.
  const std::string dump = read_file(pixels_.path() / "Xvfb_screen0");
  const auto word = [&](std::size_t index) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8 | static_cast<unsigned char>(dump.at(4 * index + i));
    return std::size_t{value};
  };
  constexpr std::size_t header_size = 0, bytes_per_line = 12, colour_entries = 19;
  const std::size_t start = word(header_size) + 12 * word(colour_entries);
  test::Pixels picture{width, height, {}};
  const std::size_t line = word(bytes_per_line), used = 4 * static_cast<std::size_t>(width);
  REQUIRE(used <= line);
  REQUIRE(dump.size() >= start + line * static_cast<std::size_t>(height));
  picture.rgb.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    const auto row =
        std::string_view(dump).substr(start + line * static_cast<std::size_t>(y), used);
    for (const char* at = row.data(); at != row.data() + row.size(); at += 4) {
      const auto channel = [at](int i) {
        return std::uint32_t{static_cast<unsigned char>(at[i])} << 8 * i;
      };
      picture.rgb.push_back(channel(2) | channel(1) | channel(0));
    }
  }
  return picture;
}

void Screen::xdotool(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words{"xdotool"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const pid_t pid = spawn(words, {"DISPLAY=" + display_});
  int status = 0;
  waitpid(pid, &status, 0);
  CHECK(status == 0);
}
