#include "app/jobs/picture_writer.hpp"

#include <utility>

namespace app {

PictureWriter::PictureWriter(std::function<void()> wake) : wake_(std::move(wake)) {}

void PictureWriter::draw(ui::DrawPicture picture) {
  thread_.post([this, picture = std::move(picture)] {
    ui::PictureDone done = ui::do_picture(picture, [&] {
      const std::lock_guard lock(mutex_);
      return cancelled_.contains(picture.number);
    });
    {
      const std::lock_guard lock(mutex_);
      cancelled_.erase(picture.number);
      done_.push_back(std::move(done));
    }
    wake_();
  });
}

void PictureWriter::cancel(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  cancelled_.insert(number);
}

std::vector<ui::PictureDone> PictureWriter::take_done() {
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, {});
}

}  // namespace app
