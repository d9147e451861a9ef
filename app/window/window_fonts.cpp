#include <backends/imgui_impl_opengl3.h>
#include <fontconfig/fontconfig.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include "app/window/window.hpp"
#include "ui/widgets/imgui_compat.hpp"
#include "ui/widgets/theme.hpp"

namespace app {

namespace {

/// The system's font nearest to such a family; empty when there is none that ImGui can read.
std::filesystem::path font_file(FcConfig* config, const char* family, bool bold) {
  const std::unique_ptr<FcPattern, void (*)(FcPattern*)> wanted(FcPatternCreate(),
                                                                FcPatternDestroy);
  FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(wanted.get(), FC_WEIGHT, bold ? FC_WEIGHT_BOLD : FC_WEIGHT_REGULAR);
  FcPatternAddBool(wanted.get(), FC_SCALABLE, FcTrue);
  FcConfigSubstitute(config, wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult result = FcResultNoMatch;
  const std::unique_ptr<FcPattern, void (*)(FcPattern*)> found(
      FcFontMatch(config, wanted.get(), &result), FcPatternDestroy);
  FcChar8* file = nullptr;
  if (!found || FcPatternGetString(found.get(), FC_FILE, 0, &file) != FcResultMatch) return {};
  std::filesystem::path path = reinterpret_cast<const char*>(file);
  const std::string ending = path.extension().string();
  std::error_code ignored;
  const bool readable =
      (ending == ".ttf" || ending == ".otf") && std::filesystem::exists(path, ignored);
  return readable ? path : std::filesystem::path();
}

struct Wanted {
  float size;
  bool bold;
};
constexpr float tiny_size = 7;  // of pictures that are shown smaller than they are
constexpr std::array<Wanted, 9> wanted_fonts{{{tiny_size, false},
                                              {tiny_size, true},
                                              {ui::text_size, false},
                                              {ui::text_size, true},
                                              {ui::small_size, false},
                                              {ui::small_size, true},
                                              {ui::title_size, false},
                                              {ui::title_size, true},
                                              {ui::huge_size, true}}};

ui::Font made_from(const std::filesystem::path& file, const Wanted& wanted, float scale) {
  const float size = std::round(wanted.size * scale);
  ImFont* face = file.empty() ? nullptr : ui::add_font(file, size);
  if (face == nullptr) face = ui::add_builtin_font(size);
  return {face, size, wanted.bold};
}

constexpr float largest_dot = 10;  // pixels at scale 1: of the slider's mark

/// Whether the backend has a texture of the fonts. From 1.92 on ImGui looks after it itself.
bool has_texture() {
#if IMGUI_VERSION_NUM < 19200
  return ImGui::GetIO().Fonts->TexID != nullptr;
#else
  return false;
#endif
}

/// The texture alone: 1.86 keeps the old sizes of lost buffers and draws nothing.
void remake_texture() {
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

}  // namespace

ui::Fonts make_fonts(float scale) {
  const bool shown = has_texture();  // building forgets it
  ImGui::GetIO().Fonts->Clear();
  const std::unique_ptr<FcConfig, void (*)(FcConfig*)> config(FcInitLoadConfigAndFonts(),
                                                              FcConfigDestroy);
  const std::array<std::filesystem::path, 2> files{font_file(config.get(), "DejaVu Sans", false),
                                                   font_file(config.get(), "DejaVu Sans", true)};
  ui::Fonts fonts;
  for (const Wanted& wanted : wanted_fonts)
    fonts.add(made_from(files[wanted.bold ? 1 : 0], wanted, scale));
  fonts.set_monospace(made_from(font_file(config.get(), "DejaVu Sans Mono", false),
                                {ui::small_size, false}, scale));
  fonts.set_discs(ui::build_texture_with_discs(static_cast<int>(std::ceil(largest_dot * scale))));
  if (shown) remake_texture();  // else the first frame makes it
  return fonts;
}

}  // namespace app
