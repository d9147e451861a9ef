#include "kernels/kept/own_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "kernels/device.hpp"

namespace kernels {
namespace {

namespace fs = std::filesystem;

/// Empty where the variable names no absolute path: others depend on where the program started.
fs::path folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  const fs::path folder = value != nullptr ? fs::path(value) : fs::path();
  return folder.is_absolute() ? folder : fs::path();
}

std::string error_text(int error) { return std::generic_category().message(error); }

/// A group whose number is that of its user is mostly this user alone (pam_umask(8), "usergroups").
bool writable_by_others(const struct stat& found) {
  const bool group =
      (found.st_mode & S_IWGRP) != 0 && found.st_gid != 0 && found.st_gid != found.st_uid;
  return group || (found.st_mode & S_IWOTH) != 0;
}

/// As the XDG specification makes its folders.
void make_folders(const fs::path& folder) {
  if (folder.has_relative_path()) make_folders(folder.parent_path());
  mkdir(folder.c_str(), S_IRWXU);
}

/// Why others could put something else there. `system`: whoever owns the top of the file system,
/// root or, where a container shows no root, somebody unknown.
std::string why_not_safe(const fs::path& folder, bool last, uid_t system) {
  struct stat found {};
  if (stat(folder.c_str(), &found) != 0)
    return fmt::format("{} cannot be read: {}", folder.string(), error_text(errno));
  const bool ours = found.st_uid == geteuid();
  if (!ours && (last || (found.st_uid != 0 && found.st_uid != system)))
    return fmt::format("{} belongs to another user", folder.string());
  // In a sticky folder nobody renames what others own.
  const bool sticky = !last && (found.st_mode & S_ISVTX) != 0;
  if (writable_by_others(found) && !sticky)
    return fmt::format("others may write to {}", folder.string());
  constexpr mode_t by_group = S_IWGRP;
  if (last && (found.st_mode & by_group) != 0)
    chmod(folder.c_str(), found.st_mode & 07777 & ~by_group);
  return {};
}

}  // namespace

fs::path user_folder(const char* variable, const char* below_home) {
  if (const fs::path named = folder_in(variable); !named.empty()) return named / "ridgepoint";
  if (const fs::path home = folder_in("HOME"); !home.empty())
    return home / below_home / "ridgepoint";
  return {};
}

fs::path cache_folder() { return user_folder("XDG_CACHE_HOME", ".cache"); }

bool others_may_write(const fs::path& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && writable_by_others(found);
}

bool is_ours(const fs::path& file) {
  struct stat found {};
  return lstat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
         !writable_by_others(found);
}

std::string why_not_private(const fs::path& folder) {
  if (folder.empty()) return "no cache folder is known (XDG_CACHE_HOME, HOME)";
  make_folders(folder.parent_path());
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return fmt::format("{} cannot be made: {}", folder.string(), error_text(errno));
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error) return fmt::format("{} cannot be read: {}", folder.string(), error.message());
  if (!fs::is_directory(real, error)) return fmt::format("{} is no folder", folder.string());
  struct stat top {};
  const uid_t system = stat("/", &top) == 0 ? top.st_uid : 0;
  for (fs::path part = real;; part = part.parent_path()) {
    if (std::string why = why_not_safe(part, part == real, system); !why.empty()) return why;
    if (part == part.root_path()) break;
  }
  if (access(real.c_str(), W_OK | X_OK) != 0)
    return fmt::format("{} cannot be written: {}", folder.string(), error_text(errno));
  return {};
}

std::vector<fs::path> further_folders() {
  std::vector<fs::path> folders;
  if (const fs::path run = folder_in("XDG_RUNTIME_DIR"); !run.empty())
    folders.push_back(run / "ridgepoint");
  const std::string name = fmt::format("ridgepoint-{}", geteuid());
  if (const fs::path temporary = folder_in("TMPDIR"); !temporary.empty())
    folders.push_back(temporary / name);
  folders.push_back(fs::path("/tmp") / name);
  return folders;
}

OwnFolder own_folder(const fs::path& wanted) {
  const std::string why = why_not_private(wanted);
  if (why.empty()) return {fs::canonical(wanted), {}};
  for (const fs::path& folder : further_folders())
    if (why_not_private(folder).empty()) return {fs::canonical(folder), why};
  throw Unsupported(fmt::format(
      "nothing can be kept between runs: {}; name a folder of your own in XDG_CACHE_HOME", why));
}

std::string elsewhere(const OwnFolder& folder) {
  if (folder.why_elsewhere.empty()) return {};
  return fmt::format(" (kept in {}, because {})", folder.path.string(), folder.why_elsewhere);
}

int open_beside(const fs::path& file, fs::path& fresh) {
  std::string name = file.string() + ".XXXXXX";
  const int opened = mkostemp(name.data(), O_CLOEXEC);
  fresh = name;
  return opened;
}

bool write_all(int to, std::string_view bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = write(to, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return true;
}

std::string replace_file(const fs::path& file, const std::string& bytes) {
  fs::path fresh;
  const int to = open_beside(file, fresh);
  if (to < 0) return error_text(errno);
  std::string why;
  if (!write_all(to, bytes)) why = error_text(errno);
  if (close(to) != 0 && why.empty()) why = error_text(errno);
  if (why.empty() && rename(fresh.c_str(), file.c_str()) != 0) why = error_text(errno);
  if (!why.empty()) unlink(fresh.c_str());
  return why;
}

}  // namespace kernels
