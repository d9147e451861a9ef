// The commands that read sessions.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>

#include "app/cli/commands.hpp"
#include "app/output/progress_bar.hpp"
#include "app/output/results.hpp"
#include "app/output/targets.hpp"
#include "engine/session/session_file.hpp"
#include "engine/verdict/predict.hpp"
#include "ui/pages/html_page.hpp"

namespace app {
namespace {

/// Beside the picture, with the ending of a table.
Target data_target(const PlotArguments& arguments, const Target& picture) {
  if (!arguments.data) return {};
  Target data(std::filesystem::path(arguments.output).replace_extension(".csv"));
  if (data.same_as(picture)) {
    throw Failure(Exit::usage, fmt::format("'{}' and '{}' are the same file: expected another name "
                                           "for the picture, since --data writes its table there",
                                           arguments.output, data.path().string()));
  }
  return data;
}

/// "Runtime, Roofline: No measured points of this lab. ...": a panel with nothing to show says why
/// in the picture, and the messages alone say so, too.
void say_what_is_empty(const plot::Page& page) {
  std::map<std::string, std::vector<std::string>> panels_by_reason;
  for (const plot::Figure& figure : page.figures)
    if (!figure.empty_text.empty()) panels_by_reason[figure.empty_text].push_back(figure.title);
  for (const auto& [reason, panels] : panels_by_reason)
    Console().say(fmt::format("{}: {}", fmt::join(panels, ", "), reason));
}

}  // namespace

Exit plot_command(const PlotArguments& arguments, Output& output) {
  const PictureOptions options = parse(arguments.picture);
  const plot::Format format =
      picture_format("--output", arguments.output, arguments.picture, options);
  std::vector<engine::Session> sessions;
  for (const std::string& path : arguments.sessions) sessions.push_back(engine::load_session(path));
  const Target target(arguments.output);
  const Target data = data_target(arguments, target);
  target.check();
  data.check();
  std::vector<const engine::Session*> shown;
  for (const engine::Session& session : sessions) shown.push_back(&session);
  const plot::Page page = page_of(shown, options);
  target.write(ui::file_of(page, shown, options.look, format, arguments.output), output);
  if (data.wanted()) data.write(ui::csv_of(page), output);
  output.finish();
  say_what_is_empty(page);
  return Exit::done;
}

Exit explain_command(const ExplainArguments& arguments, Output& output) {
  const engine::Session session = engine::load_session(arguments.session);
  if (arguments.markdown) {
    output.say(markdown_of(session));
    return output.finish();
  }
  std::string text = engine::explain(session);
  if (!text.ends_with('\n')) text += '\n';
  if (const std::string sources = kernel_sources(session); !sources.empty()) text += "\n" + sources;
  output.say(text);
  return output.finish();
}

}  // namespace app
