// Libraries that a compiler made of generated kernels: kept in a file, loaded from memory.
#pragma once

#include <filesystem>
#include <string>

namespace kernels::cpu {

/// The bytes that keep_library() wrote there. Empty where there is no such file, where it is
/// damaged, and where another user owns it or may write to it.
std::string kept_library(const std::filesystem::path&);

/// Writes the bytes and their SHA-256 to a file of its own, then renames it: whole or not at all,
/// whoever else does the same. What cannot be kept is compiled again the next time.
void keep_library(const std::filesystem::path&, const std::string& bytes);

/// Loads the bytes and finds `symbol`. They are loaded from memory alone, under `name`: what runs
/// is what was checked, and folders without the right to execute do not matter. Stays until the
/// process ends. Null: `why_not` says why.
void* symbol_in(const std::string& bytes, const std::string& name, const char* symbol,
                std::string& why_not);

}  // namespace kernels::cpu
