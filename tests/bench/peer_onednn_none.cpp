#include "tests/bench/peers.hpp"

namespace bench {

void add_onednn(Peers& peers, const kernels::DeviceInfo& device) {
  if (device.kind != "cpu") return;
  peers.missing.push_back({"oneDNN", "install the Debian package libdnnl-dev and configure again"});
}

}  // namespace bench
