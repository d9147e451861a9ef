// What tests ask of a verdict's words.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/verdict/predict.hpp"
#include "tests/session/examples.hpp"
#include "tests/text.hpp"

namespace examples {

inline bool any_has(const std::vector<std::string>& texts, const std::string& part) {
  return std::ranges::any_of(texts,
                             [&](const std::string& text) { return tests::contains(text, part); });
}

/// Every sentence of a verdict.
inline std::string all_of(const engine::Verdict& verdict) {
  std::string text = verdict.headline;
  for (const auto& sentence : verdict.sentences) text += "\n" + sentence;
  for (const auto& sentence : verdict.advice) text += "\n- " + sentence;
  return text;
}

inline engine::Session with_points(std::vector<engine::Point> points) {
  engine::Session session = examples::session();
  session.points = std::move(points);
  return session;
}

}  // namespace examples
