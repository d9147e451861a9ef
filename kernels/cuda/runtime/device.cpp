#include "kernels/cuda/runtime/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/cuda/runtime/open_reason.hpp"
#include "kernels/cuda/runtime/partition.hpp"
#include "kernels/cuda/trials/shapes.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/tile/tile.hpp"
#include "kernels/family_list.hpp"

namespace kernels::cuda {

namespace {

std::vector<Kernel> rows_of(const FamilyOnGpu& here, const GpuFacts& facts) {
  if (here.note == nullptr) return here.rows(facts);
  return {{.family = here.family,
           .op = here.family->ops.front(),
           .dtype = here.dtype,
           .note = here.note}};
}

const FamilyOnGpu* on_gpu(Family family) {
  const auto* found = std::ranges::find(families_on_gpu, family, &FamilyOnGpu::family);
  return found == families_on_gpu.end() ? nullptr : *found;
}

std::string pci_bus_id(int ordinal) {
  std::array<char, 32> text{};
  check(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), ordinal),
        "reading the PCI address");
  return text.data();
}

int driver_version() {
  int version = 0;
  check(cudaDriverGetVersion(&version), "reading the driver's version");
  return version;
}

std::string driver_text(const Nvml& nvml) {
  const std::string supports = fmt::format("CUDA {}", version_text(driver_version()));
  const std::string driver = nvml.driver_version();
  return driver.empty() ? supports : fmt::format("{} ({})", driver, supports);
}

// cudaDevAttrMpsEnabled, which older toolkits do not name; an older runtime refuses it.
constexpr auto mps_enabled = static_cast<cudaDeviceAttr>(133);

std::string partition_of(int ordinal, bool mps, const DeviceInfo& info, const Nvml& nvml) {
  const int cores = cores_per_multiprocessor(attribute(cudaDevAttrComputeCapabilityMajor, ordinal),
                                             attribute(cudaDevAttrComputeCapabilityMinor, ordinal));
  return partition_text({.slice = is_slice(info.name),
                         .shared = mps,
                         .multiprocessors = info.multiprocessors,
                         .all_multiprocessors = nvml.all_cores() / cores,
                         .memory_bytes = info.memory_bytes,
                         .all_memory_bytes = nvml.all_memory_bytes()});
}

DeviceInfo describe_device(int ordinal, bool mps, const Nvml& nvml) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "reading the GPU's properties");
  const auto value = [&](cudaDeviceAttr which) { return attribute(which, ordinal); };
  DeviceInfo info;
  info.id = fmt::format("cuda:{}", ordinal);
  info.kind = "cuda";
  info.name = properties.name;
  info.driver = driver_text(nvml);
  info.compute_capability = fmt::format("{}.{}", properties.major, properties.minor);
  info.multiprocessors = properties.multiProcessorCount;
  info.product_tile = product_tile;
  info.clock_hz = 1e3 * value(cudaDevAttrClockRate);
  info.memory_clock_hz = 1e3 * value(cudaDevAttrMemoryClockRate);
  info.memory_bytes = static_cast<double>(properties.totalGlobalMem);
  // L1 and shared memory are one; CUDA tells how much of it can be shared memory.
  info.l1_bytes = value(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  info.l2_bytes = value(cudaDevAttrL2CacheSize);
  info.draws_screen = value(cudaDevAttrKernelExecTimeout) != 0;
  info.partition = partition_of(ordinal, mps, info, nvml);
  info.link_rate = nvml.link_rate();
  if (const std::optional<int> peer = peer_of(ordinal)) info.peer = fmt::format("cuda:{}", *peer);
  return info;
}

// Throws Unsupported where the program holds no code that the GPU runs.
void refuse_without_code(int ordinal, const DeviceInfo& info) {
  check(cudaSetDevice(ordinal), "selecting the GPU");
  cudaFuncAttributes attributes{};
  const cudaError_t image = cudaFuncGetAttributes(&attributes, service_kernels().empty);
  if (image == cudaErrorNoKernelImageForDevice || image == cudaErrorUnsupportedPtxVersion ||
      image == cudaErrorInvalidDeviceFunction) {
    static_cast<void>(cudaGetLastError());
    throw Unsupported(no_image_reason(info.name,
                                      attribute(cudaDevAttrComputeCapabilityMajor, ordinal),
                                      attribute(cudaDevAttrComputeCapabilityMinor, ordinal)));
  }
  check(image, "starting the GPU");
}

/// What others took of the runs: under MPS their kernels run at the same time, and only NVML tells;
/// else programs take turns. A turn of theirs cuts long runs only, but whoever makes the power
/// limit lower the clock slows all.
void add_turns(const Timer::Turns& turns, bool mps, Conditions& now) {
  constexpr double least = 0.03;
  const auto share = [](double others, double whole) { return whole > 0 ? others / whole : 0; };
  const double all = share(turns.others, turns.whole);
  if (!mps) {
    const bool slowed = now.power_limited.value_or(false) && all > least;
    now.other_load = slowed ? all : share(turns.long_others, turns.long_whole);
  }
  if (std::max(all, now.other_load.value_or(0)) <= least) {
    now.others.clear();
  } else if (now.others.empty()) {
    now.others = "programs that NVML does not show (in a container, for example)";
  }
  if (all <= least || now.other_load.value_or(0) > least) return;
  now.note += fmt::format("{}shared with {}; runs of 1 ms and less stay whole",
                          now.note.empty() ? "" : "; ", now.others);
}

