// Every part of fmt that the project uses: links where fmt.cpp holds all of it.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

int main(int argc, char** argv) {
  const double value = argc / 3.0;
  const std::vector<std::string> words(argv, argv + argc);
  const std::string pattern = "{:>10}";
  std::string text =
      fmt::format("{} {:.3g} {:e} {:L} {} {}", value, value, static_cast<float>(value), 1000 * argc,
                  static_cast<long double>(value), fmt::join(words, ", "));
  text += fmt::format("{} {:x} {:#b} {} {:?>20}", true, argc, argc, 'c', std::string_view(text));
  text += fmt::format(fmt::runtime(pattern), text);
  text += fmt::format("{:%Y-%m-%d}", fmt::gmtime(0));
  text += fmt::format("{:%H:%M:%S}", fmt::localtime(static_cast<std::time_t>(argc)));
  fmt::print(stderr, "{}\n", text);
  return text.empty() ? 1 : 0;
}
