// The results of a check on a GPU as one page: what held, what did not, and published figures
// beside ours. Pure.
#pragma once

#include <string>

#include "app/output/gpu_results.hpp"

namespace app {

/// Markdown.
std::string gpu_report(const GpuResults&);

}  // namespace app
