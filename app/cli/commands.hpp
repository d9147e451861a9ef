// What the commands do once their arguments are read. Each throws Failure, engine::BadInput or
// engine::CannotWrite.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/cli/exit_codes.hpp"
#include "app/cli/picture_options.hpp"
#include "app/output/output.hpp"
#include "engine/worker/sweeper.hpp"
#include "kernels/device.hpp"

namespace app {

/// `ridgepoint devices`: every device it can measure, what each can run, and why others cannot be
/// measured.
Exit devices_command(bool json, Output&);
/// One device for people: facts, then a table of what runs, with numbered reasons and notes.
std::string device_text(const kernels::DeviceInfo&, std::span<const kernels::Kernel>,
                        double free_bytes);

struct ExplainArguments {
  std::string session;
  bool markdown = false;
};
/// `ridgepoint explain`: what limits the points of a session, in words; as Markdown with tables of
/// points and roofs.
Exit explain_command(const ExplainArguments&, Output&);

struct PlotArguments {
  std::vector<std::string> sessions;
  std::string output;
  bool data = false;  ///< the numbers behind the picture too, beside it
  PictureText picture;
};
/// `ridgepoint plot`: session files -> a picture file, without a display.
Exit plot_command(const PlotArguments&, Output&);

struct CompareArguments {
  std::vector<std::string> sessions;  ///< one or two
  std::string a, b;                   ///< words that choose the points of each side; empty: all
  std::string output;                 ///< the picture; empty: none
  std::string csv;                    ///< the numbers; empty: none
  PictureText picture;
};
/// `ridgepoint compare`: how much faster or slower one side is than the other, point by point.
Exit compare_command(const CompareArguments&, Output&);

struct SweepArguments {
  std::vector<std::pair<std::string, std::string>> knobs;  ///< name as in engine::knobs(), text
  std::string output;
  std::string csv;
  std::string plot;
  PictureText picture;
  bool stream = false;
  bool list = false;
  bool remeasure = false;
  std::string roofs;  ///< watch: a session of the same device, whose roofs are known; empty: none
};
/// `ridgepoint sweep`: one lab without a window. Checks everything that can be checked before a
/// device is opened, then measures.
Exit sweep_command(const SweepArguments&, Output&,
                   engine::Sweeper::OpenDevices open_devices = kernels::open_devices);

/// `ridgepoint watch`: what runs on a GPU, whoever started it, a line a second and at the end what
/// limited it.
Exit watch_command(SweepArguments, Output&,
                   engine::Sweeper::OpenDevices open_devices = kernels::open_devices);

struct TourArguments {
  std::string recorded;  ///< SESSION.json to draw instead of measuring; empty: measure
  std::string device;    ///< empty: the first usable GPU, else the CPU
  std::string output;    ///< FILE.html or FILE.pdf
  std::string session;   ///< FILE.json; empty: none
};
/// `ridgepoint tour`: every lab with short settings, and one report of them. Report and session are
/// written after every lab, so that a crash leaves what there is. An interrupt ends the lab at
/// hand; the report has what was measured, and says so. A recorded session becomes a report of the
/// labs that have points in it, and nothing is measured. Tests give devices and a clock of their
/// own.
Exit tour_command(const TourArguments&, Output&,
                  engine::Sweeper::OpenDevices = kernels::open_devices, const engine::Timing& = {});

}  // namespace app
