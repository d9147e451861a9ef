// JSON that nobody vouches for: parsed within limits, and read with a sentence for everything that
// is not as expected.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine {

/// The text of a file, or as much of it as shows that it is no JSON. Throws BadInput when it cannot
/// be read.
std::string read_json_file(const std::filesystem::path&);

/// Parses text of at most 256 MiB, 64 levels and 16 million values, with no member twice in an
/// object. Throws BadInput with `source`, line and column, and with what was expected: "a session".
nlohmann::json parse_json(std::string_view text, const std::string& source,
                          std::string_view expected);

/// A value in a document together with its place, for messages. Every getter throws BadInput when
/// the value is not what it asks for: "a.json: points[3].seconds.median is -1; expected a number
/// from 1e-12 to 1e+09".
class JsonReader {
 public:
  JsonReader(const nlohmann::json& value, const std::string& source)
      : value_(&value), source_(&source) {}

  /// Member of an object that must be there.
  JsonReader at(std::string_view key) const;
  /// Member that may be missing or null.
  std::optional<JsonReader> find(std::string_view key) const;
  /// Elements of an array of at most `most`.
  std::vector<JsonReader> items(std::size_t most = 1000) const;

  /// Members of an object of at most `most`, by name; the names are safe to print.
  std::vector<std::pair<std::string, JsonReader>> members(std::size_t most) const;

  /// Text of at most 16 KiB, printable: a terminal must not obey a file.
  std::string text() const;
  double number(double low, double high) const;
  /// An array of numbers.
  std::vector<double> numbers(double low, double high) const;
  std::uint64_t whole(std::uint64_t low, std::uint64_t high) const;
  bool boolean() const;
  /// What `parse` makes of the text; `expected` lists the choices for the message.
  template <typename T>
  T choice(std::optional<T> (*parse)(std::string_view), std::string_view expected) const {
    const std::optional<T> chosen = parse(text());
    if (!chosen) fail(expected);
    return *chosen;
  }

  [[noreturn]] void fail(std::string_view expected) const;

 private:
  JsonReader(const nlohmann::json& value, const std::string& source, std::string place)
      : value_(&value), source_(&source), place_(std::move(place)) {}
  const nlohmann::json& object() const;

  const nlohmann::json* value_;
  const std::string* source_;
  std::string place_;  // "points[3].seconds"; empty for the document
};

/// Text as files hold it: harmless to a terminal, and 4 kB must do.
std::string storable(const std::string& text);
/// Bytes of the longest text that is read.
inline constexpr std::size_t max_text = 16384;

}  // namespace engine
