// Folders that only this user can change, and files that take the place of others whole.
#include "kernels/kept/own_folder.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "kernels/device.hpp"
#include "kernels/kept/sha256.hpp"
#include "tests/files.hpp"
#include "tests/kernels/folder.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;
namespace fs = std::filesystem;

namespace {

/// A variable of the environment, as before at the end.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = ::getenv(name)) old_ = old;
    ::setenv(name, value, 1);
  }
  ~Variable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

mode_t mode_of(const fs::path& path) {
  struct stat found {};
  REQUIRE(stat(path.c_str(), &found) == 0);
  return found.st_mode & 07777;
}

}  // namespace

TEST_CASE("the cache folder is the XDG one, else that under the home folder, else none") {
  const Variable home("HOME", "/home/someone");
  {
    const Variable xdg("XDG_CACHE_HOME", "/var/cache/x");
    CHECK(cache_folder() == "/var/cache/x/ridgepoint");
  }
  const Variable relative("XDG_CACHE_HOME", "not/absolute");
  CHECK(cache_folder() == "/home/someone/.cache/ridgepoint");
  const Variable nowhere("HOME", "");
  CHECK(cache_folder().empty());
}

TEST_CASE("a folder is private where nobody else can change it or one above it") {
  const Folder folder;
  const fs::path scratch = folder.path() / "scratch", kept = scratch / "ridgepoint";
  CHECK(why_not_private(kept) == "");
  CHECK(mode_of(kept) == 0700);
  SUBCASE("the folder itself") {
    REQUIRE(chmod(kept.c_str(), 0777) == 0);
    CHECK(why_not_private(kept) == "others may write to " + kept.string());
    CHECK(mode_of(kept) == 0777);  // whoever shares it may mean to
  }
  SUBCASE("one above it, in which another user may put another folder of that name") {
    REQUIRE(chmod(scratch.c_str(), 0777) == 0);
    CHECK(why_not_private(kept) == "others may write to " + scratch.string());
    REQUIRE(chmod(scratch.c_str(), 01777) == 0);  // like /tmp: nobody moves what others own
    CHECK(why_not_private(kept) == "");
  }
  SUBCASE("a user's own group") {
    struct stat found {};
    REQUIRE(stat(kept.c_str(), &found) == 0);
    if (found.st_gid != found.st_uid) return;
    REQUIRE(chmod(kept.c_str(), 0770) == 0);
    CHECK(why_not_private(kept) == "");
    CHECK(mode_of(kept) == 0750);
  }
  SUBCASE("a link to it") {
    fs::create_directory_symlink(kept, folder.path() / "link");
    CHECK(why_not_private(folder.path() / "link") == "");
    REQUIRE(chmod(scratch.c_str(), 0777) == 0);
    CHECK(contains(why_not_private(folder.path() / "link"), "others may write to"));
  }
  SUBCASE("a file in its place") {
    tests::write_text(folder.path() / "file", "");
    CHECK(why_not_private(folder.path() / "file") ==
          (folder.path() / "file").string() + " is no folder");
    CHECK(contains(why_not_private(folder.path() / "file" / "below"), "Not a directory"));
  }
  if (geteuid() == 0) {
    SUBCASE("another owner") {
      REQUIRE(chown(scratch.c_str(), 65534, 65534) == 0);
      CHECK(why_not_private(kept) == scratch.string() + " belongs to another user");
    }
  } else {
    MESSAGE("skipped: only root can give a folder to another user");
  }
}

TEST_CASE("what cannot be kept where it was wanted is kept elsewhere, and the reason is said") {
  const Folder folder;
  const Variable run("XDG_RUNTIME_DIR", folder.path().c_str());
  CHECK(own_folder(folder.path() / "cache").why_elsewhere.empty());
  fs::create_directory_symlink(folder.path() / "cache", folder.path() / "link");
  CHECK(own_folder(folder.path() / "link").path == folder.path() / "cache");
  const mode_t mask = umask(0);
  CHECK(own_folder(folder.path() / "new" / "one").why_elsewhere.empty());
  umask(mask);
  CHECK(mode_of(folder.path() / "new") == 0700);
  tests::write_text(folder.path() / "file", "");
  const OwnFolder other = own_folder(folder.path() / "file");
  CHECK(other.path == folder.path() / "ridgepoint");
  CHECK(elsewhere(other) == " (kept in " + other.path.string() + ", because " +
                                (folder.path() / "file").string() + " is no folder)");
}

TEST_CASE("a file is replaced as a whole, and no link leads elsewhere") {
  const Folder folder;
  const fs::path file = folder.path() / "kept", other = folder.path() / "other";
  tests::write_text(other, "of someone");
  fs::create_symlink(other, file);
  CHECK(replace_file(file, "bytes") == "");
  CHECK_FALSE(fs::is_symlink(file));
  CHECK(tests::read_file(file) == "bytes");
  CHECK(tests::read_file(other) == "of someone");
  CHECK(mode_of(file) == 0600);
  CHECK(replace_file(folder.path() / "none" / "kept", "bytes") == "No such file or directory");
  fs::create_directory(folder.path() / "full");
  fs::create_directory(folder.path() / "full" / "in the way");
  CHECK_FALSE(replace_file(folder.path() / "full", "bytes").empty());
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 3);
}

TEST_CASE("SHA-256 is that of FIPS 180-2") {
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
