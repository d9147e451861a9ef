#include "engine/session/json_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>

#include "engine/session/session_file.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

constexpr std::size_t max_bytes = std::size_t{256} << 20;
constexpr std::size_t max_depth = 64;                    // a session needs 5
constexpr std::size_t max_document_values = 16'000'000;  // bounds memory to about 1 GB
// What is written fits what is read even when every byte becomes an escape of four.
constexpr std::size_t max_written_text = 4000;

/// "line 3, column 14" of the byte at `offset`.
std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const auto newline = before.rfind('\n');
  const std::size_t column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1);
  return fmt::format("line {}, column {}", line, column + 1);
}

std::string shown(const nlohmann::json& value) {
  constexpr std::size_t longest = 40;
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  const std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return units::printable(units::shortened(text, longest));
}

/// Where the parser reads. It tells how far that is: no event does.
struct Cursor {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** furthest;

  const char& operator*() const { return *at; }
  Cursor& operator++() {
    *furthest = ++at;
    return *this;
  }
  bool operator==(const Cursor& other) const { return at == other.at; }
};

/// The events of the parser as a document: within the limits, and with no member twice in an
/// object. Throws BadInput, and what the library has against the text.
class Document {
 public:
  Document(std::string_view text, const std::string& source) : text_(text), source_(source) {
    nlohmann::json::sax_parse(Cursor{text.data(), &read_},
                              Cursor{text.data() + text.size(), &read_}, this);
  }
  nlohmann::json take() { return std::move(root_); }

  bool null() { return add(nullptr) != nullptr; }
  bool boolean(bool value) { return add(value) != nullptr; }
  bool number_integer(std::int64_t value) { return add(value) != nullptr; }
  bool number_unsigned(std::uint64_t value) { return add(value) != nullptr; }
  bool number_float(double value, const std::string&) { return add(value) != nullptr; }
  bool string(std::string& value) { return add(std::move(value)) != nullptr; }
  bool binary(nlohmann::json::binary_t&) { return false; }  // no text has any
  bool start_object(std::size_t) { return open(nlohmann::json::object()); }
  bool start_array(std::size_t) { return open(nlohmann::json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    auto& members = open_.back()->get_ref<nlohmann::json::object_t&>();
    const auto [member, is_new] = members.try_emplace(name);
    if (!is_new)
      fail(begin_of_text(),
           fmt::format("{} appears twice; expected each member of an object once", shown(name)));
    member_ = &member->second;
    return true;
  }
  template <class Problem>
  bool parse_error(std::size_t, const std::string&, const Problem& problem) {
    throw problem;
  }

 private:
  nlohmann::json* add(nlohmann::json value) {
    if (++values_ > max_document_values)
      fail_at_limit(fmt::format("{} values", max_document_values));
    nlohmann::json* place = member_;
    if (open_.empty()) {
      place = &root_;
    } else if (open_.back()->is_array()) {
      place = &open_.back()->get_ref<nlohmann::json::array_t&>().emplace_back();
    }
    *place = std::move(value);
    return place;
  }
  bool open(nlohmann::json empty) {
    if (open_.size() == max_depth) fail_at_limit(fmt::format("{} levels deep", max_depth));
    open_.push_back(add(std::move(empty)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  /// Of what was read last, its closing quote: within a text, quotes stand behind a backslash.
  std::size_t begin_of_text() const {
    std::size_t at = offset();
    bool escaped = true;
    while (escaped) {
      at = text_.rfind('"', at - 1);
      const std::size_t before = text_.find_last_not_of('\\', at - 1);
      escaped = (at - before) % 2 == 0;
    }
    return at;
  }
  std::size_t offset() const { return static_cast<std::size_t>(read_ - text_.data()) - 1; }
  [[noreturn]] void fail(std::size_t at, const std::string& why) const {
    throw BadInput(fmt::format("{}: {}: {}", source_, line_and_column(text_, at), why));
  }
  [[noreturn]] void fail_at_limit(const std::string& limit) const {
    fail(offset(), fmt::format("more than {}; expected a session file", limit));
  }

  std::string_view text_;
  const std::string& source_;
  const char* read_ = text_.data();
  nlohmann::json root_;
  std::vector<nlohmann::json*> open_;  // the objects and arrays around this place
  nlohmann::json* member_ = nullptr;   // of the innermost object: the one whose value comes next
  std::size_t values_ = 0;
};

/// What the library says went wrong, without its prefix: "[json.exception.parse_error.101] parse
/// error at line 1, column 1: syntax error while parsing value - invalid literal; last read:
/// '\x01'".
std::string reason_in(std::string_view message) {
  const auto column = message.find(", column ");
  const auto colon = message.find(": ", column == std::string_view::npos ? 0 : column);
  return units::printable(colon == std::string_view::npos ? message : message.substr(colon + 2));
}

/// False for text that no object or array begins, so that an endless device is not read to its end.
bool may_be_json(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || text[first] == '{' || text[first] == '[';
}

/// What is wrong with text that does not parse, and what was expected.
std::string why_no_json(std::string_view text, std::string_view expected,
                        const nlohmann::json::parse_error& error) {
  if (!may_be_json(text)) return fmt::format("this is not JSON; expected {}", expected);
  if (error.byte > text.size()) {
    return fmt::format("the file ends too early; expected the rest of {}: copy it again", expected);
  }
  return reason_in(error.what()) + "; expected JSON";
}

/// Appends what is there; 0 or the errno.
int read_all(int descriptor, std::string& text) {
  std::array<char, 65536> buffer;
  while (text.size() <= max_bytes) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got == 0) return 0;
    if (got < 0 && errno != EINTR) return errno;
    const bool first = text.empty();
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    if (first && !may_be_json(text)) return 0;
  }
  return 0;
}

}  // namespace

std::string read_json_file(const std::filesystem::path& path) {
  std::string text;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  int error = descriptor < 0 ? errno : 0;
  struct stat status {};
  if (error == 0 && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      static_cast<std::uintmax_t>(status.st_size) > max_bytes) {
    error = EFBIG;
  }
  if (error == 0) error = read_all(descriptor, text);
  if (descriptor >= 0) ::close(descriptor);
  if (error != 0) {
    const char* reason = error == EFBIG ? "larger than 256 MiB" : std::strerror(error);
    throw BadInput(fmt::format("cannot read {}: {}; expected a JSON file", path.string(), reason));
  }
  return text;
}

std::string storable(const std::string& text) {
  return units::printable(units::shortened(text, max_written_text));
}

nlohmann::json parse_json(std::string_view text, const std::string& source,
                          std::string_view expected) {
  if (text.size() > max_bytes)
    throw BadInput(fmt::format("{}: larger than 256 MiB; expected a session file", source));
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw BadInput(fmt::format("{}: line 1: the file is empty; expected {}", source, expected));
  }
  try {
    return Document(text, source).take();
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    throw BadInput(fmt::format("{}: {}: {}", source, line_and_column(text, offset),
                               why_no_json(text, expected, error)));
  } catch (const nlohmann::json::exception& error) {  // a number beyond 1.8e308
    throw BadInput(fmt::format("{}: {}; expected finite numbers", source, reason_in(error.what())));
  }
}

