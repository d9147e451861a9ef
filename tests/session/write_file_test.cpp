#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "engine/session/session_file.hpp"
#include "tests/files.hpp"
#include "tests/session/examples.hpp"
#include "tests/text.hpp"

using engine::CannotWrite;
using engine::is_replaced_whole;
using engine::write_file;
using examples::Folder;
using tests::contains;
using tests::read_file;
using tests::write_text;
namespace fs = std::filesystem;

namespace {

std::string refusal(const fs::path& path, const std::string& text = "text") {
  try {
    write_file(path, text);
  } catch (const CannotWrite& error) {
    return error.what();
  }
  return "written";
}

/// Root may write everywhere: a child that tests permissions becomes "nobody" first.
bool is_no_longer_root() {
  constexpr uid_t nobody = 65534;
  return ::geteuid() != 0 || ::setuid(nobody) == 0;
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("a file is written whole, and nothing else stays in the folder") {
  const Folder folder;
  write_file(folder / "a.json", "one");
  CHECK(read_file(folder / "a.json") == "one");
  write_file(folder / "a.json", "two");
  CHECK(read_file(folder / "a.json") == "two");
  CHECK(folder.entries() == 1);
}

TEST_CASE("an empty text and a large one arrive as they are") {
  const Folder folder;
  write_file(folder / "empty", "");
  CHECK(read_file(folder / "empty").empty());
  const std::string large(5'000'001, 'x');
  write_file(folder / "large", large);
  CHECK(read_file(folder / "large") == large);
}

TEST_CASE("a file name without a folder is written to the current one") {
  const Folder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file("a.json", "here");
  fs::current_path(before);
  CHECK(read_file(folder / "a.json") == "here");
}

TEST_CASE("a new file obeys the umask and an old one keeps its permissions") {
  const Folder folder;
  const mode_t old = ::umask(027);
  write_file(folder / "new", "x");
  ::umask(old);
  CHECK(mode_of(folder / "new") == 0640);
  write_text(folder / "kept", "x");
  ::chmod((folder / "kept").c_str(), 0604);
  write_file(folder / "kept", "y");
  CHECK(mode_of(folder / "kept") == 0604);
}

TEST_CASE("a symbolic link stays a link and its target is replaced") {
  const Folder folder;
  fs::create_directory(folder / "real");
  write_text(folder / "real/a.json", "old");
  fs::create_symlink("real/a.json", folder / "link");
  fs::create_symlink("link", folder / "link-to-link");
  write_file(folder / "link-to-link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(fs::is_symlink(folder / "link-to-link"));
  CHECK(read_file(folder / "real/a.json") == "new");
}

TEST_CASE("a link to a file that is not there yet makes that file") {
  const Folder folder;
  fs::create_symlink(folder / "later.json", folder / "link");
  write_file(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read_file(folder / "later.json") == "new");
}

TEST_CASE("links that form a loop are refused") {
  const Folder folder;
  fs::create_symlink(folder / "b", folder / "a");
  fs::create_symlink(folder / "a", folder / "b");
  CHECK(contains(refusal(folder / "a"), "form a loop"));
}

TEST_CASE("a folder that is missing, a file in its place and a folder as target are told apart") {
  const Folder folder;
  const std::string missing = refusal(folder / "none/a.json");
  CHECK(contains(missing, (folder / "none/a.json").string()));
  CHECK(contains(missing, "No such file or directory"));
  CHECK(contains(missing, "create it"));
  write_text(folder / "file", "x");
  CHECK(contains(refusal(folder / "file/a.json"), "Not a directory"));
  CHECK(contains(refusal(folder.path()), "Is a directory"));
  CHECK(contains(refusal(""), "empty"));
  CHECK(contains(refusal(folder / std::string(300, 'n')), "shorter"));
}

TEST_CASE("a file without permission is refused and stays as it was") {
  const Folder folder;
  write_text(folder / "a.json", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    ::chmod((folder / "a.json").c_str(), 0444);
    ::chmod(folder.path().c_str(), 0777);
    if (!is_no_longer_root()) ::_exit(2);
    ::_exit(contains(refusal(folder / "a.json"), "Permission denied") ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(read_file(folder / "a.json") == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a read-only folder takes no new file and says where to write instead") {
  const Folder folder;
  ::chmod(folder.path().c_str(), 0555);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!is_no_longer_root()) ::_exit(2);
    const std::string message = refusal(folder / "a.json");
    ::_exit(contains(message, "Permission denied") && contains(message, "where you may write") ? 0
                                                                                               : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  ::chmod(folder.path().c_str(), 0755);
  CHECK(folder.entries() == 0);
}

TEST_CASE("a full device says so") {
  const std::string message = refusal("/dev/full");
  CHECK(contains(message, "No space left"));
  CHECK(contains(message, "free some space"));
}

TEST_CASE("a full disk leaves the old file and no rest of the new one") {
  const Folder folder;
  if (::mount("none", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
    MESSAGE("skipped: a small disk needs the right to mount");
    return;
  }
  write_file(folder / "a.json", "old");
  const std::string message = refusal(folder / "a.json", std::string(200'000, 'x'));
  const std::string left = read_file(folder / "a.json");
  const std::size_t entries = folder.entries();
  ::umount(folder.path().c_str());
  CHECK(contains(message, "No space left"));
  CHECK(left == "old");
  CHECK(entries == 1);
}

TEST_CASE("a file size limit leaves the old file and no rest of the new one") {
  const Folder folder;
  write_file(folder / "a.json", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const bool said =
        contains(refusal(folder / "a.json", std::string(200'000, 'x')), "File too large");
    ::_exit(said ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(read_file(folder / "a.json") == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a pipe is written directly and stays a pipe") {
  const Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_FALSE(is_replaced_whole(folder / "pipe"));
  std::string got;
  std::thread reader([&] { got = read_file(folder / "pipe"); });
  const std::string text(300'000, 'p');
  write_file(folder / "pipe", text);
  reader.join();
  CHECK(got == text);
  CHECK(fs::is_fifo(folder / "pipe"));
}

TEST_CASE("a reader that went away is an error, not a signal") {
  const auto previous = std::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  ::close(ends[0]);
  const std::string message = refusal("/dev/fd/" + std::to_string(ends[1]));
  ::close(ends[1]);
  std::signal(SIGPIPE, previous);
  CHECK(contains(message, "Broken pipe"));
  CHECK(contains(message, "has ended"));
}

TEST_CASE("an open file named by its descriptor is written where it stands and never replaced") {
  const Folder folder;
  write_text(folder / "log", "");
  const int open = ::open((folder / "log").c_str(), O_WRONLY);
  REQUIRE(::write(open, "before ", 7) == 7);
  const std::string name = "/dev/fd/" + std::to_string(open);
  CHECK_FALSE(is_replaced_whole(name));
  write_file(name, "text");
  REQUIRE(::write(open, " after", 6) == 6);
  ::close(open);
  CHECK(read_file(folder / "log") == "before text after");
}

TEST_CASE("regular files, new ones and links to them are replaced whole") {
  const Folder folder;
  write_text(folder / "a", "x");
  fs::create_symlink("a", folder / "link");
  CHECK(is_replaced_whole(folder / "a"));
  CHECK(is_replaced_whole(folder / "link"));
  CHECK(is_replaced_whole(folder / "new"));
  CHECK_FALSE(is_replaced_whole("/dev/null"));
}

TEST_CASE("two programs that save the same file never tear it") {
  const Folder folder;
  const fs::path file = folder / "a.json";
  constexpr std::size_t size = 100'000;
  write_file(file, std::string(size, '0'));
  std::vector<pid_t> writers;
  for (const char letter : {'a', 'b'}) {
    const pid_t child = ::fork();
    if (child == 0) {
      int failed = 0;
      for (int i = 0; i < 40; ++i) failed += refusal(file, std::string(size, letter)) != "written";
      ::_exit(failed);
    }
    writers.push_back(child);
  }
  int torn = 0;
  int status = 0;
  int reads = 0;
  for (std::size_t running = writers.size(); running > 0; ++reads) {
    const std::string text = read_file(file);
    torn += text.size() != size || text != std::string(size, text[0]);
    for (pid_t& writer : writers) {
      if (writer > 0 && ::waitpid(writer, &status, WNOHANG) == writer) {
        CHECK(status == 0);
        writer = 0;
        --running;
      }
    }
  }
  CHECK(reads > 0);
  CHECK(torn == 0);
  CHECK(folder.entries() == 1);
}

TEST_CASE("threads of one program that save the same file never tear it") {
  const Folder folder;
  const fs::path file = folder / "a.json";
  constexpr std::size_t size = 50'000;
  {
    std::vector<std::jthread> writers;
    for (const char letter : {'a', 'b', 'c'}) {
      writers.emplace_back([&, letter] {
        for (int i = 0; i < 20; ++i) write_file(file, std::string(size, letter));
      });
    }
  }
  const std::string text = read_file(file);
  CHECK(text == std::string(size, text.at(0)));
  CHECK(folder.entries() == 1);
}

TEST_CASE("files that killed processes left are removed, those of living ones stay") {
  const Folder folder;
  for (const char* name : {".ridgepoint-1-0.tmp", ".ridgepoint-7-7.tmp"})
    write_text(folder / name, "stale");
  const std::string own = ".ridgepoint-" + std::to_string(::getpid()) + "-";
  for (int i = 0; i < 2000; ++i) write_text(folder / (own + std::to_string(i) + ".tmp"), "stale");
  write_text(folder / ".ridgepoint-notes.txt", "not one of them");
  write_text(folder / ".ridgepoint-9-9.tmp", "still written");
  const int written = ::open((folder / ".ridgepoint-9-9.tmp").c_str(), O_RDONLY);
  REQUIRE(::flock(written, LOCK_EX) == 0);
  write_file(folder / "a.json", "new");
  CHECK(folder.entries() == 3);
  CHECK(read_file(folder / ".ridgepoint-9-9.tmp") == "still written");
  ::close(written);
  write_file(folder / "a.json", "newer");
  CHECK(folder.entries() == 2);
  CHECK(read_file(folder / "a.json") == "newer");
}

TEST_CASE("a pipe that nobody reads is given up when the caller says so") {
  const Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const auto refusal_of = [](const fs::path& path, std::string_view text) {
    int asked = 0;
    try {
      write_file(path, text, [&] { return ++asked == 2; });
    } catch (const CannotWrite& error) {
      return std::string(error.what());
    }
    return std::string("written");
  };
  CHECK(contains(refusal_of(folder / "pipe", "text"), "no program reads it"));
  // Somebody opened it and does not read on.
  const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  CHECK(contains(refusal_of(folder / "pipe", std::string(300'000, 'p')), "no program reads it"));
  ::close(reader);
}
