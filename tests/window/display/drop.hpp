// Another program from which files are dragged onto the window. Knows nothing of the tests' screen:
// Xlib takes many names for itself.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// Drops them onto the one window of this display that takes drops, as a file manager does. Throws
/// std::runtime_error when nothing takes them within a minute.
void drop(const std::string& display, const std::vector<std::filesystem::path>& files);
