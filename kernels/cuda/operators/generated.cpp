#include "kernels/cuda/operators/generated.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "kernels/device.hpp"
#include "kernels/kept/kept_source.hpp"
#include "kernels/kept/own_folder.hpp"
#include "kernels/scoped.hpp"

namespace kernels::cuda {
namespace {

bool find_all(const SharedLibrary& l, driver::Calls& c) {
  return l.find("cuModuleLoadData", c.load_data) && l.find("cuModuleUnload", c.unload) &&
         l.find("cuModuleGetFunction", c.get_function) &&
         l.find("cuOccupancyMaxActiveBlocksPerMultiprocessor", c.max_active_blocks) &&
         l.find("cuLaunchKernel", c.launch);
}

void check(driver::Status status, std::string_view doing) {
  cuda::check(static_cast<cudaError_t>(status), doing);
}

}  // namespace

// The driver is there where a GPU is; the runtime, which is linked in, has loaded it before.
GeneratedKernels::GeneratedKernels(int driver_version)
    : compiler_(driver_version), driver_({"libcuda.so.1"}) {}

driver::Module GeneratedKernels::compiled(const std::string& text, const std::string& name,
                                          int capability, const std::vector<std::string>& options) {
  const CountedTime counted(seconds_);
  const std::string image = compiler_.compile(text, name, capability, options);
  driver::Module module = nullptr;
  check(calls_.load_data(&module, image.data()), "loading a generated kernel");
  return module;
}

const std::vector<GeneratedKernel>& GeneratedKernels::load(const std::string& text,
                                                           const std::vector<std::string>& options,
                                                           const std::vector<const char*>& symbols,
                                                           int capability) {
  if (!compiler_.why_not().empty()) throw Unsupported(compiler_.why_not());
  if (!find_all(driver_, calls_))
    throw Unsupported("the CUDA driver (libcuda.so.1) lacks functions to load generated kernels");
  const OwnFolder folder = own_folder(cache_folder());  // it may have been removed
  const std::filesystem::path file = source_file(
      folder.path,
      fmt::format("{}\n{}\n{}\n{}", text, compiler_.name(), capability, fmt::join(options, " ")),
      ".cu");
  if (const auto known = loaded_.find(file); known != loaded_.end()) return known->second.kernels;
  write_source(file, text);
  Loaded fresh;
  fresh.module = compiled(text, file.filename().string(), capability, options);
  for (const char* symbol : symbols) {
    GeneratedKernel& kernel = fresh.kernels.emplace_back();
    kernel.source = source_note(compiler_.name() + elsewhere(folder), file);
    const driver::Status found = calls_.get_function(&kernel.function, fresh.module, symbol);
    if (found != cudaSuccess) static_cast<void>(calls_.unload(fresh.module));
    check(found, "finding a generated kernel");
  }
  return loaded_.emplace(file, std::move(fresh)).first->second.kernels;
}

std::uint64_t GeneratedKernels::resident_blocks(const GeneratedKernel& kernel, int threads,
                                                int multiprocessors) const {
  int blocks = 0;
  check(calls_.max_active_blocks(&blocks, kernel.function, threads, 0),
        "reading a generated kernel's occupancy");
  return static_cast<std::uint64_t>(std::max(1, blocks)) *
         static_cast<std::uint64_t>(std::max(1, multiprocessors));
}

void GeneratedKernels::launch_kernel(const GeneratedKernel& kernel, std::uint64_t blocks,
                                     int threads, void* arguments, cudaStream_t stream) const {
  refuse_too_many(blocks);
  void* pointers[] = {arguments};
  check(calls_.launch(kernel.function, static_cast<unsigned>(blocks), 1, 1,
                      static_cast<unsigned>(threads), 1, 1, 0, stream, pointers, nullptr),
        "launching a generated kernel");
}

void GeneratedKernels::close() {
  for (const auto& [file, one] : loaded_) static_cast<void>(calls_.unload(one.module));
  loaded_.clear();
}

}  // namespace kernels::cuda
