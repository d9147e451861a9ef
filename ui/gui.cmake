# What the desktop window is made of, without GLFW and OpenGL: the model (no ImGui), and the panels that draw it.
find_package(PkgConfig REQUIRED)
pkg_check_modules(imgui REQUIRED imgui)
pkg_check_modules(freetype REQUIRED freetype2)

ridgepoint_library(ridgepoint_app_state
  HEADERS actions/actions.hpp actions/actions_parts.hpp model/app_state.hpp model/availability.hpp model/commands.hpp model/dialogs.hpp model/documents.hpp model/look.hpp model/worker_state.hpp screen/division.hpp actions/file_dialog.hpp model/spec_from_session.hpp actions/hints.hpp screen/hover.hpp
          model/inspection.hpp actions/intents.hpp autosave/autosave.hpp actions/keys.hpp screen/limits.hpp model/memo.hpp model/picture_job.hpp model/progress.hpp autosave/autosave_folder.hpp screen/redraw.hpp
          model/results.hpp model/results_filter.hpp model/settings.hpp model/verdict_target.hpp screen/ui_map.hpp model/versioned.hpp screen/zoom.hpp
  SOURCES actions/actions.cpp actions/actions_keep.cpp actions/actions_look.cpp actions/actions_measure.cpp model/app_state.cpp model/availability.cpp screen/division.cpp
          actions/file_dialog.cpp actions/file_intents.cpp model/spec_from_session.cpp actions/hints.cpp screen/hover.cpp model/inspection.cpp actions/intents.cpp autosave/autosave.cpp screen/limits.cpp
          actions/palette.cpp actions/pointer_intents.cpp actions/removal_intents.cpp model/picture_job.cpp model/progress.cpp autosave/autosave_folder.cpp screen/redraw.cpp model/results.cpp model/results_filter.cpp model/settings.cpp model/verdict_target.cpp screen/ui_map.cpp screen/zoom.cpp
  LINK ridgepoint_figures)
target_link_libraries(ridgepoint_app_state PRIVATE nlohmann_json::nlohmann_json ridgepoint_fmt)
ridgepoint_precompiled(ridgepoint_app_state)

# libimgui.a holds the GLFW and OpenGL 3 backends too; Debian's .pc file names neither GLFW's nor FreeType's libraries.
add_library(ridgepoint_imgui INTERFACE)
target_include_directories(ridgepoint_imgui SYSTEM INTERFACE ${imgui_INCLUDE_DIRS})
target_link_directories(ridgepoint_imgui INTERFACE ${imgui_LIBRARY_DIRS})
target_link_libraries(ridgepoint_imgui INTERFACE ${imgui_LIBRARIES} ${freetype_LIBRARIES})

ridgepoint_library(ridgepoint_panels
  HEADERS widgets/imgui_canvas.hpp widgets/imgui_compat.hpp widgets/triangles.hpp panels/bottom.hpp views/claim.hpp widgets/choices.hpp dialogs/close_question.hpp
          panels/controls.hpp dialogs/dialogs.hpp dialogs/export_options.hpp panels/header.hpp dialogs/help.hpp panels/hints.hpp views/inspector.hpp panels/lab_list.hpp widgets/list_rows.hpp panels/log.hpp
          dialogs/palette.hpp views/panel_cache.hpp views/panel_view.hpp views/plots.hpp widgets/read_out.hpp views/results.hpp
          views/roof_table.hpp views/roofs.hpp panels/screen.hpp panels/splitters.hpp panels/status_bar.hpp widgets/theme.hpp
          views/verdict.hpp widgets/widgets.hpp
  SOURCES widgets/imgui_canvas.cpp widgets/imgui_compat.cpp widgets/triangles.cpp panels/bottom.cpp views/claim.cpp widgets/choices.cpp dialogs/close_question.cpp
          panels/controls.cpp dialogs/dialogs.cpp dialogs/export_options.cpp panels/header.cpp dialogs/help.cpp panels/hints.cpp views/inspector.cpp panels/lab_list.cpp widgets/list_rows.cpp panels/log.cpp
          dialogs/palette.cpp views/panel_cache.cpp views/panel_view.cpp views/plots.cpp widgets/read_out.cpp views/results.cpp views/roof_table.cpp
          views/roofs.cpp panels/screen.cpp panels/splitters.cpp panels/status_bar.cpp widgets/theme.cpp views/verdict.cpp
          widgets/widgets.cpp
  LINK ridgepoint_app_state ridgepoint_imgui)
ridgepoint_precompiled(ridgepoint_panels)
