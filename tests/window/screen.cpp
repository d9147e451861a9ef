#include "tests/window/screen.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::seconds patience{60};  // far beyond need: only a hang reaches it

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

std::vector<std::pair<std::string, std::optional<std::string>>> environment_of(
    const Screen& screen, const TemporaryFolder& folder) {
  return {
      {"DISPLAY", screen.display()},
      {"XDG_CONFIG_HOME", folder / "config"},
      {"RIDGEPOINT_UI_MAP", folder / "map.json"},
      {"CUDA_VISIBLE_DEVICES", ""},
      // The software renderer: the same pixels everywhere, and no vertical sync to wait for.
      {"LIBGL_ALWAYS_SOFTWARE", "1"},
      {"LSAN_OPTIONS", "suppressions=" RIDGEPOINT_WINDOW_TESTS "/lsan.supp:print_suppressions=0"},
      {"TSAN_OPTIONS", "ignore_noninstrumented_modules=1"}};
}

}  // namespace

std::string missing_for_window_tests() {
  std::string missing;
  for (const char* program : {"Xvfb", "xdotool"}) {
    if (!on_path(program)) missing += std::string(missing.empty() ? "" : " and ") + program;
  }
  return missing;
}

Screen::Screen(const std::vector<std::string>& more) {
  std::array<int, 2> numbers{};
  REQUIRE(pipe(numbers.data()) == 0);
  fcntl(numbers[0], F_SETFD, FD_CLOEXEC);
  std::vector<std::string> words{"Xvfb",
                                 "-displayfd",
                                 std::to_string(numbers[1]),
                                 "-screen",
                                 "0",
                                 "2560x1440x24",
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

std::size_t Screen::colours(int width, int height) const {
  // An X window dump (XWDFile.h): big-endian words, then 12 bytes for each colour, then rows of
  // four bytes a pixel.
  const std::string dump = read_file(pixels_.path() / "Xvfb_screen0");
  const auto word = [&](std::size_t index) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value << 8 | static_cast<unsigned char>(dump.at(4 * index + i));
    }
    return std::size_t{value};
  };
  constexpr std::size_t header_size = 0, bytes_per_line = 12, colour_entries = 19;
  const std::size_t start = word(header_size) + 12 * word(colour_entries);
  std::set<std::string> found;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      found.insert(dump.substr(start + word(bytes_per_line) * static_cast<std::size_t>(y) +
                                   4 * static_cast<std::size_t>(x),
                               3));
    }
  }
  return found.size();
}

void Screen::xdotool(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words{"xdotool"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const pid_t pid = spawn(words, {"DISPLAY=" + display_});
  int status = 0;
  waitpid(pid, &status, 0);
  CHECK(status == 0);
}

App::App(const Screen& screen, const TemporaryFolder& folder, std::vector<std::string> arguments)
    : screen_(screen),
      map_((fs::remove(folder / "map.json"), folder / "map.json")),
      inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      program_(Launch{std::move(arguments), environment_of(screen, folder)}) {
  inotify_add_watch(inotify_, folder.path().c_str(), IN_MOVED_TO);
  wait("the devices", [](const Json& map) { return !map.at("state").at("looking").get<bool>(); });
  move_to(5, 5);  // without a window manager, keys go to the window under the pointer
}

App::~App() { ::close(inotify_); }

std::optional<App::Json> App::read() const {
  std::ifstream file(map_, std::ios::binary);
  Json map = Json::parse(file, nullptr, false);
  if (map.is_discarded()) return std::nullopt;
  return map;
}

void App::wait_for_change(int milliseconds) {
  pollfd waiting{inotify_, POLLIN, 0};
  poll(&waiting, 1, milliseconds);
  std::array<char, 4096> events;
  while (::read(inotify_, events.data(), events.size()) > 0) {
  }
}

App::Json App::wait(const std::string& what, const Wanted& wanted) {
  const auto deadline = Clock::now() + patience;
  while (true) {
    const auto map = read();
    if (map && wanted(*map)) return *map;
    if (Clock::now() > deadline) {
      FAIL("waited in vain for " << what
                                 << "; state: " << (map ? map->at("state").dump(1) : "no map"));
    }
    wait_for_change(200);
  }
}

bool App::stays_still(double seconds) {
  const Json before = now();
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    wait_for_change(static_cast<int>(left.count()) + 1);
    if (now() != before) return false;
  }
  return true;
}

