#include "app/cli/explain_command.hpp"

#include "app/output/results.hpp"
#include "engine/session/session_file.hpp"
#include "engine/verdict/predict.hpp"

namespace app {

Exit explain_command(const std::string& session_path, Output& output) {
  const engine::Session session = engine::load_session(session_path);
  std::string text = engine::explain(session);
  if (!text.ends_with('\n')) text += '\n';
  if (const std::string sources = kernel_sources(session); !sources.empty()) text += "\n" + sources;
  output.say(text);
  output.finish();
  return Exit::done;
}

}  // namespace app
