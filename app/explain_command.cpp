#include "app/explain_command.hpp"

#include "engine/predict.hpp"
#include "engine/session_file.hpp"

namespace app {

Exit explain_command(const std::string& session_path, Output& output) {
  std::string text = engine::explain(engine::load_session(session_path));
  if (!text.ends_with('\n')) text += '\n';
  output.write(text);
  output.finish();
  return Exit::done;
}

}  // namespace app
