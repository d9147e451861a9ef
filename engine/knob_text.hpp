// What the parsers of the knobs share: cutting text into parts, and refusing it in one sentence.
// Private to the engine.
#pragma once

#include <string_view>
#include <vector>

namespace engine {

/// "a,b,,c" -> {"a", "b", "", "c"}; at least one part.
std::vector<std::string_view> split(std::string_view text, char separator);

/// At least one character, all of them 0 to 9.
bool all_digits(std::string_view text);

/// Throws BadInput "--knob given: expected ...", with `given` made safe to print.
[[noreturn]] void refuse(std::string_view knob, std::string_view given, std::string_view expected);

}  // namespace engine
