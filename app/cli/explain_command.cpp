#include "app/cli/explain_command.hpp"

#include "engine/session/session_file.hpp"
#include "engine/verdict/predict.hpp"

namespace app {

Exit explain_command(const std::string& session_path, Output& output) {
  std::string text = engine::explain(engine::load_session(session_path));
  if (!text.ends_with('\n')) text += '\n';
  output.say(text);
  output.finish();
  return Exit::done;
}

}  // namespace app