void refuse_bad(const Case& c, std::span<const Kernel> rows) {
  const Kernel* const row = find_kernel(rows, c);
  if (row == nullptr) throw Unsupported(fmt::format("no kernel for {}", describe(c)));
  if (!row->runs) throw Unsupported(row->why_not);
  if (c.repeat < 1 || c.repeat > max_repeat) {
    throw Unsupported(fmt::format("repeat {} is not between 1 and {}", c.repeat, max_repeat));
  }
  if (c.elements == 0 && c.family->sized) {
    throw Unsupported("no elements");
  }
  const bool tiles = c.family == Family::tile ||
                     (c.family == Family::peak && c.units == Units::matrix && c.op() != Op::gemm);
  if (tiles && c.elements % tile_elements(c.dtype) != 0) {
    throw Unsupported(fmt::format("{} elements do not divide into tiles of {}; choose a multiple",
                                  c.elements, tile_elements(c.dtype)));
  }
}

std::vector<const CudaDevice*>& devices_of_process() {
  static std::vector<const CudaDevice*> devices;
  return devices;
}

}  // namespace

bool was_given_up(int ordinal) {
  return std::ranges::any_of(devices_of_process(), [&](const CudaDevice* device) {
    return device->ordinal() == ordinal && device->was_given_up();
  });
}

CudaDevice::CudaDevice(int ordinal, Architecture architecture)
    : ordinal_(ordinal),
      architecture_(architecture),
      nvml_(pci_bus_id(ordinal)),
      sensors_(nvml_),
      mps_(attribute(mps_enabled, ordinal) != 0),
      library_(driver_version()),
      generated_(driver_version()),
      info_(describe_device(ordinal, mps_, nvml_)) {
  list_kernels();
  devices_of_process().push_back(this);
}

CudaDevice::~CudaDevice() {
  std::erase(devices_of_process(), this);
  if (!gpu_ || gpu_->timer().gave_up()) return;
  library_.close();
  generated_.close();
  cudnn_.close();
}

void CudaDevice::list_kernels() {
  info_.instruction_sets = {fmt::format("sm_{}", architecture_.code / 10)};
  info_.libraries = {{"NVML", nvml_.file()},
                     {"cuBLASLt", library_.file()},
                     {"NVRTC", generated_.compiler().file()},
                     {"cuDNN", cudnn_.file()}};
  std::erase_if(info_.libraries, [](const LoadedLibrary& one) { return one.file.empty(); });
  rows_.clear();
  for (const FamilyOnGpu* here : families_on_gpu)
    std::ranges::move(rows_of(*here, facts()), std::back_inserter(rows_));
}

GpuFacts CudaDevice::facts() const {
  return {architecture_, info_.multiprocessors, library_, cudnn_};
}

void CudaDevice::open() {
  if (gpu_) return;
  if (!lost_.empty()) throw DeviceLost(lost_);
  sensors_.keep_on();  // its first look takes as long as a part of starting the GPU
  try {
    refuse_without_code(ordinal_, info_);
    gpu_.emplace(ordinal_);
  } catch (const DeviceLost& lost) {
    lost_ = fmt::format("{} cannot be used: {}", info_.id, lost.what());
    throw DeviceLost(lost_);
  } catch (const Unsupported& refused) {  // such as full memory: it may go better later
    throw DeviceLost(fmt::format("{} cannot be used: {}", info_.id, refused.what()));
  }
  if (gpu_->architecture() == architecture_) return;
  architecture_ = gpu_->architecture();
  list_kernels();
}

std::vector<ShapeAxis> CudaDevice::shape_axes(const Case& c) const {
  const FamilyOnGpu* here = on_gpu(c.family);
  if (here == nullptr || here->axes == nullptr) return {};
  return here->axes(c, facts());
}

std::unique_ptr<Trial> CudaDevice::prepare(const Case& c, std::stop_token stop) {
  if (c.family->prepare_on_host != nullptr) return c.family->prepare_on_host(c, info_.kind, stop);
  open();
  Gpu& gpu = *gpu_;
  gpu.timer().refuse_if_lost();
  gpu.activate();
  refuse_bad(c, rows_);
  refuse_unknown_shape(c, shape_axes(c));
  if (stop.stop_requested()) throw Cancelled();
  if (const std::string why = refusal_of(c); !why.empty()) throw Unsupported(why);
  return on_gpu(c.family)->prepare({gpu, library_, cudnn_, generated_}, c);  // it has a row
}

void CudaDevice::watch() {
  sensors_.keep_on();
  if (gpu_) gpu_->timer().take_turns();
}

Conditions CudaDevice::conditions() {
  Conditions now = sensors_.latest();
  if (!gpu_) return now;
  add_turns(gpu_->timer().take_turns(), mps_, now);
  return now;
}

double CudaDevice::free_bytes() const {
  // NVML tells of the whole GPU, of which this can be a slice.
  if (!gpu_) return std::min(nvml_.free_bytes().value_or(info_.memory_bytes), info_.memory_bytes);
  gpu_->timer().refuse_if_lost();
  gpu_->activate();
  return gpu_->free_bytes();
}

}  // namespace kernels::cuda
