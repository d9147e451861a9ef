#include "app/plot_command.hpp"

#include "app/targets.hpp"
#include "engine/session_file.hpp"

namespace app {

Exit plot_command(const PlotArguments& arguments, Output& output) {
  const PictureOptions options = parse(arguments.picture);
  const plot::Format format = picture_format("--output", arguments.output);
  std::vector<engine::Session> sessions;
  for (const std::string& path : arguments.sessions) sessions.push_back(engine::load_session(path));
  const Target target(arguments.output);
  target.check();
  std::vector<const engine::Session*> shown;
  for (const engine::Session& session : sessions) shown.push_back(&session);
  target.write(picture_of(shown, options, format), output);
  output.finish();
  return Exit::done;
}

}  // namespace app
