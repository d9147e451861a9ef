#include "app/jobs/picture_writer.hpp"

#include <utility>

namespace app {

PictureWriter::PictureWriter(std::function<void()> wake)
    : wake_(std::move(wake)), thread_([this](std::stop_token quit) { work(std::move(quit)); }) {}

void PictureWriter::draw(ui::DrawPicture job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

void PictureWriter::cancel(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  cancelled_.insert(number);
}

void PictureWriter::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.empty() && !busy_; });
}

std::vector<ui::PictureDone> PictureWriter::take_done() {
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, {});
}

void PictureWriter::work(std::stop_token quit) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, quit, [this] { return !jobs_.empty(); })) {
    const ui::DrawPicture job = std::move(jobs_.front());
    jobs_.pop_front();
    busy_ = true;
    lock.unlock();
    ui::PictureDone done = ui::do_picture(job, [&] { return is_cancelled(job.number); });
    lock.lock();
    cancelled_.erase(job.number);
    done_.push_back(std::move(done));
    busy_ = false;
    changed_.notify_all();
    lock.unlock();
    wake_();
    lock.lock();
  }
}

bool PictureWriter::is_cancelled(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  return cancelled_.contains(number);
}

}  // namespace app
