# Which toolkits and architectures cmake/CudaToolkit.cmake chooses.
#   cmake -DROOT=SOURCES -DSCRATCH=FOLDER -P toolkit_test.cmake
include(${ROOT}/cmake/CudaToolkit.cmake)

function(expect what got wanted)
  if(NOT "${got}" STREQUAL "${wanted}")
    message(SEND_ERROR "${what}: expected \"${wanted}\", got \"${got}\"")
  endif()
endfunction()

# Real code where it exists; PTX (no suffix: both) of 8.0 and of the newest everywhere, of 10.0 where it is known.
set(before_blackwell "75-real;80;86-real;89-real;90")
set(with_blackwell "75-real;80;86-real;89-real;90-real;100;120")
foreach(row "12.4 before" "12.6 before" "12.8 with" "12.9 with" "13.0 with" "13.1 with")
  separate_arguments(row)
  list(GET row 0 version)
  list(GET row 1 list)
  ridgepoint_cuda_architectures(${version} got)
  expect("architectures of ${version}" "${got}" "${${list}_blackwell}")
endforeach()

# A compiler that says what TEXT is.
file(REMOVE_RECURSE ${SCRATCH})
function(write_nvcc text)
  file(WRITE ${SCRATCH}/nvcc "#!/bin/sh\nprintf '%s\\n' '${text}'\n")
  file(CHMOD ${SCRATCH}/nvcc PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()
foreach(row "11.8 old" "12.3 old" "12.4 fine" "12.8 fine" "13.0 fine")
  separate_arguments(row)
  list(GET row 0 release)
  list(GET row 1 state)
  write_nvcc("Cuda compilation tools, release ${release}, V${release}.99")
  ridgepoint_check_nvcc(${SCRATCH}/nvcc version why)
  expect("version" "${version}" ${release})
  if(state STREQUAL "old")
    expect("reason" "${why}" "nvcc ${release} (${SCRATCH}/nvcc) is older than 12.4")
  else()
    expect("reason" "${why}" "")
  endif()
endforeach()
write_nvcc("no compiler at all")
ridgepoint_check_nvcc(${SCRATCH}/nvcc version why)
expect("reason" "${why}" "${SCRATCH}/nvcc does not tell its version (0)")

# What a word for architectures stands for is what nvcc takes it for.
file(WRITE ${SCRATCH}/nvcc [[#!/bin/sh
case $1 in
  -arch=all) echo '#$ fatbinary "--image3=kind=elf,sm=75,file=a" "--image3=kind=ptx,sm=120,file=b" "--image3=kind=elf,sm=120,file=c"' >&2 ;;
esac
]])
foreach(row "all=75-real,120-virtual,120-real" "90-real=90-real" "80,90-virtual=80,90-virtual")
  string(REGEX REPLACE "=.*" "" list "${row}")
  string(REGEX REPLACE ".*=" "" wanted "${row}")
  string(REPLACE "," ";" list "${list}")
  string(REPLACE "," ";" wanted "${wanted}")
  ridgepoint_spelled_architectures(${SCRATCH}/nvcc "${list}" got)
  expect("architectures of ${list}" "${got}" "${wanted}")
endforeach()

# The one that was named is the one that is taken.
set(ENV{CUDACXX} ${SCRATCH}/nvcc)
ridgepoint_find_nvcc(found)
expect("named by CUDACXX" "${found}" "${SCRATCH}/nvcc")
set(CMAKE_CUDA_COMPILER /named/nvcc)
ridgepoint_find_nvcc(found)
expect("named by CMAKE_CUDA_COMPILER" "${found}" "/named/nvcc")
