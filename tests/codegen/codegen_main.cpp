// Runs the checks of generated code, or says in one sentence why they can't run here; ctest counts
// that as skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
  constexpr std::string_view reason = CODEGEN_SKIP_REASON;
  if (!reason.empty()) {
    std::puts(CODEGEN_SKIP_REASON);
    constexpr int skip_return_code = 77;
    return skip_return_code;
  }
  return doctest::Context(argc, argv).run();
}
