# glad 2 makes the OpenGL 3.3 loader at configure time; it needs no network. Target: ridgepoint_glad.
find_program(GLAD_EXECUTABLE glad REQUIRED)
set(glad_folder ${PROJECT_BINARY_DIR}/glad)
if(NOT EXISTS ${glad_folder}/src/gl.c)
  execute_process(
    COMMAND ${GLAD_EXECUTABLE} --api gl:core=3.3 --reproducible --out-path ${glad_folder} c
    RESULT_VARIABLE glad_result OUTPUT_QUIET ERROR_VARIABLE glad_errors)
  if(NOT glad_result EQUAL 0)
    message(FATAL_ERROR "glad could not make the OpenGL loader (install python3-glad): ${glad_errors}")
  endif()
endif()
enable_language(C)
add_library(ridgepoint_glad STATIC ${glad_folder}/src/gl.c)
target_include_directories(ridgepoint_glad SYSTEM PUBLIC ${glad_folder}/include)
target_link_libraries(ridgepoint_glad PUBLIC ${CMAKE_DL_LIBS})
