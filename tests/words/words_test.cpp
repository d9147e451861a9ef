// Every text that the program can show, in one file, to be read in one go: tests/words/words.txt.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/files.hpp"

namespace fs = std::filesystem;

namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Walks over a C++ source and collects its string literals, adjacent ones as one.
class Literals {
 public:
  explicit Literals(std::string_view source) : rest_(source) {}

  std::vector<std::string> all() {
    while (!rest_.empty()) step();
    return std::move(found_);
  }

 private:
  void drop(std::size_t count) {
    before_ = rest_[std::min(count, rest_.size()) - 1];
    rest_.remove_prefix(std::min(count, rest_.size()));
  }

  bool skip_comment() {
    if (rest_.starts_with("//")) return drop(rest_.find('\n')), true;
    if (rest_.starts_with("/*")) return drop(rest_.find("*/") + 2), true;
    return false;
  }

  void step() {
    if (skip_comment()) return;
    if (rest_.starts_with("#include")) return drop(rest_.find('\n'));
    if (rest_[0] == '"') return literal();
    // An apostrophe behind a digit separates thousands.
    if (rest_[0] == '\'' && !is_word(before_)) return drop(rest_[1] == '\\' ? 4 : 3);
    drop(1);
  }

  void literal() {
    std::string text;
    while (!rest_.empty() && rest_[0] == '"') {
      drop(1);
      while (rest_[0] != '"') {
        const std::size_t length = rest_[0] == '\\' ? 2 : 1;
        text += rest_.substr(0, length);
        drop(length);
      }
      drop(1);
      while (!rest_.empty() && (std::isspace(static_cast<unsigned char>(rest_[0])) != 0)) drop(1);
    }
    before_ = ' ';
    found_.push_back(std::move(text));
  }

  std::string_view rest_;
  char before_ = ' ';
  std::vector<std::string> found_;
};

/// Words in a row, or one that begins with a capital letter: no key, no format, no name.
bool is_shown(std::string_view text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (is_letter(text[i]) && text[i + 1] == ' ' && is_letter(text[i + 2])) return true;
  }
  return text.size() > 2 && std::isupper(static_cast<unsigned char>(text[0])) != 0 &&
         std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return is_letter(c) || c == '.'; }) &&
         std::islower(static_cast<unsigned char>(text[1])) != 0;
}

std::vector<fs::path> sources_of(const fs::path& root) {
  std::vector<fs::path> files;
  for (const char* folder : {"app", "ui", "engine", "kernels"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      constexpr std::array<std::string_view, 4> kinds{".cpp", ".hpp", ".cu", ".cuh"};
      const std::string kind = entry.path().extension().string();
      if (std::ranges::find(kinds, kind) != kinds.end()) files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string every_text(const fs::path& root) {
  std::string all;
  for (const fs::path& file : sources_of(root)) {
    std::string texts;
    for (const std::string& text : Literals(tests::read_file(file)).all())
      if (is_shown(text)) texts += "  " + text + "\n";
    if (!texts.empty()) all += fs::relative(file, root).string() + "\n" + texts + "\n";
  }
  return all;
}

}  // namespace

TEST_CASE("literals are found as the compiler joins them, without comments and characters") {
  const std::string_view source =
      "#include \"no words here\"\n// \"nor here\"\nf('\"', \"one \"\n  \"text\", 1'000, "
      "\"a\\\"b\");";
  CHECK(Literals(source).all() == std::vector<std::string>{"one text", "a\\\"b"});
}

TEST_CASE("words.txt holds every text that the program can show") {
  const fs::path listed = fs::path(RIDGEPOINT_WORDS) / "words.txt";
  const std::string now = every_text(fs::path(RIDGEPOINT_WORDS).parent_path().parent_path());
  CHECK(now.size() > 10000);
  const char* update = std::getenv("RIDGEPOINT_UPDATE_GOLDENS");
  if (update != nullptr && std::string_view(update) == "1") tests::write_text(listed, now);
  CHECK_MESSAGE(
      tests::read_file(listed) == now,
      "texts have changed; RIDGEPOINT_UPDATE_GOLDENS=1 lists them anew: read the changes");
}
