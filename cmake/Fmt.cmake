# fmt without its shared library, so that programs run where that is not installed: target ridgepoint_fmt. The
# header-only form would cost each file two to four seconds, so what is no template is compiled here, once. Where the
# installed version needs more than fmt.cpp holds, the shared library is linked.
find_package(fmt REQUIRED)
get_target_property(fmt_folders fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
try_compile(RIDGEPOINT_OWN_FMT ${PROJECT_BINARY_DIR}/fmt_check
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp ${CMAKE_CURRENT_LIST_DIR}/fmt_check.cpp
  CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${fmt_folders}" CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
if(RIDGEPOINT_OWN_FMT)
  add_library(ridgepoint_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
  target_include_directories(ridgepoint_fmt SYSTEM PUBLIC ${fmt_folders})
  target_compile_features(ridgepoint_fmt PUBLIC cxx_std_20)
else()
  message(STATUS "Programs need libfmt at run time: this version's own library is linked")
  add_library(ridgepoint_fmt INTERFACE)
  target_link_libraries(ridgepoint_fmt INTERFACE fmt::fmt)
endif()
