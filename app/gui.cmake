# The desktop window: GLFW, OpenGL 3.3 through glad, Dear ImGui.
find_package(glfw3 3.3 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(fontconfig REQUIRED fontconfig)
include(Glad)

target_sources(ridgepoint_app PRIVATE child.cpp clipboard.cpp desktop_theme.cpp gui.cpp input_queue.cpp picture_writer.cpp recovery_writer.cpp window.cpp
                                      window_fonts.cpp window_map.cpp window_signals.cpp)
target_sources(ridgepoint_app PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
               FILES child.hpp clipboard.hpp desktop_theme.hpp input_queue.hpp picture_writer.hpp recovery_writer.hpp window.hpp window_fonts.hpp window_map.hpp
                     window_signals.hpp)
target_include_directories(ridgepoint_app SYSTEM PRIVATE ${fontconfig_INCLUDE_DIRS})
# libimgui.a calls GLFW: it comes first on the linker's line.
target_link_libraries(ridgepoint_app PUBLIC ridgepoint_panels
                      PRIVATE ridgepoint_imgui ridgepoint_glad glfw ${fontconfig_LIBRARIES})
