# Toolchain file: from another Linux machine for 64-bit ARM, with Debian's cross compiler. Programs,
# tests among them, run in an emulator. docs/other-processors.md says what to install.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
