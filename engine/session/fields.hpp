// One field of something that a session file holds: what it is called, how it is read, written and
// put into a table. Lists of fields drive the JSON reader, the JSON writer and the CSV. Private to
// the engine.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/session/json_reader.hpp"
#include "engine/session/session.hpp"

namespace engine {

using Json = nlohmann::ordered_json;

// What no machine exceeds, so that no quotient or product of values from a file overflows.
inline constexpr double max_count = 1e24;     // byte, FLOP, and each per second
inline constexpr double max_seconds = 1e9;    // 30 years
inline constexpr double min_seconds = 1e-12;  // less than a clock
inline constexpr double max_whole = 0x1p53;   // counts that a double holds exactly

/// `required`: a file without it is refused. `optional`: written, but may be missing. `rare`: only
/// written where there is something to write.
enum class Presence { required, optional, rare };

template <class Owner>
struct Field {
  std::string_view key;     ///< in JSON; empty: it follows from others
  std::string_view column;  ///< in CSV; empty: none
  std::string_view unit;    ///< empty: none
  Presence presence = Presence::optional;
  Json (*json)(const Owner&) = nullptr;
  void (*read)(const JsonReader&, Owner&) = nullptr;
  std::string (*cell)(const Owner&) = nullptr;
  /// Null in JSON, and not required, where this is false; it always applies without it.
  bool (*applies)(const Owner&) = nullptr;
};

// How a value of each type is written as JSON and as a cell, and read. Not finite and empty alike
// are null: JSON knows no infinity.
Json json_of(double);
Json json_of(bool);
Json json_of(std::uint64_t);
Json json_of(const std::string&);
Json json_of(const std::optional<double>&);
Json json_of(const std::optional<bool>&);
Json json_of(const std::vector<double>&);
Json json_of(const kernels::Shape&);
Json json_of(const kernels::Conditions&);
Json json_of(const Seconds&);

std::string cell_of(double);
std::string cell_of(bool);
std::string cell_of(std::uint64_t);
std::string cell_of(const std::string&);
std::string cell_of(const std::optional<double>&);
std::string cell_of(const std::optional<bool>&);

/// 0 (unknown) or at least 1 Hz: less would make every rate per clock absurd.
double read_clock(const JsonReader&);
void read_into(const JsonReader&, std::string&);
void read_into(const JsonReader&, bool&);
void read_into(const JsonReader&, std::optional<bool>&);
void read_into(const JsonReader&, kernels::Dtype&);
void read_into(const JsonReader&, kernels::Fusion&);
void read_into(const JsonReader&, kernels::Units&);
void read_into(const JsonReader&, kernels::Data&);
void read_into(const JsonReader&, kernels::By&);
void read_into(const JsonReader&, kernels::Ops&);
void read_into(const JsonReader&, kernels::Shape&);
void read_into(const JsonReader&, kernels::Conditions&);
void read_into(const JsonReader&, Seconds&);

/// Numbers have limits.
struct Range {
  double low = 0, high = max_count;
};

/// A field that `At`, [](auto& owner) -> auto&, finds; text, number, truth or one of the types
/// above.
template <class Owner, Range range = Range{}, class At>
constexpr Field<Owner> field(std::string_view key, std::string_view column, std::string_view unit,
                             Presence presence, At) {
  Field<Owner> field{key, column, unit, presence};
  field.json = [](const Owner& owner) {
    const auto& value = At{}(owner);
    if constexpr (requires { name_of(value); }) {
      return Json(name_of(value));
    } else if constexpr (requires {
                           text_of(value);
                           json_of(value);
                         }) {
      return json_of(value);
    } else if constexpr (requires { text_of(value); }) {
      return Json(text_of(value));
    } else {
      return json_of(value);
    }
  };
  field.cell = [](const Owner& owner) {
    const auto& value = At{}(owner);
    if constexpr (requires { name_of(value); }) {
      return cell_of(std::string(name_of(value)));
    } else if constexpr (requires { text_of(value); }) {
      return cell_of(text_of(value));
    } else if constexpr (requires { cell_of(value); }) {
      return cell_of(value);
    } else {
      return std::string();
    }
  };
  field.read = [](const JsonReader& json, Owner& owner) {
    auto& value = At{}(owner);
    using Value = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, std::optional<double>>) {
      value = json.number(range.low, range.high);
    } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
      value = json.numbers(range.low, range.high);
    } else if constexpr (std::is_same_v<Value, std::uint64_t> ||
                         std::is_same_v<Value, std::size_t>) {
      value = json.whole(static_cast<std::uint64_t>(range.low),
                         static_cast<std::uint64_t>(std::min(range.high, max_whole)));
    } else {
      read_into(json, value);
    }
  };
  return field;
}

/// The fields of an object, in their order.
template <class Owner>
Json object_of(std::span<const Field<Owner>> fields, const Owner& owner) {
  Json object = Json::object();
  for (const Field<Owner>& field : fields) {
    if (field.key.empty()) continue;
    const bool applies = field.applies == nullptr || field.applies(owner);
    Json value = applies ? field.json(owner) : Json(nullptr);
    if (field.presence == Presence::rare && value.is_null()) continue;
    object.emplace(std::string(field.key), std::move(value));
  }
  return object;
}

/// Reads them in their order, so that one may ask what those before it said. Throws BadInput.
template <class Owner>
void read_object(std::span<const Field<Owner>> fields, const JsonReader& json, Owner& owner) {
  for (const Field<Owner>& field : fields) {
    if (field.key.empty()) continue;
    if (field.presence == Presence::required) {
      if (field.applies == nullptr || field.applies(owner)) field.read(json.at(field.key), owner);
    } else if (const auto found = json.find(field.key)) {
      field.read(*found, owner);
    }
  }
}

/// The table of what a point has. A new field of a point is one row.
std::span<const Field<Point>> point_fields();

}  // namespace engine
