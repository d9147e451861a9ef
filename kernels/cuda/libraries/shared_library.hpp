// Libraries that are found at run time, because they are not on every machine; and where NVIDIA's
// lie when the loader does not know them: toolkits, and the wheels of pip and conda. Plain C++.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kernels::cuda {

/// Set by the user: folders of libraries, separated by colons, that come before all others.
inline constexpr const char* library_variable = "RIDGEPOINT_CUDA_LIBRARIES";

/// The names of a library of CUDA 12 and 13, "libnvrtc.so.13", that of the driver's version (13000
/// is 13.0; 0: unknown) first: a driver need not run what a newer library makes or asks for.
std::vector<std::string> names_for_driver(const std::string& library, int driver_version);

/// What decides where libraries may lie: variables of the environment, empty where unset.
struct LibrarySurroundings {
  std::string named;       ///< RIDGEPOINT_CUDA_LIBRARIES
  std::string cuda_home;   ///< CUDA_HOME
  std::string cuda_path;   ///< CUDA_PATH, what some toolkits set instead
  std::string path;        ///< PATH
  std::string home;        ///< HOME, for what `pip install --user` installs
  std::string root = "/";  ///< where /usr/local/cuda is looked for
};
LibrarySurroundings library_surroundings();

/// The folders that the user named, the first first; those that do not exist are left out, as
/// below.
std::vector<std::filesystem::path> named_folders(const LibrarySurroundings&);

/// Folders for a library that the loader does not find, in this order: CUDA_HOME, CUDA_PATH,
/// /usr/local/cuda, the driver's folder of WSL, and for each Python on PATH the wheels beside it.
std::vector<std::filesystem::path> further_folders(const LibrarySurroundings&);

class SharedLibrary {
 public:
  /// Loads the first of `names` that there is in the folders that the user named, else that the
  /// loader knows or that lies where toolkits and wheels put it (further_folders). Never
  /// throws: is_open() says whether there was one. What others may write to is passed over: they
  /// could have it run anything.
  explicit SharedLibrary(const std::vector<std::string>& names);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  bool is_open() const { return handle_ != nullptr; }
  /// The name it was found by.
  const std::string& name() const { return name_; }
  /// The path of the file that was loaded; empty without one.
  const std::string& file() const { return file_; }
  /// "; FILE was passed over: ..." after the sentence that there is none; empty where none was.
  const std::string& passed_over() const { return passed_over_; }

  /// A function of the library; nullptr where it has none of that name.
  template <class Function>
  Function function(const char* symbol) const {
    return reinterpret_cast<Function>(address(symbol));
  }
  /// Sets it to the function of that name; false where the library has none.
  template <class Function>
  bool find(const char* symbol, Function& found) const {
    found = function<Function>(symbol);
    return found != nullptr;
  }

 private:
  bool open(const std::string& path, const std::string& name);
  void* address(const char* symbol) const;

  void* handle_ = nullptr;
  std::string name_;
  std::string file_;
  std::string passed_over_;
};

}  // namespace kernels::cuda
