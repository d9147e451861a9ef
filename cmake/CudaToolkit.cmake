# Which CUDA Toolkit there is, and which architectures the kernels are built for with it. Also runs in script mode, for
# its test (tests/cuda/toolkit_test.cmake).
set(RIDGEPOINT_LEAST_TOOLKIT 12.4)

# ridgepoint_cuda_architectures(VERSION OUT): machine code for each architecture that a toolkit knows, and PTX, which
# drivers translate: of 8.0 for Orin (8.7), of 10.0 for Thor (11.0), of the newest for what comes next. B300 (10.3) and
# GB10 (12.1) run the machine code of 10.0 and 12.0 or that PTX.
function(ridgepoint_cuda_architectures version out)
  set(architectures 75-real 80 86-real 89-real)
  if(version VERSION_LESS 12.8)  # the first that knows Blackwell, which runs the PTX of 9.0
    list(APPEND architectures 90)
  else()
    list(APPEND architectures 90-real 100 120)
  endif()
  set(${out} ${architectures} PARENT_SCOPE)
endfunction()

# ridgepoint_find_nvcc(OUT): the nvcc that was named (CMAKE_CUDA_COMPILER, CUDACXX), that of CUDA_HOME or CUDA_PATH, on
# PATH, or in /usr/local/cuda. Empty where there is none.
function(ridgepoint_find_nvcc out)
  if(CMAKE_CUDA_COMPILER)
    set(found ${CMAKE_CUDA_COMPILER})
  elseif(DEFINED ENV{CUDACXX})
    separate_arguments(found UNIX_COMMAND "$ENV{CUDACXX}")  # it may hold options, too
    list(GET found 0 found)
  else()
    find_program(RIDGEPOINT_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATH_SUFFIXES bin PATHS /usr/local/cuda)
    mark_as_advanced(RIDGEPOINT_NVCC)
    set(found ${RIDGEPOINT_NVCC})
  endif()
  if(NOT found)
    set(found "")
  endif()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# ridgepoint_spelled_architectures(NVCC LIST OUT): a list in which "native", "all" and "all-major" are what this nvcc
# takes them for, in the words of CMake: 80-real is machine code, 80-virtual PTX.
function(ridgepoint_spelled_architectures nvcc list out)
  if(list MATCHES "^(native|all|all-major)$")
    execute_process(COMMAND ${nvcc} -arch=${list} --dryrun -x cu -c /dev/null -o unused.o
      OUTPUT_VARIABLE steps ERROR_VARIABLE steps)
    string(REGEX MATCHALL "kind=(elf|ptx),sm=[0-9]+a?" images "${steps}")
    list(TRANSFORM images REPLACE "kind=elf,sm=(.*)" "\\1-real" OUTPUT_VARIABLE list)
    list(TRANSFORM list REPLACE "kind=ptx,sm=(.*)" "\\1-virtual")
  endif()
  set(${out} ${list} PARENT_SCOPE)
endfunction()

# ridgepoint_check_nvcc(NVCC VERSION WHY): its version, and in WHY what speaks against it, or nothing.
function(ridgepoint_check_nvcc nvcc version why)
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE status)
  set(found "")
  set(reason "")
  if(text MATCHES "release ([0-9]+\\.[0-9]+)")
    set(found ${CMAKE_MATCH_1})
    if(found VERSION_LESS RIDGEPOINT_LEAST_TOOLKIT)
      set(reason "nvcc ${found} (${nvcc}) is older than ${RIDGEPOINT_LEAST_TOOLKIT}")
    endif()
  else()
    set(reason "${nvcc} does not tell its version (${status})")
  endif()
  set(${version} "${found}" PARENT_SCOPE)
  set(${why} "${reason}" PARENT_SCOPE)
endfunction()
