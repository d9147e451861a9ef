#include "tests/screen/monkey_home.hpp"

#include <cstdlib>

#include "engine/session/session_file.hpp"
#include "ui/autosave/autosave_folder.hpp"
#include "ui/model/dialogs.hpp"

namespace monkey {

namespace fs = std::filesystem;

Home::Home() : before_(fs::current_path()) {
  fs::current_path(folder_.path);
  setenv("HOME", folder_.path.c_str(), 1);
  unsetenv("XDG_CONFIG_HOME");
  unsetenv("XDG_STATE_HOME");
  fs::create_directories(ui::autosave_folder());
  write_files();
}

Home::~Home() {
  std::error_code ignored;
  fs::current_path(before_, ignored);
}

bool Home::holds(const std::string& typed) const {
  if (typed.empty()) return true;  // nothing can be written there
  const std::string whole = fs::absolute(ui::expand_home(typed)).lexically_normal().string();
  return whole.starts_with(folder_.path.string() + "/");
}

void Home::write_files() {
  engine::Session session;
  session.device.id = "cpu";
  session.device.name = "Fake";
  session.roofs = fake::roofs();
  for (std::uint64_t repeat = 1; repeat <= 64; repeat *= 2) {
    for (const auto fusion : {kernels::Fusion::fused, kernels::Fusion::unfused})
      session.points.push_back(fake::point(repeat, fusion));
  }
  engine::save_session(session, path_of("good.json"));
  session.points.clear();
  engine::save_session(session, path_of("no points.json"));
  session.device.id = "cuda:0";
  session.roofs.clear();
  session.points = {fake::point(8)};
  session.points.front().status = engine::Status::failed;
  session.points.front().seconds = {};
  session.points.front().why = "wrong by 3";
  engine::save_session(session, path_of("failed.json"));
  fs::copy_file(before_.parent_path() / "window" / "roofs.json", path_of("roofs.json"));
  engine::write_file(path_of("broken.json"), R"({"format": "ridgepoint-session", "vers)");
  engine::write_file(path_of("picture.png"), "no picture");
  for (const char* name : {"good.json", "no points.json", "failed.json", "roofs.json",
                           "broken.json", "picture.png", "missing.json", "µ \xff\xfe.json", ""})
    files_.push_back(path_of(name));
}

}  // namespace monkey
