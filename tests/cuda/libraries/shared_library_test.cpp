// Where libraries are found at run time, in folders that the test makes up.
#include "kernels/cuda/libraries/shared_library.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/cuda/libraries/library_folders.hpp"
#include "tests/files.hpp"

namespace fs = std::filesystem;
using namespace kernels::cuda;

namespace {

constexpr const char* made_up = "libridgepoint-made-up.so.7";

// A folder that is removed with everything in it; the variables that decide are set to nothing.
struct Machine {
  fs::path root = fs::temp_directory_path() / ("ridgepoint-libraries-" + std::to_string(getpid()));

  Machine() {
    fs::remove_all(root);
    for (const char* const name : {library_variable, "CUDA_HOME", "CUDA_PATH"}) unsetenv(name);
    setenv("PATH", (root / "venv/bin").c_str(), 1);
    setenv("HOME", root.c_str(), 1);
  }
  ~Machine() { fs::remove_all(root); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  fs::path folder(const std::string& name) const {
    fs::create_directories(root / name);
    return root / name;
  }
  // The file, and the folder that it is in.
  fs::path put(const std::string& name) const {
    const fs::path file = folder(name) / made_up;
    fs::copy_file(RIDGEPOINT_MADE_UP_LIBRARY, file, fs::copy_options::overwrite_existing);
    return file;
  }
  void put_python(const std::string& bin) const { tests::write_text(folder(bin) / "python3", ""); }
};

int answer_of(const SharedLibrary& library) {
  const auto answer = library.function<int (*)()>("answer");
  return answer == nullptr ? 0 : answer();
}

}  // namespace

TEST_CASE("a library is found in the wheel beside a Python on PATH, and says its file") {
  const Machine machine;
  machine.put_python("venv/bin");
  const fs::path file = machine.put("venv/lib/python3.12/site-packages/nvidia/cublas/lib");
  const SharedLibrary library({"libridgepoint-made-up.so.8", made_up});
  CHECK(library.is_open());
  CHECK(library.name() == made_up);
  CHECK(library.file() == file.string());
  CHECK(answer_of(library) == 42);
}

TEST_CASE("a toolkit comes before wheels, and the folder that the user names before both") {
  const Machine machine;
  machine.put_python("venv/bin");
  machine.put("venv/lib/python3.12/site-packages/nvidia/cublas/lib");
  const fs::path toolkit = machine.put("toolkit/lib64");
  setenv("CUDA_HOME", (machine.root / "toolkit").c_str(), 1);
  CHECK(SharedLibrary({made_up}).file() == toolkit.string());
  const fs::path named = machine.put("mine");
  setenv(library_variable, ("/nowhere:" + (machine.root / "mine").string()).c_str(), 1);
  CHECK(SharedLibrary({made_up}).file() == named.string());
  unsetenv("CUDA_HOME");
  unsetenv(library_variable);
}

TEST_CASE("the name that comes first is preferred wherever it lies; a driver of 12 prefers 12") {
  const Machine machine;
  machine.put_python("venv/bin");
  const std::string wheels = "venv/lib/python3.12/site-packages/nvidia/";
  const fs::path older = machine.put(wheels + "cublas/lib");
  fs::copy_file(older, machine.folder(wheels + "a13/lib") / "libridgepoint-made-up.so.8");
  CHECK(SharedLibrary({made_up, "libridgepoint-made-up.so.8"}).file() == older.string());
  CHECK(SharedLibrary({"libridgepoint-made-up.so.8", made_up}).name() ==
        "libridgepoint-made-up.so.8");

  using Names = std::vector<std::string>;
  CHECK(names_for_driver("libnvrtc", 12080) == Names{"libnvrtc.so.12", "libnvrtc.so.13"});
  for (const int version : {0, 13000, 13020, 14000})
    CHECK(names_for_driver("libnvrtc", version) == Names{"libnvrtc.so.13", "libnvrtc.so.12"});
}

TEST_CASE("a file that is no library is passed over") {
  const Machine machine;
  machine.put_python("venv/bin");
  const fs::path wheel = machine.put("venv/lib/python3.12/site-packages/nvidia/cublas/lib");
  tests::write_text(machine.folder("mine") / made_up, "no library");
  setenv(library_variable, (machine.root / "mine").c_str(), 1);
  CHECK(SharedLibrary({made_up}).file() == wheel.string());
  unsetenv(library_variable);
}

TEST_CASE(
    "a library that others may write to is passed over by name, and so is one in their folder") {
  const Machine machine;
  const fs::path file = machine.put("mine"), folder = file.parent_path();
  setenv(library_variable, folder.c_str(), 1);
  for (const fs::path& open_to_all : {file, folder}) {
    fs::permissions(open_to_all, fs::perms::others_write, fs::perm_options::add);
    const SharedLibrary library({made_up});
    CHECK_FALSE(library.is_open());
    CHECK(library.passed_over() == "; " + file.string() +
                                       " was passed over, because others may write to " +
                                       open_to_all.string());
    fs::permissions(open_to_all, fs::perms::others_write, fs::perm_options::remove);
  }
  const SharedLibrary library({made_up});
  CHECK(library.is_open());
  CHECK(library.passed_over().empty());
  unsetenv(library_variable);
}

TEST_CASE("a library that is nowhere is not open and has no file") {
  const Machine machine;
  const SharedLibrary library({made_up});
  CHECK_FALSE(library.is_open());
  CHECK(library.file() == "");
  CHECK(answer_of(library) == 0);
}

TEST_CASE(
    "toolkits, WSL, pip, conda, Debian and PyTorch have known folders; missing ones are left out") {
  const Machine machine;
  const std::string wheels = "lib/python3.11/site-packages/";
  machine.put_python("conda/bin");
  machine.put_python("usr/bin");
  const std::vector<fs::path> expected{
      machine.folder("home/lib64"),
      machine.folder("path/lib"),
      machine.folder("usr/local/cuda/lib64"),
      machine.folder("usr/lib/wsl/lib"),
      machine.folder("conda/" + wheels + "nvidia/cu13/lib"),
      machine.folder("conda/" + wheels + "nvidia/cuda_nvrtc/lib"),
      machine.folder("conda/" + wheels + "torch/lib"),
      machine.folder("conda/lib"),
      machine.folder("usr/local/lib/python3.11/dist-packages/nvidia/cublas/lib"),
      machine.folder("me/.local/" + wheels + "nvidia/cublas/lib"),
  };
  machine.folder("conda/conda-meta");
  machine.folder("none/bin");
  machine.folder("none/" + wheels + "nvidia/cublas/lib");
  const auto in = [&](const char* name) { return (machine.root / name).string(); };
  CHECK(further_folders({.named = in("mine"),
                         .cuda_home = in("home"),
                         .cuda_path = in("path"),
                         .path = in("none/bin") + "::" + in("conda/bin") + ":" + in("usr/bin"),
                         .home = in("me"),
                         .root = machine.root.string()}) == expected);
}