void JsonReader::fail(std::string_view expected) const {
  throw BadInput(fmt::format("{}: {} is {}; expected {}", *source_,
                             place_.empty() ? "the document" : place_, shown(*value_), expected));
}

const nlohmann::json& JsonReader::object() const {
  if (!value_->is_object()) fail("an object");
  return *value_;
}

JsonReader JsonReader::at(std::string_view key) const {
  const auto found = object().find(key);
  std::string place = place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key);
  if (found == value_->end()) {
    throw BadInput(fmt::format("{}: {} is missing", *source_, place));
  }
  return {*found, *source_, std::move(place)};
}

std::optional<JsonReader> JsonReader::find(std::string_view key) const {
  const auto found = object().find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return at(key);
}

std::vector<JsonReader> JsonReader::items(std::size_t most) const {
  if (!value_->is_array()) fail("an array");
  if (value_->size() > most) fail(fmt::format("an array of at most {}", most));
  std::vector<JsonReader> all;
  all.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    all.push_back({(*value_)[i], *source_, fmt::format("{}[{}]", place_, i)});
  }
  return all;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members(std::size_t most) const {
  if (object().size() > most) fail(fmt::format("an object of at most {} members", most));
  std::vector<std::pair<std::string, JsonReader>> all;
  for (const auto& [name, value] : value_->items()) {
    std::string safe = storable(name);
    JsonReader reader{value, *source_, fmt::format("{}.{}", place_, safe)};
    all.emplace_back(std::move(safe), std::move(reader));
  }
  return all;
}

std::string JsonReader::text() const {
  if (!value_->is_string()) fail("text");
  const std::string text = value_->get<std::string>();
  if (text.size() > max_text) fail(fmt::format("text of at most {} bytes", max_text));
  return units::printable(text);
}

double JsonReader::number(double low, double high) const {
  const double number = value_->is_number() ? value_->get<double>() : std::nan("");
  if (!(number >= low && number <= high)) fail(fmt::format("a number from {} to {}", low, high));
  return number;
}

std::vector<double> JsonReader::numbers(double low, double high) const {
  if (!value_->is_array()) fail("an array of numbers");
  std::vector<double> all;
  all.reserve(value_->size());
  // Places are spelled out only for the one that is wrong: there can be millions.
  for (const auto& item : *value_) {
    const double number = item.is_number() ? item.get<double>() : std::nan("");
    if (!(number >= low && number <= high))
      items(max_document_values)[all.size()].number(low, high);
    all.push_back(number);
  }
  return all;
}

std::uint64_t JsonReader::whole(std::uint64_t low, std::uint64_t high) const {
  const double number = value_->is_number() ? value_->get<double>() : -1;
  const auto whole = value_->is_number_unsigned() ? value_->get<std::uint64_t>()
                     : number >= 0 && number < 0x1p53 && number == std::floor(number)
                         ? static_cast<std::uint64_t>(number)
                         : ~std::uint64_t{0};
  if (whole < low || whole > high) fail(fmt::format("a whole number from {} to {}", low, high));
  return whole;
}

bool JsonReader::boolean() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

}  // namespace engine
