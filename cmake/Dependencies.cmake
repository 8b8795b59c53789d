# Every third-party library the project links, in one place. All come from Debian; the engine SDKs, which Debian does
# not have, come from ${WAYSTONE_HOME}/engines, where scripts/setup puts them.
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
find_package(Boost 1.74 REQUIRED)  # Asio and Beast: headers only
find_package(GTest REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JPEG REQUIRED IMPORTED_TARGET libjpeg)
pkg_check_modules(SPNG REQUIRED IMPORTED_TARGET spng)
pkg_check_modules(WEBP REQUIRED IMPORTED_TARGET libwebp libwebpdemux)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(FREETYPE REQUIRED IMPORTED_TARGET freetype2)
if(WAYSTONE_BENCH)
  find_package(benchmark REQUIRED)
  # OpenCV is a rival in the benches, never linked into the program. Debian's core and imgproc packages have no CMake file.
  find_path(OPENCV_INCLUDE opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)
  foreach(module IN ITEMS core imgproc)
    find_library(OPENCV_${module} opencv_${module} REQUIRED)
    add_library(opencv_${module} SHARED IMPORTED)
    set_target_properties(opencv_${module} PROPERTIES
      IMPORTED_LOCATION "${OPENCV_${module}}" INTERFACE_INCLUDE_DIRECTORIES "${OPENCV_INCLUDE}")
  endforeach()
endif()
