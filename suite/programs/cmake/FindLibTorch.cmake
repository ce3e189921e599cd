# Finds LibTorch (the C++ libraries inside a PyTorch wheel, or a LibTorch archive) by its headers
# and libraries alone. PyTorch's own TorchConfig.cmake also requires the CUDA toolkit, Kineto and
# more that a program which only calls LibTorch does not need.
#
# Searches Torch_ROOT, Torch_DIR (.../share/cmake/Torch), CMAKE_PREFIX_PATH (the torch folder or its
# share/cmake, as `python -c "import torch; print(torch.utils.cmake_prefix_path)"` prints it) and
# the environment variables of the same names.
#
# Sets LibTorch_FOUND, LibTorch_VERSION, LibTorch_LIBRARY_DIR and the target LibTorch::LibTorch.
# The target links libtorch_cpu and libc10 only. A program loads the GPU part of a CUDA wheel when a
# user asks for it (common/device.cc), so that a run on the CPU does not map gigabytes.

set(_libtorch_hints ${Torch_ROOT} $ENV{Torch_ROOT})
foreach(_dir ${Torch_DIR} $ENV{Torch_DIR})
  list(APPEND _libtorch_hints "${_dir}/../../..")
endforeach()
foreach(_dir ${CMAKE_PREFIX_PATH} $ENV{CMAKE_PREFIX_PATH})
  list(APPEND _libtorch_hints "${_dir}" "${_dir}/../..")
endforeach()

find_path(LibTorch_INCLUDE_DIR ATen/ATen.h HINTS ${_libtorch_hints} PATH_SUFFIXES include)
find_path(LibTorch_API_INCLUDE_DIR torch/torch.h
  HINTS ${_libtorch_hints} PATH_SUFFIXES include/torch/csrc/api/include)
find_library(LibTorch_CPU_LIBRARY torch_cpu HINTS ${_libtorch_hints} PATH_SUFFIXES lib)
find_library(LibTorch_C10_LIBRARY c10 HINTS ${_libtorch_hints} PATH_SUFFIXES lib)
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_API_INCLUDE_DIR LibTorch_CPU_LIBRARY
  LibTorch_C10_LIBRARY)

# The header with the version has moved between releases, so both places are read.
unset(LibTorch_VERSION)
foreach(_header "${LibTorch_INCLUDE_DIR}/torch/headeronly/version.h"
    "${LibTorch_API_INCLUDE_DIR}/torch/version.h")
  if(NOT LibTorch_VERSION AND EXISTS "${_header}")
    file(READ "${_header}" _text)
    if(_text MATCHES "TORCH_VERSION_MAJOR ([0-9]+)")
      set(LibTorch_VERSION "${CMAKE_MATCH_1}")
      if(_text MATCHES "TORCH_VERSION_MINOR ([0-9]+)")
        string(APPEND LibTorch_VERSION ".${CMAKE_MATCH_1}")
      endif()
      if(_text MATCHES "TORCH_VERSION_PATCH ([0-9]+)")
        string(APPEND LibTorch_VERSION ".${CMAKE_MATCH_1}")
      endif()
    endif()
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR
    LibTorch_API_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION)

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  get_filename_component(LibTorch_LIBRARY_DIR "${LibTorch_CPU_LIBRARY}" DIRECTORY)
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  set_target_properties(LibTorch::LibTorch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_INCLUDE_DIR};${LibTorch_API_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${LibTorch_CPU_LIBRARY};${LibTorch_C10_LIBRARY}"
    INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()
