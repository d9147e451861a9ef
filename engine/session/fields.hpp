// One field of something that a session file holds: what it is called, how it is read, written and
// put into a table. Lists of fields drive the JSON reader, the JSON writer and the CSV. Private to
// the engine.
#pragma once

#include <algorithm>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "engine/session/json_reader.hpp"
#include "engine/session/session.hpp"
#include "engine/session/session_names.hpp"

namespace engine {

using Json = nlohmann::ordered_json;

// What no machine exceeds, so that no quotient or product of values from a file overflows.
inline constexpr double max_count = 1e24;     // byte, FLOP, and each per second
inline constexpr double max_seconds = 1e9;    // 30 years
inline constexpr double min_seconds = 1e-12;  // less than a clock
inline constexpr double max_whole = 0x1p53;   // counts that a double holds exactly

/// `required`: a file without it is refused. `optional`: written, but may be missing. `rare`: only
/// written where it is not as usual.
enum class Presence { required, optional, rare };

template <class Owner>
struct Field {
  std::string_view key;     ///< in JSON; empty: it follows from others
  std::string_view column;  ///< in CSV; empty: none
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
Json json_of(std::integral auto value) { return value; }
Json json_of(const std::string&);
Json json_of(const std::vector<double>&);
inline Json json_of(const std::vector<std::string>& names) { return names; }
inline Json json_of(const kernels::Ops& ops) { return text_of(ops); }
Json json_of(const kernels::Shape&);
Json json_of(const kernels::Conditions&);
Json json_of(const Seconds&);
template <class Named>
requires requires(const Named& one) { name_of(one); }
Json json_of(const Named& one) { return name_of(one); }
template <class Value>
Json json_of(const std::optional<Value>& value) {
  return value ? json_of(*value) : Json(nullptr);
}

std::string cell_of(double);
std::string cell_of(bool);
std::string cell_of(std::uint64_t);
std::string cell_of(std::string_view);
inline std::string cell_of(std::optional<double> value) { return value ? cell_of(*value) : ""; }
inline std::string cell_of(std::optional<bool> value) { return value ? cell_of(*value) : ""; }

/// 0 (unknown) or at least 1 Hz: less would make every rate per clock absurd.
double read_clock(const JsonReader&);
void read_into(const JsonReader&, std::string&);
void read_into(const JsonReader&, std::vector<std::string>&);
void read_into(const JsonReader&, bool&);
void read_into(const JsonReader&, kernels::Dtype&);
void read_into(const JsonReader&, kernels::Shape&);
void read_into(const JsonReader&, kernels::Conditions&);
void read_into(const JsonReader&, Seconds&);

/// A word of a few: who knows it, and the choices for the message.
template <class Value>
struct Choice {
  std::optional<Value> (*named)(std::string_view);
  std::string_view expected;
};
template <class Value>  // which Clang 16 does not deduce by itself
Choice(std::optional<Value> (*)(std::string_view), std::string_view)->Choice<Value>;
inline constexpr std::tuple choices{
    Choice{kernels::fusion_named, "\"fused\" or \"unfused\""},
    Choice{kernels::units_named, "\"vector\" or \"matrix\""},
    Choice{kernels::data_named, "\"random\" or \"zeros\""},
    Choice{kernels::by_named, "\"own\", \"library\" or \"generated\""},
    Choice{kernels::launched_named, "\"threads\", \"stream\" or \"graph\""},
    Choice{kernels::ops_named, "an op such as \"mul\", \"add\" or \"fma\""},
};
template <class Value>
void read_into(const JsonReader& json, Value& value) {
  const auto& choice = std::get<Choice<Value>>(choices);
  value = json.choice(choice.named, choice.expected);
}
template <class Value>
void read_into(const JsonReader& json, std::optional<Value>& value) {
  read_into(json, value.emplace());
}

/// Numbers have limits.
struct Range {
  double low = 0, high = max_count;
};

/// A field that `At`, [](auto& owner) -> auto&, finds; text, number, truth or one of the types
/// above.
template <class Owner, Range range = Range{}, class At>
constexpr Field<Owner> field(std::string_view key, std::string_view column, Presence presence, At) {
  Field<Owner> field{key, column, presence};
  field.json = [](const Owner& owner) { return json_of(At{}(owner)); };
  field.cell = [](const Owner& owner) {
    const auto& value = At{}(owner);
    if constexpr (requires { name_of(value); }) {
      return cell_of(name_of(value));
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
    } else if constexpr (std::is_same_v<Value, std::uint64_t> || std::is_same_v<Value, int>) {
      constexpr auto most = static_cast<double>(std::numeric_limits<Value>::max());
      value = static_cast<Value>(
          json.whole(static_cast<std::uint64_t>(range.low),
                     static_cast<std::uint64_t>(std::min({range.high, max_whole, most}))));
    } else {
      read_into(json, value);
    }
  };
  return field;
}

/// One that applies only to some.
template <class Owner>
constexpr Field<Owner> only_if(bool (*applies)(const Owner&), Field<Owner> field) {
  field.applies = applies;
  return field;
}

/// One that is read otherwise.
template <class Owner>
constexpr Field<Owner> read_as(void (*read)(const JsonReader&, Owner&), Field<Owner> field) {
  field.read = read;
  return field;
}

/// What pointers to members find, one after the other, and of whom.
template <auto... members>
struct At {
  auto& operator()(auto& owner) const { return (owner.*....*members); }
};
template <class Owner, class Value>
Owner owner_of(Value Owner::*);
template <auto member>
using OwnerOf = decltype(owner_of(member));

template <auto member, Range range = Range{}>
constexpr auto member_field(std::string_view key, Presence presence, std::string_view column = "") {
  return field<OwnerOf<member>, range>(key, column, presence, At<member>{});
}

/// One that no pointer to a member describes.
template <class Owner>
constexpr Field<Owner> special(std::string_view key, Presence presence, Json (*json)(const Owner&),
                               void (*read)(const JsonReader&, Owner&),
                               std::string_view column = "",
                               std::string (*cell)(const Owner&) = nullptr) {
  return {key, column, presence, json, read, cell};
}

/// Text that is written where it is empty, too.
template <auto member>
constexpr auto text_field(std::string_view key, Presence presence, std::string_view column = "") {
  auto text = member_field<member>(key, presence, column);
  text.json = [](const OwnerOf<member>& owner) { return Json(storable(owner.*member)); };
  return text;
}

template <auto member>
constexpr auto clock_field(std::string_view key) {
  using Owner = OwnerOf<member>;
  return read_as<Owner>(
      [](const JsonReader& json, Owner& owner) { owner.*member = read_clock(json); },
      member_field<member>(key, Presence::optional));
}

/// A value that a table of session_names.hpp spells.
template <auto member, const auto& table>
constexpr auto word_field(std::string_view key, Presence presence, std::string_view column = "") {
  using Owner = OwnerOf<member>;
  Field<Owner> word{key, column, presence};
  word.json = [](const Owner& owner) { return Json(names::of<table>(owner.*member)); };
  word.cell = [](const Owner& owner) { return cell_of(names::of<table>(owner.*member)); };
  word.read = [](const JsonReader& json, Owner& owner) {
    owner.*member = json.choice(names::parse<table>, names::choices<table>());
  };
  return word;
}

/// Null where there is nothing to write.
template <class Owner>
Json written(const Field<Owner>& field, const Owner& owner) {
  static const Owner usual{};
  if (field.applies != nullptr && !field.applies(owner)) return nullptr;
  Json value = field.json(owner);
  return field.presence == Presence::rare && value == field.json(usual) ? Json(nullptr) : value;
}

/// The fields of an object, in their order.
template <class Owner>
Json object_of(std::span<const Field<Owner>> fields, const Owner& owner) {
  Json object = Json::object();
  for (const Field<Owner>& field : fields) {
    if (field.key.empty()) continue;
    Json value = written(field, owner);
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

/// Objects with these fields.
template <class Owner>
Json list_of(std::span<const Field<std::type_identity_t<Owner>>> fields,
             const std::vector<Owner>& owners) {
  Json list = Json::array();
  for (const Owner& owner : owners) list.push_back(object_of(fields, owner));
  return list;
}
template <class Owner>
void read_list(std::span<const Field<std::type_identity_t<Owner>>> fields, const JsonReader& json,
               std::vector<Owner>& owners, std::size_t most = 1000) {
  for (const JsonReader& one : json.items(most)) read_object(fields, one, owners.emplace_back());
}
template <auto member, const auto& fields, std::size_t most = 1000>
constexpr auto list_field(std::string_view key, Presence presence) {
  using Owner = OwnerOf<member>;
  Field<Owner> list{key, "", presence};
  list.json = [](const Owner& owner) { return list_of(fields, owner.*member); };
  list.read = [](const JsonReader& json, Owner& owner) {
    read_list(fields, json, owner.*member, most);
  };
  return list;
}

// The tables of what each has. A new field is one row.
std::span<const Field<Point>> point_fields();
std::span<const Field<Roof>> roof_fields();
std::span<const Field<kernels::DeviceInfo>> device_fields();
std::span<const Field<Run>> run_fields();

}  // namespace engine
