# What the desktop window is made of, without GLFW and OpenGL: the model (no ImGui), and the panels that draw it.
find_package(PkgConfig REQUIRED)
pkg_check_modules(imgui REQUIRED imgui)
pkg_check_modules(freetype REQUIRED freetype2)

ridgepoint_library(ridgepoint_app_state
  HEADERS actions/actions.hpp actions/actions_parts.hpp actions/events.hpp model/app_state.hpp model/availability.hpp model/commands.hpp model/dialogs.hpp model/documents.hpp screen/exercise.hpp screen/guide.hpp screen/guide_points.hpp model/look.hpp model/worker_state.hpp model/division.hpp model/opened_spec.hpp screen/hover.hpp
          screen/inspection.hpp screen/legend.hpp screen/compared.hpp actions/intents.hpp screen/presentation.hpp autosave/autosave.hpp screen/limits.hpp model/memo.hpp screen/progress.hpp autosave/autosave_folder.hpp screen/redraw.hpp
          screen/results.hpp model/settings.hpp screen/verdict_target.hpp widgets/ui_map.hpp model/versioned.hpp model/zoom.hpp
  SOURCES actions/actions.cpp actions/actions_keep.cpp actions/actions_look.cpp actions/actions_measure.cpp actions/closing.cpp actions/events.cpp model/app_state.cpp model/availability.cpp model/division.cpp
          model/dialogs.cpp actions/file_intents.cpp model/opened_spec.cpp actions/lessons.cpp screen/exercise.cpp screen/guide.cpp screen/guide_points.cpp screen/hover.cpp screen/inspection.cpp screen/legend.cpp screen/compared.cpp actions/chart_intents.cpp actions/intents.cpp autosave/autosave.cpp screen/limits.cpp
          actions/middle_intents.cpp screen/presentation.cpp actions/removal_intents.cpp model/commands.cpp screen/progress.cpp autosave/autosave_folder.cpp screen/results.cpp model/settings.cpp screen/verdict_target.cpp widgets/ui_map.cpp model/zoom.cpp
  LINK ridgepoint_pages)
target_link_libraries(ridgepoint_app_state PRIVATE nlohmann_json::nlohmann_json ridgepoint_fmt)
ridgepoint_precompiled(ridgepoint_app_state)

# libimgui.a holds the GLFW and OpenGL 3 backends too; Debian's .pc file names neither GLFW's nor FreeType's libraries.
add_library(ridgepoint_imgui INTERFACE)
target_include_directories(ridgepoint_imgui SYSTEM INTERFACE ${imgui_INCLUDE_DIRS})
target_link_directories(ridgepoint_imgui INTERFACE ${imgui_LIBRARY_DIRS})
target_link_libraries(ridgepoint_imgui INTERFACE ${imgui_LIBRARIES} ${freetype_LIBRARIES})

ridgepoint_library(ridgepoint_panels
  HEADERS widgets/imgui_canvas.hpp widgets/imgui_compat.hpp widgets/triangles.hpp
          dialogs/dialogs.hpp panels/panels.hpp views/views.hpp
          views/panel_cache.hpp views/panel_view.hpp
          widgets/theme.hpp
          widgets/widgets.hpp
  SOURCES widgets/imgui_canvas.cpp widgets/imgui_compat.cpp widgets/triangles.cpp panels/bottom.cpp views/claim.cpp views/comparison.cpp dialogs/close_question.cpp
          panels/controls.cpp dialogs/dialogs.cpp dialogs/export_options.cpp dialogs/export_preview.cpp panels/header.cpp dialogs/help.cpp panels/strips.cpp views/inspector.cpp panels/lab_list.cpp widgets/menu.cpp panels/log.cpp panels/presentation.cpp
          dialogs/palette.cpp views/legend_strip.cpp views/panel_view.cpp views/plots.cpp widgets/read_out.cpp views/results.cpp
          views/roofs.cpp panels/screen.cpp widgets/splitters.cpp panels/status_bar.cpp widgets/theme.cpp views/verdict.cpp
          widgets/widgets.cpp widgets/slider.cpp
  LINK ridgepoint_app_state ridgepoint_imgui)
ridgepoint_precompiled(ridgepoint_panels)
