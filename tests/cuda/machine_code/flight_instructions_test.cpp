// How many bytes a multiprocessor has under way, from what the machine code of each kernel needs:
// registers, shared memory, and its loads before the first use. And what ptxas says of wgmma.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "tests/cuda/machine_code/sass.hpp"
#include "tests/text.hpp"

using namespace kernels::cuda;
using tests::contains;

namespace {

// A multiprocessor of compute capability 9.0 ("Technical Specifications per Compute Capability" in
// the CUDA C++ Programming Guide); registers are given out by 256 to each warp of a quarter, and
// each block costs 1 KiB of shared memory.
constexpr int quarters = 4, quarter_registers = 16384, most_warps = 64, most_blocks = 32;
constexpr int shared_bytes = 228 * 1024, reserved_bytes = 1024;
// Little's law asks 24 to 29 KB of an H200 (docs/lab-notes.md); 40 leave room.
constexpr double least_bytes = 40e3;
// Of products of matrices on vector units one block runs at a time, whose tile needs 64 FLOP/byte.
constexpr double least_of_products = 32e3;

int resident_blocks(const cubin::Kernel& kernel, int threads) {
  const int warps = threads / 32;
  const int per_warp = (static_cast<int>(kernel.registers) * 32 + 255) / 256 * 256;
  const int by_registers = quarters * (quarter_registers / per_warp) / warps;
  const int shared = static_cast<int>(kernel.shared_bytes + 127) / 128 * 128 + reserved_bytes;
  return std::min({by_registers, most_warps / warps, most_blocks, shared_bytes / shared});
}

// Bytes of a thread's accesses of 16 bytes that begin before any of them must have ended: most of
// them between two branches, as many as the registers hold. Copies to shared memory are under way
// from the prologue on: all there are but those of the loop, which replace one stage, of two tiles
// on matrix units, and of 32 bytes of A and of B of a matrix product; of all vectors of a chain.
int bytes_in_flight(const cubin::Kernel& kernel) {
  const bool four =
      contains(kernel.name, "tile_matrix_kernel<") || contains(kernel.name, "matmul_");
  const bool chain = contains(kernel.name, "chain_queue_kernel<");
  const int stage = chain ? many_vectors * 16 : four ? 4 * 16 : 2 * 16;
  const bool writes = contains(kernel.name, "stream_kernel<(unsigned char)5");
  const unsigned access = writes ? sass::store_global : sass::load_global;
  int longest = 0, run = 0, copied = 0;
  for (const cubin::Instruction& i : kernel.code) {
    if (i.operation() == sass::copy_global) copied += static_cast<int>(i.access_bytes);
    if (i.branches) run = 0;
    if (i.operation() == access && i.access_bytes == 16) longest = std::max(longest, ++run);
  }
  const int held = static_cast<int>(kernel.registers) * 4 / 16;
  return copied > 0 ? copied - stage : 16 * std::min(longest, held);
}

struct Row {
  std::string name;
  std::uint32_t registers = 0;
  int blocks = 0, threads = 0, each = 0;

  double bytes() const { return static_cast<double>(blocks) * threads * each; }
};

Row row_of(const cubin::Kernel& kernel, int threads) {
  const std::size_t end = kernel.name.find(">(");
  Row row{kernel.name.substr(0, end + 1), kernel.registers, resident_blocks(kernel, threads),
          threads, bytes_in_flight(kernel)};
  for (const char* noise : {"void ", "kernels::cuda::", "(anonymous namespace)::", "kernels::"}) {
    for (std::size_t at = 0; (at = row.name.find(noise)) != std::string::npos;)
      row.name.erase(at, std::string(noise).size());
  }
  return row;
}

void print(const Row& row) {
  std::printf("%-60s %4u registers %2d blocks of %d  %4d B/thread  %6.1f KB in flight\n",
              row.name.c_str(), row.registers, row.blocks, row.threads, row.each,
              row.bytes() / 1e3);
}

bool on_hopper() { return std::ranges::count(sass::architectures, 90) > 0; }

// Lines of a compiler's log that have this text.
int lines_with(const std::string& path, const std::string& text) {
  std::ifstream file(path);
  REQUIRE(file.good());
  int lines = 0;
  for (std::string line; std::getline(file, line);) lines += contains(line, text) ? 1 : 0;
  return lines;
}

}  // namespace

TEST_CASE(
    "streams, chains, tiles and operators have 40 KB under way on each multiprocessor of Hopper") {
  if (!on_hopper()) return;
  struct File {
    const char* name;
    const char* kernel;
    int threads;
    double least = least_bytes;
  };
  int kernels = 0;
  for (const File& file :
       {File{"stream", "stream_kernel<", block_threads},
        File{"stream", "read_kernel<", block_threads}, File{"stream", "ring_kernel<", ring_threads},
        File{"chain", "chain_", chain_threads}, File{"chain_half", "chain_", chain_threads},
        File{"pointwise", "pointwise_", block_threads},
        File{"rowwise", "_kernel<", row_block_threads},
        File{"tile_matrix", "tile_matrix_kernel<", tile_threads},
        File{"tile_vector", "tile_vector_kernel<", tile_threads},
        File{"matmul_matrix", "matmul_", product_threads, least_of_products},
        File{"matmul_vector", "matmul_", product_threads, least_of_products}}) {
    for (const cubin::Kernel& kernel : sass::kernels_of(file.name, 90)) {
      if (!contains(kernel.name, file.kernel)) continue;
      const Row row = row_of(kernel, file.threads);
      CAPTURE(row.name);
      print(row);
      // Shapes of fewer accesses are there to be compared with, those of 32 bytes and fp8 tiles not
      // on Hopper at all.
      const bool stream = std::string(file.name) == "stream";
      if (row.each == 0 || (stream && row.each < 64)) continue;
      // Writes of a ring: only stores.
      if (contains(row.name, "ring_kernel<(unsigned char)5")) continue;
      CHECK(row.bytes() >= file.least);
      ++kernels;
    }
  }
  // Copy, write, triad and reads of one pass with 4 and 8 accesses, and of several; chains; tiles;
  // products and operators, and those on rows.
  CHECK(kernels >= 3 + 2 + 6 + 3 * 17 + 5 + 5 + 11 + 11 + (22 + 2) + (56 + 4));
}

TEST_CASE("no wgmma is serialized, and nothing of it spills, says ptxas") {
  const std::string log = sass::path_of("wgmma", "90a") + ".log";
  CHECK(lines_with(log, "Compiling entry function") == 5 * 4 * 2);
  CHECK(lines_with(log, "0 bytes spill stores, 0 bytes spill loads") == 5 * 4 * 2);
  CHECK(lines_with(log, "serialized") == 0);
  // What it says when it is.
  CHECK(lines_with(sass::path_of("serialized", "90a") + ".log", "serialized") > 0);
}
