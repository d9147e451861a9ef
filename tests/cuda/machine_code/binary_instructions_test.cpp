// Which architectures a built program holds code for, and PTX.
#include <doctest/doctest.h>

#include <cstdio>
#include <map>
#include <sstream>
#include <string>

#include "tests/cuda/machine_code/cubin.hpp"
#include "tests/text.hpp"

namespace {

using Images = std::map<cubin::Image, int>;

// As CMake spells them: 80 is both, 80-real machine code alone, 80-virtual PTX alone.
Images images_for(const std::string& architectures, int files) {
  Images wanted;
  std::istringstream words(architectures);
  for (std::string one; words >> one;) {
    const int architecture = std::stoi(one);
    if (!one.ends_with("-virtual")) wanted[{architecture, false}] = files;
    if (!one.ends_with("-real")) wanted[{architecture, true}] = files;
  }
  return wanted;
}

void print(const char* what, const Images& images) {
  std::printf("%s:\n", what);
  for (const auto& [image, files] : images) {
    std::printf("  %s %d.%d in %d files\n", image.ptx ? "PTX of" : "machine code of",
                image.architecture / 10, image.architecture % 10, files);
  }
}

}  // namespace

TEST_CASE("a program holds the machine code and the PTX that its build was told to, in each file") {
  const Images images = cubin::images(RIDGEPOINT_CUDA_PROGRAM);
  print("this build", images);
  const Images wanted = images_for(RIDGEPOINT_BUILT_FOR, RIDGEPOINT_KERNEL_FILES);
  CHECK_FALSE(wanted.empty());
  for (const auto& [image, files] : wanted) {
    CAPTURE(image.architecture);
    CAPTURE(image.ptx);
    const auto found = images.find(image);
    CHECK((found != images.end() && found->second >= files));
  }
}

TEST_CASE("a release holds machine code of every architecture, and PTX for those to come") {
  const Images images = cubin::images(RIDGEPOINT_RELEASE);
  print("a release", images);
  CHECK(images == images_for(RIDGEPOINT_RELEASE_FOR, 1));
  CHECK(images.contains({80, true}));  // for Orin
  CHECK(images.rbegin()->first.ptx);   // for what comes next
}

TEST_CASE("a file that is no program has no images, and says so") {
  CHECK_THROWS_WITH_AS(cubin::images("/dev/null"), "/dev/null: no ELF file", std::runtime_error);
}
