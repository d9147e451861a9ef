# What the desktop window is made of, without GLFW and OpenGL: the model (no ImGui), and the panels that draw it.
find_package(PkgConfig REQUIRED)
pkg_check_modules(imgui REQUIRED imgui)
pkg_check_modules(freetype REQUIRED freetype2)

ridgepoint_library(ridgepoint_app_state
  HEADERS actions.hpp actions_parts.hpp app_state.hpp availability.hpp division.hpp file_dialog.hpp following.hpp hints.hpp hover.hpp
          inspection.hpp intents.hpp keeping.hpp keys.hpp limits.hpp memo.hpp picture_job.hpp progress.hpp recovery.hpp redraw.hpp
          results.hpp results_filter.hpp settings.hpp subject.hpp ui_map.hpp versioned.hpp zoom.hpp
  SOURCES actions.cpp actions_keep.cpp actions_look.cpp actions_measure.cpp app_state.cpp availability.cpp division.cpp
          file_dialog.cpp file_intents.cpp following.cpp hints.cpp hover.cpp inspection.cpp intents.cpp keeping.cpp limits.cpp
          palette.cpp removal_intents.cpp picture_job.cpp progress.cpp recovery.cpp redraw.cpp results.cpp results_filter.cpp settings.cpp subject.cpp ui_map.cpp zoom.cpp
  LINK ridgepoint_figures)
target_link_libraries(ridgepoint_app_state PRIVATE nlohmann_json::nlohmann_json fmt::fmt)

# libimgui.a holds the GLFW and OpenGL 3 backends too; Debian's .pc file names neither GLFW's nor FreeType's libraries.
add_library(ridgepoint_imgui INTERFACE)
target_include_directories(ridgepoint_imgui SYSTEM INTERFACE ${imgui_INCLUDE_DIRS})
target_link_directories(ridgepoint_imgui INTERFACE ${imgui_LIBRARY_DIRS})
target_link_libraries(ridgepoint_imgui INTERFACE ${imgui_LIBRARIES} ${freetype_LIBRARIES})

ridgepoint_library(ridgepoint_panels
  HEADERS imgui_canvas.hpp imgui_compat.hpp triangles.hpp panels/bottom.hpp panels/choices.hpp panels/close_question.hpp
          panels/controls.hpp panels/dialogs.hpp panels/export_options.hpp panels/header.hpp panels/help.hpp panels/hints.hpp panels/inspector.hpp panels/list_rows.hpp panels/log.hpp
          panels/palette.hpp panels/panel_cache.hpp panels/panel_view.hpp panels/plots.hpp panels/read_out.hpp panels/results.hpp
          panels/roof_table.hpp panels/roofs.hpp panels/screen.hpp panels/splitters.hpp panels/status_bar.hpp panels/theme.hpp
          panels/verdict.hpp panels/widgets.hpp
  SOURCES imgui_canvas.cpp imgui_compat.cpp triangles.cpp panels/bottom.cpp panels/choices.cpp panels/close_question.cpp
          panels/controls.cpp panels/dialogs.cpp panels/export_options.cpp panels/header.cpp panels/help.cpp panels/hints.cpp panels/inspector.cpp panels/list_rows.cpp panels/log.cpp
          panels/palette.cpp panels/panel_cache.cpp panels/panel_view.cpp panels/plots.cpp panels/read_out.cpp panels/results.cpp panels/roof_table.cpp
          panels/roofs.cpp panels/screen.cpp panels/splitters.cpp panels/status_bar.cpp panels/theme.cpp panels/verdict.cpp
          panels/widgets.cpp
  LINK ridgepoint_app_state ridgepoint_imgui)
target_link_libraries(ridgepoint_panels PRIVATE fmt::fmt)
