# Compiler settings that every target of the project shares, as one interface target, and a helper for libraries.
add_library(ridgepoint_options INTERFACE)
target_compile_features(ridgepoint_options INTERFACE cxx_std_20)
target_include_directories(ridgepoint_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
             -Wold-style-cast -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # g++ 12 sees overlaps in "a" + string at -O3 (GCC bug 105651)
  list(APPEND warnings -Wno-restrict)
  if(RIDGEPOINT_PCH)  # the same, and precompiled it is no longer silent as a system header
    list(APPEND warnings -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)  # what only g++ knows, and constants that only a template asks for
  list(APPEND warnings -Wno-unknown-attributes -Wno-unused-const-variable)
endif()
# Where several files are one, a name in one may be that of a local one in another.
list(APPEND warnings "$<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-shadow>")
if(RIDGEPOINT_WERROR)
  list(APPEND warnings -Werror)
endif()
target_compile_options(ridgepoint_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND RIDGEPOINT_PCH)  # guesses about library code: seen, but no errors
  set(guesses -Wno-error=stringop-overread -Wno-error=array-bounds -Wno-error=maybe-uninitialized)
  if(RIDGEPOINT_SANITIZE)
    target_compile_options(ridgepoint_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${guesses}>")
  else()
    target_compile_options(ridgepoint_options INTERFACE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:${guesses}>")
  endif()
endif()
if(RIDGEPOINT_SANITIZE)
  target_compile_options(ridgepoint_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${RIDGEPOINT_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  # What AddressSanitizer reports on its own, in an eighth less of the compiler's time.
  if(RIDGEPOINT_SANITIZE MATCHES "address" AND RIDGEPOINT_SANITIZE MATCHES "undefined")
    target_compile_options(ridgepoint_options INTERFACE
      "$<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,object-size>")
  endif()
  # Uses of local variables after their function has returned are not looked for: this takes a fifth of the tests' time, and
  # g++ does not do it by default either.
  if(RIDGEPOINT_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    target_compile_options(ridgepoint_options INTERFACE
      "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize-address-use-after-return=never>")
  endif()
  set(sanitizer RIDGEPOINT_ASAN)  # what tests ask for
  if(RIDGEPOINT_SANITIZE STREQUAL "thread")
    set(sanitizer RIDGEPOINT_TSAN)
  endif()
  target_compile_definitions(ridgepoint_options INTERFACE _GLIBCXX_ASSERTIONS ${sanitizer})
  target_link_options(ridgepoint_options INTERFACE -fsanitize=${RIDGEPOINT_SANITIZE})
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# One precompiled header of the heavy standard headers for every library, and one with doctest for the test programs
# (tests/CMakeLists.txt): libraries are built with -fPIC and programs with -fPIE, and a compiler takes only what it
# precompiled with the same flags.
# A file with options of its own sets SKIP_PRECOMPILE_HEADERS. Every file still names what it uses: the header check
# compiles without them.
if(RIDGEPOINT_PCH)
  add_library(ridgepoint_pch STATIC ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  target_link_libraries(ridgepoint_pch PRIVATE ridgepoint_options ridgepoint_fmt)
  target_precompile_headers(ridgepoint_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp)
endif()

# ridgepoint_precompiled(NAME [DONOR]): the target NAME reuses the precompiled header of DONOR, else that of libraries.
function(ridgepoint_precompiled name)
  set(donor ridgepoint_pch ${ARGN})
  list(GET donor -1 donor)
  if(TARGET ${donor})
    target_link_libraries(${name} PRIVATE ridgepoint_fmt)  # its macros are part of what was precompiled
    target_precompile_headers(${name} REUSE_FROM ${donor})
  endif()
endfunction()

# ridgepoint_library(NAME HEADERS a.hpp ... SOURCES b.cpp ... LINK lib ...): a static library whose public headers each
# compile alone (target all_verify_interface_header_sets).
function(ridgepoint_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;SOURCES;LINK")
  add_library(${name} STATIC ${arg_SOURCES})
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_HEADERS})
  target_link_libraries(${name} PUBLIC ridgepoint_options ${arg_LINK})
  set_target_properties(${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()
