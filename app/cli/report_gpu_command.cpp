#include "app/cli/report_gpu_command.hpp"

#include "app/output/gpu_report.hpp"
#include "app/output/targets.hpp"

namespace app {

Exit report_gpu_command(const ReportGpuArguments& arguments, Output& output) {
  const std::string page = gpu_report(read_gpu_results(arguments.folder));
  if (arguments.output.empty()) {
    output.write(page);
  } else {
    const Target target(arguments.output);
    target.check();
    target.write(page, output);
  }
  output.finish();
  return Exit::done;
}

}  // namespace app
