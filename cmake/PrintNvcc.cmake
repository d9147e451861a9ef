# Prints the nvcc that a build takes, for scripts/setup.sh: cmake [-DCMAKE_CUDA_COMPILER=...] -P PrintNvcc.cmake
include(${CMAKE_CURRENT_LIST_DIR}/CudaToolkit.cmake)
ridgepoint_find_nvcc(nvcc)
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${nvcc}")
