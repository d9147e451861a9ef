// Compilers that are missing, fail or hang, and what they made: kept, damaged, or made by others.
#include "kernels/cpu/loaded/compiler.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "kernels/cpu/loaded/kept_library.hpp"
#include "kernels/device.hpp"
#include "kernels/kept/kept_source.hpp"
#include "tests/files.hpp"
#include "tests/kernels/folder.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

namespace {

namespace fs = std::filesystem;

/// A program of the shell in a folder of its own.
std::string script(const std::filesystem::path& folder, const std::string& text) {
  const auto file = folder / "compiler";
  std::ofstream(file) << "#!/bin/sh\n" << text << "\n";
  chmod(file.c_str(), 0700);
  return file.string();
}

std::string why_not_compiled(CompilerChoice choice) {
  Compiler compiler(std::move(choice));
  try {
    compiler.load("extern \"C\" int one() { return 1; }", {}, "one", {});
  } catch (const Unsupported& reason) {
    return reason.what();
  }
  return "";
}

const std::string one = "extern \"C\" int one() { return 1; }";

/// What one() returns that was compiled or kept in `folder`.
int returned(const fs::path& folder, Compiler::Result* result = nullptr) {
  const auto made = Compiler({usual_compiler().programs, folder}).load(one, {"-O1"}, "one", {});
  if (result != nullptr) *result = made;
  return reinterpret_cast<int (*)()>(made.function)();
}

fs::path library_of(const Compiler::Result& made) {
  return fs::path(made.source).replace_extension(".so");
}

}  // namespace

TEST_CASE("a compiler that is missing, fails or hangs gives a sentence") {
  const Folder folder;
  CHECK(contains(
      why_not_compiled({{"no-such-compiler"}, folder.path()}),
      "no C++ compiler here (tried no-such-compiler; no-such-compiler cannot be started)"));
  const std::string fails =
      script(folder.path(),
             "case $1 in --version) echo fake 1;; *) echo 'x: error: no luck'; exit 1;; esac");
  CHECK(contains(why_not_compiled({{fails}, folder.path()}), "failed: x: error: no luck"));
  const std::string makes_nothing = script(folder.path(), "echo fake 2");
  CHECK_FALSE(why_not_compiled({{makes_nothing}, folder.path()}).empty());
  const std::string hangs = script(
      folder.path(), "case $1 in --version) echo fake 3;; *) while :; do sleep 1; done;; esac");
  CHECK(contains(why_not_compiled({{hangs}, folder.path(), 0.3}), "took longer than"));
}

TEST_CASE("a compiler that hangs is waited for once, and ends when the user cancels") {
  const Folder folder;
  const std::string hangs = script(folder.path(), "while :; do sleep 1; done");
  Compiler compiler({{hangs}, folder.path(), 0.2});
  for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(compiler.load("", {}, "one", {}), Unsupported);
  Compiler patient({{hangs}, folder.path(), 1000});
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(patient.load("", {}, "one", stop.get_token()), Cancelled);
}

TEST_CASE("what is compiled is kept, and compiled again where the file is broken") {
  const Folder folder;
  const std::string text = "extern \"C\" int one() { return 1; }";
  const CompilerChoice usual = {usual_compiler().programs, folder.path()};
  const auto made = Compiler(usual).load(text, {"-O1"}, "one", {});
  CHECK(reinterpret_cast<int (*)()>(made.function)() == 1);
  CHECK(tests::read_file(made.source) == text);
  auto library = made.source;
  library.replace_extension(".so");
  const auto before = std::filesystem::last_write_time(library);
  Compiler(usual).load(text, {"-O1"}, "one", {});
  CHECK(std::filesystem::last_write_time(library) == before);
  const std::string other = "extern \"C\" int two() { return 2; }";
  const auto second = Compiler(usual).load(other, {"-O1"}, "two", {});
  CHECK(second.source != made.source);
  auto broken = folder.path() / "broken";
  std::filesystem::create_directory(broken);
  std::ofstream(broken / library.filename()) << "no library";
  const auto again = Compiler({usual.programs, broken}).load(text, {"-O1"}, "one", {});
  CHECK(reinterpret_cast<int (*)()>(again.function)() == 1);
}

