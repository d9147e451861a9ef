// Which architectures a built program holds code for, and PTX.
#include <doctest/doctest.h>

#include <cstdio>
#include <sstream>
#include <string>

#include "tests/cuda/fakes/cubin.hpp"
#include "tests/text.hpp"

TEST_CASE("a built program holds the machine code and the PTX that the build was told to") {
  const std::map<cubin::Image, int> images = cubin::images(RIDGEPOINT_CUDA_PROGRAM);
  for (const auto& [image, files] : images) {
    std::printf("%s of %d.%d: %d files\n", image.ptx ? "PTX" : "machine code",
                image.architecture / 10, image.architecture % 10, files);
  }
  // As CMake spells them: 80 is both, 80-real machine code alone, 80-virtual PTX alone.
  std::istringstream asked(RIDGEPOINT_BUILT_FOR);
  int checked = 0;
  for (std::string one; asked >> one; ++checked) {
    CAPTURE(one);
    REQUIRE(std::isdigit(static_cast<unsigned char>(one.front())));
    const int architecture = std::stoi(one);
    const bool real = !one.ends_with("-virtual"), ptx = !one.ends_with("-real");
    const auto files_with = [&](bool kind) {
      const auto found = images.find({architecture, kind});
      return found == images.end() ? 0 : found->second;
    };
    CHECK(files_with(false) >= (real ? RIDGEPOINT_KERNEL_FILES : 0));
    CHECK(files_with(true) >= (ptx ? RIDGEPOINT_KERNEL_FILES : 0));
    if (!ptx) CHECK(files_with(true) == 0);
  }
  CHECK(checked > 0);
}

TEST_CASE("a file that is no program has no images, and says so") {
  CHECK_THROWS_WITH_AS(cubin::images("/dev/null"), "/dev/null: no ELF file", std::runtime_error);
}
