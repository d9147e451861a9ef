// Folders of the user. In a private one (why_not_private(), own_folder()) nobody but this user and
// root can change what lies there, since some of it is loaded and run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kernels {

/// "ridgepoint" in the folder that the environment's `variable` names, else in `below_home` of the
/// home folder; empty where neither is an absolute path: the XDG Base Directory Specification tells
/// programs to ignore relative ones.
std::filesystem::path user_folder(const char* variable, const char* below_home);

/// The user's cache folder: XDG_CACHE_HOME, or ~/.cache.
std::filesystem::path cache_folder();

/// Others than its owner, root and the owner's own group may write to this file or folder.
bool others_may_write(const std::filesystem::path&);

/// A file of this user that others may not write to; no link.
bool is_ours(const std::filesystem::path&);

/// Makes the folder, for this user alone. Empty where it can be written, and where no other user
/// can change it or a folder above it; else why not: "/scratch/cache belongs to another user".
std::string why_not_private(const std::filesystem::path&);

struct OwnFolder {
  std::filesystem::path path;
  std::string why_elsewhere;  ///< why it is not the one that was wanted; mostly empty
};
/// `wanted`, or the first of further_folders() that is private, without links. Throws Unsupported
/// where none is.
OwnFolder own_folder(const std::filesystem::path& wanted);

/// " (kept in /tmp/ridgepoint-0, because /cache belongs to another user)"; empty where it is the
/// wanted one.
std::string elsewhere(const OwnFolder&);

/// Where things are kept when the cache folder does not serve: below XDG_RUNTIME_DIR, TMPDIR, /tmp.
std::vector<std::filesystem::path> further_folders();

/// Makes an empty file of a name that nobody has, beside `file` and called after it, for this user
/// alone; its descriptor, and its path in `fresh`. -1: errno says why.
int open_beside(const std::filesystem::path& file, std::filesystem::path& fresh);

/// False: errno says why.
bool write_all(int descriptor, std::string_view bytes);

/// The same, of bytes, which then takes the place of `file`: whole or not at all, whoever else does
/// the same. Empty, or what the system says.
std::string replace_file(const std::filesystem::path& file, const std::string& bytes);

}  // namespace kernels
