// The thread that writes autosave files: what it says when it cannot, and when that is said again.
#include "app/jobs/autosave_writer.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "tests/model/fake_state.hpp"

namespace fs = std::filesystem;

TEST_CASE("a folder that cannot be written is said once, and again when it had worked in between") {
  const fake::Folder folder;
  const fs::path kept = folder.path / "kept";
  const fs::path away = folder.path / "away";
  std::atomic<int> woken = 0;
  app::AutosaveWriter writer(kept, [&] { ++woken; });
  const auto problems = [&] {
    writer.keep("cpu", engine::Session());
    writer.finish();
    return writer.take_problems();
  };
  CHECK(problems().empty());
  fs::rename(kept, away);
  std::ofstream(kept) << "in the way";
  CHECK(problems().size() == 1);
  CHECK(problems().empty());
  writer.drop("cpu");
  writer.finish();
  CHECK(problems().empty());
  fs::remove(kept);
  fs::rename(away, kept);
  CHECK(problems().empty());
  fs::rename(kept, away);
  std::ofstream(kept) << "in the way";
  CHECK(problems().size() == 1);
  CHECK(woken == 2);
}
