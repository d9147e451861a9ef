#include "ui/model/commands.hpp"

#include <exception>
#include <utility>

#include "engine/session/session_file.hpp"
#include "ui/model/dialogs.hpp"

namespace ui {

PictureDone do_picture(const DrawPicture& job, const std::function<bool()>& cancelled) {
  PictureDone done{job.number, job.path, job.data, {}, {}, false};
  try {
    if ((done.cancelled = cancelled())) return done;
    std::string bytes = plot::render(job.page, job.look, job.format);
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
