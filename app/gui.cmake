# The desktop window: GLFW, OpenGL 3.3 through glad, Dear ImGui.
find_package(glfw3 3.3 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(fontconfig REQUIRED fontconfig)
include(Glad)

target_sources(ridgepoint_app PRIVATE jobs/child.cpp jobs/clipboard.cpp jobs/job_thread.cpp window/desktop_theme.cpp window/gui.cpp window/input_queue.cpp jobs/picture_writer.cpp jobs/autosave_writer.cpp window/window.cpp
                                      window/window_fonts.cpp window/window_signals.cpp)
target_sources(ridgepoint_app PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
               FILES jobs/child.hpp jobs/clipboard.hpp jobs/job_thread.hpp window/desktop_theme.hpp window/input_queue.hpp jobs/picture_writer.hpp jobs/autosave_writer.hpp window/window.hpp
                     window/window_signals.hpp)
target_include_directories(ridgepoint_app SYSTEM PRIVATE ${fontconfig_INCLUDE_DIRS})
# libimgui.a calls GLFW: it comes first on the linker's line.
target_link_libraries(ridgepoint_app PUBLIC ridgepoint_panels
                      PRIVATE ridgepoint_imgui ridgepoint_glad glfw ${fontconfig_LIBRARIES})
