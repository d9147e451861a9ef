#include "engine/compare/sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "engine/knob_text.hpp"
#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "engine/watch/windows.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

bool has_word(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// A point with its words.
struct Worded {
  const Point* point;
  std::vector<std::string> words;
};

std::vector<Worded> worded_points(const Session& session) {
  std::vector<Worded> points;
  for (const Point& point : session.points)
    if (is_compared(point)) points.push_back({&point, words_of(session, point)});
  return points;
}

/// The parts that are not empty, without spaces around them.
std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::string_view part : split(text, separator)) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

[[noreturn]] void refuse_word(const std::string& word, const Session& session,
                              std::string_view where) {
  std::vector<std::string> known = choices_of(session);
  constexpr std::size_t most = 16;
  const bool more = known.size() > most;
  if (more) known.resize(most);
  throw BadInput(fmt::format(
      "'{}' names no measured point of {}: expected {}", word, where,
      known.empty() ? "no word, because its points are all of one kind"
                    : fmt::format("one of {}{}", fmt::join(known, ", "), more ? ", ..." : "")));
}

/// "fp16 unfused" is one word where a point has it, else two.
std::vector<std::string> words_asked(std::string_view text, const std::vector<Worded>& points,
                                     const Session& session, std::string_view where) {
  const auto known = [&](const std::string& word) {
    return std::ranges::any_of(points,
                               [&](const Worded& worded) { return has_word(worded.words, word); });
  };
  if (const std::string whole(text); known(whole)) return {whole};
  std::vector<std::string> words;
  for (const std::string& part : split_at(text, ',')) {
    for (const std::string& word : known(part) ? std::vector{part} : split_at(part, ' ')) {
      if (!known(word)) refuse_word(word, session, where);
      words.push_back(word);
    }
  }
  return words;
}

/// Of each case the point of the newest run, in the order of the session.
std::vector<const Point*> newest_of(const std::vector<const Point*>& points) {
  std::map<std::string, std::size_t> places;
  std::vector<const Point*> newest;
  for (const Point* point : points) {
    Point timeless;
    timeless.lab = point->lab;
    timeless.what = point->what;
    timeless.kernel = point->kernel;
    timeless.label = point->label;
    const auto [place, is_new] = places.emplace(id_of(timeless), newest.size());
    if (is_new)
      newest.push_back(point);
    else if (point->run >= newest[place->second]->run)
      newest[place->second] = point;
  }
  return newest;
}

}  // namespace

std::span<const Label* const> compared_labels() {
  static constexpr std::array<const Label*, 7> all{&labels::dtype, &labels::op, &labels::fusion,
                                                   &labels::units, &labels::by, &labels::data,
                                                   &labels::label};
  return all;
}

bool is_compared(const Point& point) {
  if (is_window(point)) return false;  // of what others ran, no two are alike
  return point.status == Status::ok && !point.probe && !measures_roofs(point.lab) &&
         point.seconds.median > 0 && std::isfinite(point.seconds.median);
}

bool has_compared_points(const Session& session) {
  return std::ranges::any_of(session.points, is_compared);
}

std::vector<std::string> words_of(const Session& session, const Point& point) {
  const Row row{point, session};
  std::vector<std::string> words;
  const auto add = [&](std::string word) {
    if (!word.empty() && !has_word(words, word)) words.push_back(std::move(word));
  };
  for (const Label* label : compared_labels()) add((*label)(row));
  add(std::string(kernel_of(point)));
  add(point.lab);
  add(fmt::format("run {}", point.run));
  add(series_name(point));
  return words;
}

std::vector<std::string> choices_of(const Session& session) {
  const std::vector<Worded> points = worded_points(session);
  std::map<std::string, std::size_t> count;
  std::size_t most = 0;
  for (const Worded& worded : points) {
    most = std::max(most, worded.words.size());
    for (const std::string& word : worded.words) ++count[word];
  }
  std::vector<std::string> choices;
  for (std::size_t i = 0; i < most; ++i) {
    for (const Worded& worded : points) {
      if (i >= worded.words.size()) continue;
      const std::string& word = worded.words[i];
      if (count[word] < points.size() && !has_word(choices, word)) choices.push_back(word);
    }
  }
  return choices;
}

Side side_of(const Session& session, std::string_view words, std::string_view where) {
  const std::vector<Worded> all = worded_points(session);
  if (all.empty()) {
    throw BadInput(fmt::format(
        "{} has no measured point of a sweep: expected a session with points, not with roofs alone",
        where));
  }
  const std::vector<std::string> asked = words_asked(words, all, session, where);
  std::vector<const Point*> chosen;
  for (const Worded& worded : all) {
    if (std::ranges::all_of(asked, [&](const auto& word) { return has_word(worded.words, word); }))
      chosen.push_back(worded.point);
  }
  if (chosen.empty()) {
    throw BadInput(fmt::format("no point of {} is {}: expected words that one point has", where,
                               fmt::join(asked, " and ")));
  }
  return {&session, fmt::format("{}", fmt::join(asked, ", ")), newest_of(chosen)};
}

}  // namespace engine
