// The windows that lie over the others: which are open, and what was entered in them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "ui/actions/file_dialog.hpp"

namespace ui {

/// Commands by name: what is typed, and which of the matches Enter runs.
struct Palette {
  std::string typed;
  std::size_t selected = 0;
};

/// Before the window closes: what becomes of measurements that nobody saved.
enum class CloseAnswer : std::uint8_t { save, discard, cancel };

/// What the very first start points out.
enum class Hint : std::uint8_t { drag, toggle, click };

struct Dialogs {
  std::optional<FileDialog> file;
  ExportOptions exporting;
  std::uint64_t pictures = 0;            ///< numbers given to pictures
  std::optional<std::uint64_t> drawing;  ///< the picture that the dialog waits for
  std::optional<Palette> palette;
  bool help = false;                   ///< the list of keys is open
  bool log = false;                    ///< the list of notices is open
  std::set<Hint> hints{};              ///< still to be given
  std::optional<CloseAnswer> closing;  ///< the question is open; the answer that Enter gives
  bool ask_before_closing = true;      ///< a setting: whether there is such a question
};

}  // namespace ui
