// Draws and writes pictures on a thread of its own. Knows nothing of what becomes of them
// (ui/model/commands.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <vector>

#include "app/jobs/job_thread.hpp"
#include "ui/model/commands.hpp"

namespace app {

class PictureWriter {
 public:
  /// `wake` is called from the thread when there is a picture to take.
  explicit PictureWriter(std::function<void()> wake);

  /// One after the other, in this order. Never waits.
  void draw(ui::DrawPicture);
  /// A picture that is not being written yet will not be.
  void cancel(std::uint64_t number);
  /// Waits until everything is written.
  void finish() { thread_.finish(); }
  std::vector<ui::PictureDone> take_done();

 private:
  std::function<void()> wake_;
  std::mutex mutex_;  // of the next two
  std::set<std::uint64_t> cancelled_;
  std::vector<ui::PictureDone> done_;
  JobThread thread_;  // last member: its jobs use the others
};

}  // namespace app
