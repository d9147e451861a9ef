// The texts of generated kernels, kept as files that people can read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kernels {

/// The user's cache folder (XDG Base Directory Specification); empty where none is known.
std::filesystem::path usual_source_folder();

/// Makes the folder, for this user alone. Empty where it can be written and no other user can do so;
/// else why not: "others own /scratch/cache". What lies there may be loaded and run.
std::string why_not_private(const std::filesystem::path&);

/// The file of a text: kernel-HASH, of all that decides what is made of it (`key`), and the
/// extension. In `folder`, which becomes a new one below /tmp where why_not_private() says something.
std::filesystem::path source_file(std::filesystem::path& folder, const std::string& key,
                                  const std::string& extension);

/// Whole or not at all, whoever else writes it. Throws Unsupported where it cannot be written.
void write_source(const std::filesystem::path&, const std::string& text);

/// How the note of a kernel says where it came from, and the file that a note names; empty: none.
std::string source_note(std::string_view compiler, const std::filesystem::path&);
std::filesystem::path source_named_in(std::string_view note);

/// The text of a generated kernel, or why it cannot be read, in a sentence.
struct KeptSource {
  std::string text, why_not;
};
/// What a note names may come from any session file: reads only files that source_file() names, in
/// the folders that it takes.
KeptSource read_source(const std::filesystem::path&);

}  // namespace kernels