Place App::control(const std::string& name) {
  const Json map =
      wait("control " + name, [&](const Json& m) { return m.at("controls").contains(name); });
  const Json& rect = map.at("controls").at(name).at("rect");
  return {rect[0], rect[1], rect[2], rect[3]};
}

Place App::plot(const std::string& panel) {
  const Json map =
      wait("plot " + panel, [&](const Json& m) { return m.at("plots").contains(panel); });
  const Json& rect = map.at("plots").at(panel).at("plot");
  return {rect[0], rect[1], rect[2], rect[3]};
}

void App::move_to(double x, double y) {
  screen_.xdotool({"mousemove", std::to_string(std::lround(x)), std::to_string(std::lround(y))});
}

void App::mouse(const std::string& action, int button) {
  screen_.xdotool({action, std::to_string(button)});
}

void App::click(const std::string& name, double across, double down) {
  const Place at = control(name);
  move_to(at.x + at.w * across, at.y + at.h * down);
  mouse("click");
}

void App::next_frame(const std::function<void()>& action) {
  const Json before = now();
  action();
  wait("a frame", [&](const Json& map) { return map.at("frame") > before.at("frame"); });
}

void App::drag(const std::vector<std::pair<double, double>>& way) {
  move_to(way.front().first, way.front().second);
  next_frame([&] { mouse("mousedown"); });
  for (const auto& [x, y] : way) move_to(x, y);
  next_frame([&] { move_to(way.back().first + 1, way.back().second); });
}

void App::key(const std::string& name) { screen_.xdotool({"key", name}); }

void App::type(const std::string& text) { screen_.xdotool({"type", "--delay", "2", text}); }

void App::wait_until_active(const std::string& name) {
  wait(name + " to take keys", [&](const Json& map) {
    const Json& controls = map.at("controls");
    return controls.contains(name) && controls.at(name).at("active").get<bool>();
  });
}

void App::wait_until_no_dialog() {
  wait("the dialog's end", [](const Json& map) { return map.at("state").at("dialog").is_null(); });
  next_frame([&] { move_to(6, 5); });
  next_frame([&] { move_to(5, 5); });
}

void App::dialog(const std::string& shortcut, const std::string& path) {
  key(shortcut);
  wait_until_active("dialog.path");
  type(path);
  wait("the typed path",
       [&](const Json& map) { return map.at("state").at("dialog").at("path") == path; });
  key("Return");
  wait_until_no_dialog();
}

Ended App::close() {
  program_.send(SIGTERM);
  return program_.finish();
}

fs::path settings_file(const TemporaryFolder& folder) {
  return folder.path() / "config/ridgepoint/settings.json";
}

void write_small_settings(const TemporaryFolder& folder, const nlohmann::json& more) {
  nlohmann::json settings = {{"format", "ridgepoint-settings"},
                             {"version", 1},
                             {"spec",
                              {{"device", "cpu"},
                               {"dtype", "fp32"},
                               {"fusion", "both"},
                               {"repeat", "1,16"},
                               {"elements", "1048576"},
                               {"noise", "50%"},
                               {"max-time", "100ms"}}},
                             {"x", "repeat"},
                             {"cursor", 16},
                             {"width", 1280},
                             {"height", 800},
                             {"folder", ""}};
  settings.merge_patch(more);
  fs::create_directories(settings_file(folder).parent_path());
  std::ofstream(settings_file(folder)) << settings.dump(1);
}