TEST_CASE("a compiler may be a command with arguments, as a shell reads it") {
  const Folder folder;
  const std::string shows =
      script(folder.path(),
             "case $* in *--version) echo fake 4;; *) echo \"x: error: $1,$2\"; exit 1;; esac");
  CHECK(contains(why_not_compiled({{shows + " -O2 'two words'"}, folder.path()}),
                 "error: -O2,two words"));
  CHECK(contains(why_not_compiled({{shows + " $(touch " + (folder.path() / "ran").string() + ")"},
                                   folder.path()}),
                 "no C++ compiler here"));
  CHECK_FALSE(fs::exists(folder.path() / "ran"));
  const fs::path spaces = folder.path() / "a folder";
  fs::create_directory(spaces);
  CHECK(contains(why_not_compiled({{script(spaces, "echo fake 5")}, folder.path()}),
                 "wrote no library that can be read"));
}

TEST_CASE("a kept library that was cut off or zeroed is compiled again") {
  const Folder folder;
  Compiler::Result made;
  CHECK(returned(folder.path(), &made) == 1);
  const fs::path library = library_of(made);
  const auto size = fs::file_size(library);
  const std::string whole = tests::read_file(library);
  for (const std::string& damaged :
       {whole.substr(0, size / 2), whole.substr(0, 4096) + std::string(size - 4096, '\0'),
        std::string()}) {
    tests::write_text(library, damaged);
    CHECK(kept_library(library).empty());
    CHECK(returned(folder.path()) == 1);
    CHECK(tests::read_file(library) == whole);
  }
}

TEST_CASE("a library that others may have made is not run") {
  // Its constructor leaves a trace.
  const Folder folder;
  Compiler::Result made;
  CHECK(returned(folder.path(), &made) == 1);
  const fs::path library = library_of(made), trace = folder.path() / "trace";
  const std::string planted = fmt::format(
      "#include <cstdio>\n[[gnu::constructor]] static void leave() {{ std::fclose("
      "std::fopen(\"{}\", \"w\")); }}\nextern \"C\" int one() {{ return 2; }}",
      trace.string());
  const Folder elsewhere;
  const auto bad =
      Compiler({usual_compiler().programs, elsewhere.path()}).load(planted, {}, "one", {});
  REQUIRE(fs::remove(trace));  // it does
  const std::string bytes = tests::read_file(library_of(bad));
  const auto plant = [&] {
    fs::remove(library);
    tests::write_text(library, bytes);
  };
  SUBCASE("a file that others may write") {
    plant();
    REQUIRE(chmod(library.c_str(), 0666) == 0);
    CHECK(returned(folder.path()) == 1);
  }
  SUBCASE("a library that cannot be replaced") {
    // A folder in its place: what was compiled is run from memory, and nothing else.
    fs::remove(library);
    fs::create_directories(library / "in the way");
    CHECK(returned(folder.path()) == 1);
  }
  SUBCASE("a link to a file elsewhere") {
    fs::remove(library);
    fs::create_symlink(library_of(bad), library);
    CHECK(returned(folder.path()) == 1);
  }
  if (geteuid() == 0) {
    SUBCASE("a file of another user") {
      plant();
      REQUIRE(chown(library.c_str(), 65534, 65534) == 0);
      CHECK(returned(folder.path()) == 1);
    }
    SUBCASE("a folder of another user") {
      plant();
      REQUIRE(chown(folder.path().c_str(), 65534, 65534) == 0);
      CHECK(returned(folder.path(), &made) == 1);
      CHECK(made.source.parent_path() != folder.path());
      CHECK(contains(made.version, folder.path().string() + " belongs to another user"));
      // The note still names the file, which people can read.
      CHECK(source_named_in(source_note(made.version, made.source)) == made.source);
      CHECK(contains(read_source(made.source).text, "one()"));
    }
  }
  CHECK_FALSE(fs::exists(trace));
}

TEST_CASE("a file system without the right to execute serves, and a full one says what is wrong") {
  const Folder folder;
  const fs::path small = folder.path() / "small";
  fs::create_directory(small);
  if (mount("none", small.c_str(), "tmpfs", MS_NOEXEC | MS_NOSUID, "size=4m,mode=700") != 0) {
    std::printf("skipped: no file system can be mounted here\n");
    return;
  }
  Compiler::Result made;
  CHECK(returned(small, &made) == 1);
  CHECK(made.source.parent_path() == small);
  CHECK(fs::exists(library_of(made)));
  CHECK(returned(small) == 1);  // the one that was kept
  fs::remove(library_of(made));
  std::ofstream(small / "filler") << std::string(std::size_t{4} << 20, 'x');
  CHECK(contains(why_not_compiled({usual_compiler().programs, small}), "No space left on device"));
  CHECK(umount2(small.c_str(), MNT_DETACH) == 0);
}

TEST_CASE("what cannot be loaded says what the system says") {
  std::string why_not;
  CHECK(symbol_in("no library", "none.so", "one", why_not) == nullptr);
  CHECK(contains(why_not, "/proc/self/fd/"));
}
