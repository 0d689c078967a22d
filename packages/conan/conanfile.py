"""Recipe for Conan 2 (configured, not compiled): conan create packages/conan"""

import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class TH(ConanFile):
    name = "th"
    version = "0.1.0"
    description = "Tensors in C, with the operations of PyTorch"
    license = "BSD-3-Clause"
    settings = "os", "compiler", "build_type", "arch"
    requires = "zlib/[>=1.2.11 <2]", "jansson/2.14"
    generators = "CMakeDeps", "PkgConfigDeps"

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "cmake/*", "include/*", "src/*", "tools/*", "docs/*",
                        "bindings/cpp/*", "bindings/python/*", "tests/ATen/cuda/*.txt", "tests/golden/aten/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "EXAMPLES", "PROGRAMS", "BINDINGS"):
            toolchain.cache_variables["TH_BUILD_" + part] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # ours is installed
        self.cpp_info.builddirs.append("lib/cmake/TH")
        self.cpp_info.libs = ["ATen", "THNN", "TH"]
        self.cpp_info.includedirs = ["include", "include/TH", "include/ATen"]
