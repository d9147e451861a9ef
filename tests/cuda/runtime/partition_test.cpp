// The part of a GPU that a process has, in words.
#include "kernels/cuda/runtime/partition.hpp"

#include <doctest/doctest.h>

using namespace kernels::cuda;

TEST_CASE("a slice says its share of the multiprocessors and of the memory") {
  const double gib = 0x1p30;
  Partition part{.slice = true,
                 .multiprocessors = 60,
                 .all_multiprocessors = 132,
                 .memory_bytes = 70 * gib,
                 .all_memory_bytes = 140 * gib};
  CHECK(partition_text(part) == "MIG slice: 60 of 132 SMs, 70 GiB of 140 GiB");
  part.shared = true;
  CHECK(partition_text(part) ==
        "MIG slice: 60 of 132 SMs, 70 GiB of 140 GiB, shared with other processes");
  part = {.slice = true, .multiprocessors = 16, .memory_bytes = 10 * gib};
  CHECK(partition_text(part) == "MIG slice: 16 SMs, 10 GiB");
}

TEST_CASE("a GPU under MPS says its share of the multiprocessors, a whole GPU nothing") {
  Partition part{.shared = true,
                 .multiprocessors = 66,
                 .all_multiprocessors = 132,
                 .memory_bytes = 1e9,
                 .all_memory_bytes = 1e9};
  CHECK(partition_text(part) == "MPS: 66 of 132 SMs, shared with other processes");
  part.multiprocessors = 132;
  CHECK(partition_text(part) == "MPS: 132 SMs, shared with other processes");
  part.shared = false;
  CHECK(partition_text(part) == "");
}

TEST_CASE("the name of a slice tells that it is one") {
  CHECK(is_slice("NVIDIA H200 MIG 3g.71gb"));
  CHECK_FALSE(is_slice("NVIDIA H200"));
}
