"""The recipe of the library for Conan 2. In a source archive or a checkout:
conan create packaging -s compiler.cppstd=20
"""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Merklize(ConanFile):
    name = "merklize"
    license = "Apache-2.0 OR MIT"
    description = "Digests and whole binary Merkle trees at the speed of CPUs and GPUs"
    topics = ("hash", "blake3", "merkle-tree", "gpu")
    package_type = "library"
    test_package_folder = "../tests/install/consumer"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]
    exports = "project.toml"

    def set_version(self):
        facts = (Path(self.recipe_folder) / "project.toml").read_text()
        self.version = re.search(r'^version = "(.*)"$', facts, flags=re.MULTILINE)[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "LICENSES/*", "include/*", "src/*"):
            copy(self, pattern, Path(self.recipe_folder).parent, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["MERKLIZE_BUILD_TESTS"] = False
        toolchain.cache_variables["MERKLIZE_BUILD_COMMAND"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE*", self.source_folder, Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the package brings its own
        self.cpp_info.builddirs = ["lib/cmake/merklize"]
        self.cpp_info.libs = ["merklize"]
        if not self.options.shared:
            self.cpp_info.defines = ["MERKLIZE_STATIC"]
            self.cpp_info.system_libs = ["pthread", "dl"]
