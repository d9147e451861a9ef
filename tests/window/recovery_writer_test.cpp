// The thread that writes recovery files: what it says when it cannot, and when that is said again.
#include "app/recovery_writer.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "tests/window/fake_state.hpp"

namespace fs = std::filesystem;

TEST_CASE("a folder that cannot be written is said once, and again when it had worked in between") {
  const fake::Folder folder;
  const fs::path kept = folder.path / "kept";
  const fs::path away = folder.path / "away";
  std::atomic<int> woken = 0;
  app::RecoveryWriter writer(kept, [&] { ++woken; });
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

TEST_CASE("what is said at the end is the last session that nobody asked for") {
  const fake::Folder folder;
  app::RecoveryWriter writer(folder.path, [] {});
  engine::Session session;
  session.device.id = "cpu";
  writer.retire("opened-1", session, true);
  writer.finish();
  CHECK(writer.retired().empty());
  writer.retire("cpu", session, false);
  writer.finish();
  CHECK(writer.retired() == std::vector{folder.path / "last-cpu.json"});
}
