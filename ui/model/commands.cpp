#include "ui/model/commands.hpp"

#include <exception>
#include <utility>

#include "engine/session/session_file.hpp"
#include "ui/model/dialogs.hpp"
#include "ui/pages/html_page.hpp"

namespace ui {

PictureDone do_picture(const DrawPicture& job, const std::function<bool()>& cancelled) {
  PictureDone done{job.number, job.path, job.data, {}, {}, false};
  try {
    if ((done.cancelled = cancelled())) return done;
    Sessions sessions;
    for (const engine::Session& session : job.sessions) sessions.push_back(&session);
    std::string bytes = file_of(job.page, sessions, job.look, job.format, job.path);
    if ((done.cancelled = cancelled())) return done;
    if (job.path.empty()) {
      done.bytes = std::move(bytes);
      return done;
    }
    engine::write_file(job.path, bytes);
    if (job.data) engine::write_file(data_path(job.path), csv_of(job.page));
  } catch (const std::exception& error) {
    done.problem = error.what();
  }
  return done;
}

}  // namespace ui
