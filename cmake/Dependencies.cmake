# The system's packages first.
include(GNUInstallDirs)
find_package(OpenMP COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
