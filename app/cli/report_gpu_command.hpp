// `ridgepoint report-gpu`: the results of scripts/gpu-check.sh as one page.
#pragma once

#include <string>

#include "app/cli/exit_codes.hpp"
#include "app/output/output.hpp"

namespace app {

struct ReportGpuArguments {
  std::string folder;
  std::string output;  ///< Markdown file; empty: standard output
};

/// Throws Failure, engine::BadInput, engine::CannotWrite.
Exit report_gpu_command(const ReportGpuArguments&, Output&);

}  // namespace app
