#include "tests/screen/headless.hpp"

#include <utility>

Headless::Headless(ImVec2 size) {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DeltaTime = 1.0F / 60;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as ImGui's OpenGL backend
  resize(size);
}

Headless::~Headless() { ImGui::DestroyContext(); }

void Headless::resize(ImVec2 size) { ImGui::GetIO().DisplaySize = size; }

ImVec2 Headless::size() const { return ImGui::GetIO().DisplaySize; }

void Headless::use(ui::Fonts fonts) {
  fonts_ = std::move(fonts);
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
}

void Headless::frame(const std::function<void()>& contents) {
  ImGui::NewFrame();
  contents();
  ImGui::Render();
}
