// The host's clock and its rests while it waits. Of its own, so that tests wait on a virtual clock.
#pragma once

namespace kernels::cuda {

/// Seconds on a clock that never goes back.
double host_seconds();

/// Lets others run: a moment when the end is near, else about 50 us.
void host_pause(bool near);

}  // namespace kernels::cuda
