// The texts of generated kernels, kept as files that people can read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kernels {

/// The file of a text: kernel-HASH, of all that decides what is made of it (`key`), and the
/// extension.
std::filesystem::path source_file(const std::filesystem::path& folder, const std::string& key,
                                  const std::string& extension);

/// Whole or not at all, whoever else writes it. Throws Unsupported where it cannot be written.
void write_source(const std::filesystem::path&, const std::string& text);

/// How the note of a kernel says where it came from, and the file that a note names; empty: none.
/// `compiler`: what it says of itself, and why the file is not in the cache folder.
std::string source_note(std::string_view compiler, const std::filesystem::path&);
std::filesystem::path source_named_in(std::string_view note);

/// The text of a generated kernel, or why it cannot be read, in a sentence.
struct KeptSource {
  std::string text, why_not;
};
/// What a note names may come from any session file: reads only files that source_file() names, in
/// the folders where own_folder() puts them.
KeptSource read_source(const std::filesystem::path&);

}  // namespace kernels
