// Draws and writes pictures on a thread of its own, so that no large one holds up a frame. Knows
// nothing of what becomes of them (ui/model/picture_job.hpp).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

#include "ui/model/picture_job.hpp"

namespace app {

class PictureWriter {
 public:
  /// `wake` is called from the thread when there is a picture to take.
  explicit PictureWriter(std::function<void()> wake);
  PictureWriter(const PictureWriter&) = delete;
  PictureWriter& operator=(const PictureWriter&) = delete;

  /// One after the other, in this order. Never waits.
  void draw(ui::DrawPicture);
  /// A picture that is not being written yet will not be.
  void cancel(std::uint64_t number);
  /// Waits until everything is written.
  void finish();
  std::vector<ui::PictureDone> take_done();

 private:
  void work(std::stop_token);
  bool is_cancelled(std::uint64_t number);

  std::function<void()> wake_;
  std::mutex mutex_;  // of all below but the thread
  std::condition_variable_any changed_;
  std::deque<ui::DrawPicture> jobs_;
  std::set<std::uint64_t> cancelled_;
  bool busy_ = false;
  std::vector<ui::PictureDone> done_;
  std::jthread thread_;  // last member: joined before the rest is destroyed
};

}  // namespace app
