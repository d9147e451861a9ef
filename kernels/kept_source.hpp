// The texts of generated kernels, kept as files that people can read.
#pragma once

#include <filesystem>
#include <string>

namespace kernels {

/// The user's cache folder (XDG Base Directory Specification); empty where none is known.
std::filesystem::path usual_source_folder();

/// The file of a text: kernel-HASH, of all that decides what is made of it (`key`), and the
/// extension. In `folder`, which becomes a new one below /tmp where nothing can be written there.
std::filesystem::path source_file(std::filesystem::path& folder, const std::string& key,
                                  const std::string& extension);

/// Throws Unsupported where it cannot be written.
void write_source(const std::filesystem::path&, const std::string& text);

}  // namespace kernels
