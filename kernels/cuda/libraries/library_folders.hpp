// Where NVIDIA's libraries lie when the loader does not know them: toolkits, and the wheels of pip
// and conda. Plain C++: knows folders, not CUDA.
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

}  // namespace kernels::cuda
