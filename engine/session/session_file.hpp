// Session files: JSON text <-> Session, written whole or not at all, read without trust. Format:
// version 1, SI units.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "engine/session/session.hpp"

namespace engine {

/// Bad input: `what()` says what is wrong, where (file, line or JSON path) and what was expected.
/// Exit code 2.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A file could not be written; `what()` names the file, the reason and a remedy. Exit code 1.
struct CannotWrite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string to_json(const Session&);
/// `source` names the text in messages (a path). Throws BadInput.
Session from_json(std::string_view text, const std::string& source);

/// Reads and checks a session. Throws BadInput (also when the file cannot be read).
Session load_session(const std::filesystem::path&);
/// Writes atomically (see write_file). Throws CannotWrite.
void save_session(const Session&, const std::filesystem::path&);

/// Points as CSV with a header row, one row per point, SI units. Text fields quoted per RFC 4180.
std::string to_csv(const Session&);
/// A point and the session that it is of.
struct CsvRow {
  const Session& session;
  const Point& point;
};
/// The same of any points.
std::string to_csv(std::span<const CsvRow>);
/// A cell of a table, in quotes as RFC 4180 has them, whatever the text holds.
std::string text_cell(std::string_view);
/// Shortest text that reads back as the same double.
std::string number_cell(double);

/// Whether to end a wait for the reader of a pipe; asked several times a second.
using GiveUp = std::function<bool()>;

/// Writes everything into a pipe or a device, as its reader makes room; 0 or the errno, EAGAIN
/// where `give_up` ended the wait.
int write_as_read(int descriptor, std::string_view bytes, const GiveUp& give_up);

/// Writes text: a temporary file in the same folder, flushed, then renamed over the target; a
/// target that exists and is no regular file (a pipe, /dev/stdout) is written directly, as fast as
/// it is read. Throws CannotWrite and leaves the old file.
void write_file(const std::filesystem::path&, std::string_view bytes, const GiveUp& give_up = {});

/// Throws CannotWrite when it is already clear that write_file must fail: no such folder, no
/// permission, no space, a folder in place of a file.
void check_writable(const std::filesystem::path&);

/// The file that write_file makes or replaces, whether it exists or not: links resolved, also those
/// that lead nowhere yet. Throws CannotWrite.
std::filesystem::path destination_of(const std::filesystem::path&);

/// False for a target that write_file writes directly (a pipe, a device, /dev/stdout): a second
/// write there comes after the first, so that a file "saved after every point" is to be written
/// once, at the end.
bool is_replaced_whole(const std::filesystem::path&);

}  // namespace engine
