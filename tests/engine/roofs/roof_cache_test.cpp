// What a search found is there the next time, and nothing else is believed.
#include "engine/roofs/roof_cache.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "engine/session/session_file.hpp"
#include "tests/files.hpp"
#include "tests/session/examples.hpp"

using namespace engine;

namespace {

kernels::DeviceInfo device(std::string driver = "1.0") {
  kernels::DeviceInfo info = examples::session().device;
  info.driver = std::move(driver);
  return info;
}

Roof winner() {
  Roof roof = examples::compute_roof(kernels::Dtype::fp32, kernels::Units::vector, 1e12);
  roof.shape = {{"chains", "8"}};
  return roof;
}

Point tried(const char* chains) {
  kernels::Case what;
  what.family = kernels::Family::peak;
  what.shape = {{"chains", chains}};
  Point point = examples::point(what, 1e-3);
  point.run = 12;
  return point;
}

std::filesystem::path only_file_in(const examples::Folder& folder) {
  REQUIRE(folder.entries() == 1);
  return std::filesystem::directory_iterator(folder.path())->path();
}

}  // namespace

TEST_CASE("the winner and the tries of a search are found again by the same device") {
  const examples::Folder folder;
  RoofCache first(folder.path(), device());
  CHECK_FALSE(first.winner("fp32 FMA").has_value());
  first.keep(winner(), {tried("4"), tried("8")});
  first.save();
  CHECK(first.take_warning().empty());
  RoofCache second(folder.path(), device());
  CHECK(second.winner("fp32 FMA") == winner().shape);
  CHECK_FALSE(second.winner("fp64 FMA").has_value());
  REQUIRE(second.tried().size() == 2);
  CHECK(second.tried()[0].what.shape == kernels::Shape{{"chains", "4"}});
  // It is a session like any other.
  CHECK(load_session(only_file_in(folder)).roofs.size() == 1);
}

TEST_CASE("another driver, or another device, is another cache") {
  const examples::Folder folder;
  RoofCache cache(folder.path(), device());
  cache.keep(winner(), {});
  cache.save();
  CHECK_FALSE(RoofCache(folder.path(), device("2.0")).winner("fp32 FMA").has_value());
  kernels::DeviceInfo more = device();
  more.threads = 64;
  CHECK_FALSE(RoofCache(folder.path(), more).winner("fp32 FMA").has_value());
  kernels::DeviceInfo larger = device();
  larger.l3_bytes += 1e6;
  CHECK_FALSE(RoofCache(folder.path(), larger).winner("fp32 FMA").has_value());
}

TEST_CASE("tries that say nothing of their shape are not kept") {
  Point failed = tried("1"), disturbed = tried("2"), throttled = tried("4"), skipped = tried("16");
  failed.status = Status::failed;
  disturbed.disturbed = true;
  throttled.conditions.throttled = true;
  skipped.status = Status::skipped;
  RoofCache cache({}, device());
  cache.keep(winner(), {failed, disturbed, throttled, tried("8"), skipped});
  REQUIRE(cache.tried().size() == 2);
  CHECK(std::ranges::all_of(cache.tried(), &Point::cached));
  CHECK(cache.tried()[0].what.shape == kernels::Shape{{"chains", "8"}});
  CHECK(cache.tried()[1].what.shape == kernels::Shape{{"chains", "16"}});
}

TEST_CASE("a later search replaces the tries of an earlier one") {
  RoofCache cache({}, device());
  cache.keep(winner(), {tried("4"), tried("8")});
  Roof other = winner();
  other.shape = {{"chains", "4"}};
  cache.keep(other, {tried("4")});
  CHECK(cache.winner("fp32 FMA") == other.shape);
  CHECK(cache.tried().size() == 2);
}

TEST_CASE("a broken cache is said once, counts as empty and is written anew") {
  const examples::Folder folder;
  RoofCache cache(folder.path(), device());
  cache.keep(winner(), {});
  cache.save();
  const auto file = only_file_in(folder);
  const std::string good = tests::read_file(file);
  for (const std::string& bad : {good.substr(0, good.size() / 2), std::string("\x01\x02")}) {
    tests::write_text(file, bad);
    RoofCache broken(folder.path(), device());
    CHECK_FALSE(broken.winner("fp32 FMA").has_value());
    const std::string warning = broken.take_warning();
    CHECK(warning.find("searched again") != std::string::npos);
    CHECK(warning.find(file.string()) != std::string::npos);
    CHECK(broken.take_warning().empty());
    broken.keep(winner(), {});
    broken.save();
    CHECK(RoofCache(folder.path(), device()).winner("fp32 FMA").has_value());
  }
}

TEST_CASE("the file of another device under this name is not believed") {
  const examples::Folder folder;
  RoofCache cache(folder.path(), device());
  cache.keep(winner(), {});
  cache.save();
  Session other = load_session(only_file_in(folder));
  other.device.name = "Another";
  save_session(other, only_file_in(folder));
  CHECK_FALSE(RoofCache(folder.path(), device()).winner("fp32 FMA").has_value());
}

TEST_CASE("a cache that cannot be written is said once, and serves as long as it lives") {
  const examples::Folder folder;
  RoofCache cache(folder.path(), device());
  cache.keep(winner(), {});
  cache.save();
  const auto file = only_file_in(folder);
  std::filesystem::remove(file);
  std::filesystem::create_directories(file / "in the way");
  cache.keep(winner(), {});
  cache.save();
  CHECK(cache.take_warning().find("not cached for the next time") != std::string::npos);
  CHECK(cache.take_warning().empty());
  CHECK(cache.winner("fp32 FMA").has_value());
}

TEST_CASE(
    "a file that others may write to is not believed, nor one that was found with other memory") {
  const examples::Folder folder;
  RoofCache cache(folder.path(), device());
  cache.keep(winner(), {});
  cache.save();
  kernels::DeviceInfo limited = device();
  limited.memory_bytes += 1;
  CHECK_FALSE(RoofCache(folder.path(), limited).winner("fp32 FMA").has_value());
  kernels::DeviceInfo in_group = device();
  in_group.partition = "control group: 0.5 processors";
  CHECK_FALSE(RoofCache(folder.path(), in_group).winner("fp32 FMA").has_value());
  std::filesystem::permissions(only_file_in(folder), std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  CHECK_FALSE(RoofCache(folder.path(), device()).winner("fp32 FMA").has_value());
}

TEST_CASE("nothing found is nothing written") {
  const examples::Folder folder;
  RoofCache cache(folder.path(), device());
  cache.save();
  CHECK(folder.entries() == 0);
}
