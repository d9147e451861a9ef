// The thread that draws pictures: what it writes, what it gives up, and that nothing is lost when
// the window ends.
#include "app/jobs/picture_writer.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <string>

#include "tests/model/fake_state.hpp"

namespace {

ui::DrawPicture picture(std::uint64_t number, const std::filesystem::path& path) {
  engine::Session session = engine::new_session(fake::summary("cpu").info);
  for (const std::uint64_t repeat : {1, 8, 64}) engine::add_point(session, fake::point(repeat));
  ui::DrawPicture job{number, path.string(), ui::page_of({&session}, nullptr, {}), {}};
  job.look.preset = plot::preset_named("web");
  job.format = plot::Format::svg;
  return job;
}

}  // namespace

TEST_CASE("every picture is written, in order, and each wakes the window") {
  const fake::Folder folder;
  std::atomic<int> woken = 0;
  {
    app::PictureWriter writer([&] { ++woken; });
    for (const std::uint64_t number : {1, 2, 3}) {
      writer.draw(picture(number, folder.path / (std::to_string(number) + ".svg")));
    }
    writer.finish();
    const auto done = writer.take_done();
    REQUIRE(done.size() == 3);
    for (std::uint64_t i = 0; i < 3; ++i) {
      CHECK(done[i].number == i + 1);
      CHECK(done[i].problem.empty());
      CHECK(std::filesystem::file_size(done[i].path) > 1000);
    }
    CHECK(writer.take_done().empty());
  }
  CHECK(woken == 3);
}

TEST_CASE("a picture that was cancelled is not written, and what is there stays") {
  const fake::Folder folder;
  app::PictureWriter writer([] {});
  writer.cancel(1);
  ui::DrawPicture poster = picture(1, folder.path / "one.svg");
  poster.format = plot::Format::png;
  poster.look.scale = 1e6;  // drawing it would fail
  writer.draw(std::move(poster));
  writer.draw(picture(2, folder.path / "two.svg"));
  writer.finish();
  const auto done = writer.take_done();
  REQUIRE(done.size() == 2);
  CHECK(done[0].cancelled);
  CHECK(done[0].problem.empty());
  CHECK_FALSE(done[1].cancelled);
  CHECK_FALSE(std::filesystem::exists(folder.path / "one.svg"));
  CHECK(std::filesystem::exists(folder.path / "two.svg"));
}

TEST_CASE("a picture that cannot be written or drawn is said, and the next one is") {
  const fake::Folder folder;
  app::PictureWriter writer([] {});
  writer.draw(picture(1, folder.path / "missing" / "one.svg"));
  ui::DrawPicture poster = picture(2, folder.path / "two.png");
  poster.format = plot::Format::png;
  poster.look.scale = 1e6;
  writer.draw(std::move(poster));
  writer.draw(picture(3, {}));
  writer.finish();
  const auto done = writer.take_done();
  REQUIRE(done.size() == 3);
  CHECK(done[0].problem.find("missing") != std::string::npos);
  CHECK(done[1].problem.find("too large") != std::string::npos);
  CHECK(done[2].bytes.find("<svg") != std::string::npos);
}
