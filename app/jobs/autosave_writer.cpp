#include "app/jobs/autosave_writer.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace app {

AutosaveWriter::AutosaveWriter(std::filesystem::path folder, std::function<void()> wake)
    : folder_(std::move(folder)), wake_(std::move(wake)) {}

void AutosaveWriter::keep(const std::string& name, engine::Session session) {
  thread_.post([this, name, session = std::move(session)] { write(name, session); }, name);
}

void AutosaveWriter::drop(const std::string& name) {
  thread_.post([this, name] { folder_.remove(name); }, name);
}

std::vector<std::string> AutosaveWriter::take_problems() {
  const std::lock_guard lock(mutex_);
  return std::exchange(problems_, {});
}

void AutosaveWriter::write(const std::string& name, const engine::Session& session) {
  std::string problem;
  try {
    folder_.write(name, session);
  } catch (const std::exception& error) {
    problem =
        fmt::format("autosave failed, and a crash would lose these measurements: {}", error.what());
  }
  {
    const std::lock_guard lock(mutex_);
    // The next point finds the disk as full as it was.
    const bool is_new = std::exchange(last_problem_, problem) != problem;
    if (problem.empty() || !is_new) return;
    problems_.push_back(problem);
  }
  wake_();
}

}  // namespace app
