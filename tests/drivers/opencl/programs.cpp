// OpenCL's programs: SPIR-V, and how the compiler is called.
#include "fixture.hpp"

namespace {

using namespace table;

// kernel void k(global uint *out) { *out = 7; }  as SPIR-V 1.0
const std::uint32_t spirv[] = {
    0x07230203,
    0x00010000,
    0,
    9,
    0,  // magic, version, generator, bound, schema
    2 << 16 | 17,
    4,  // OpCapability Addresses
    2 << 16 | 17,
    6,  // OpCapability Kernel
    3 << 16 | 14,
    2,
    2,  // OpMemoryModel Physical64 OpenCL
    4 << 16 | 15,
    6,
    6,
    0x6b,  // OpEntryPoint Kernel %6 "k"
    2 << 16 | 19,
    1,  // %1 = OpTypeVoid
    4 << 16 | 21,
    2,
    32,
    0,  // %2 = OpTypeInt 32 0
    4 << 16 | 32,
    3,
    5,
    2,  // %3 = OpTypePointer CrossWorkgroup %2
    4 << 16 | 33,
    4,
    1,
    3,  // %4 = OpTypeFunction %1 %3
    4 << 16 | 43,
    2,
    5,
    7,  // %5 = OpConstant %2 7
    5 << 16 | 54,
    1,
    6,
    0,
    4,  // %6 = OpFunction %1 None %4
    3 << 16 | 55,
    3,
    7,  // %7 = OpFunctionParameter %3
    2 << 16 | 248,
    8,  // %8 = OpLabel
    5 << 16 | 62,
    7,
    5,
    2,
    4,  // OpStore %7 %5 Aligned 4
    1 << 16 | 253,
    1 << 16 | 56,  // OpReturn, OpFunctionEnd
};

}  // namespace

TEST("opencl-programs: an error names OpenCL's function and the options") {
    driver();
    const std::string wrong = kernel_text("wrong", "out[0] = undeclared_name;");
    Program program;
    CHECK_REFUSED(MKZ_INTERNAL, label() + ": clBuildProgram: CL_",
                  driver().program_build(device(), wrong.c_str(), nullptr, program.slot()));
    CHECK_REFUSED(MKZ_INTERNAL, "-cl-std=CL1.2 -DX=1",
                  driver().program_build(device(), wrong.c_str(), "-DX=1", program.slot()));
}

TEST("opencl-programs: SPIR-V where the device takes it") {
    driver();
    const std::string binary(reinterpret_cast<const char*>(spirv), sizeof spirv);
    Program program;
    const mkz_status status = load(binary, program);
    std::cout << "  " << (status == MKZ_OK ? "taken" : backend().last_error()) << '\n';
    if (status == MKZ_OK) {
        const Stream stream = open_stream();
        const Memory memory = allocate(4);
        need(launch(stream, kernel(program, "k"), 1, 1, nullptr, memory));
        CHECK_EQ(read(stream, memory, 1)[0], 7u);
    } else {
        CHECK_REFUSED(MKZ_UNAVAILABLE, "no SPIR-V", status);
    }
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "not whole", load(binary.substr(0, binary.size() - 1), program));
    CHECK_REFUSED(MKZ_INVALID_ARGUMENT, "not whole", load(binary.substr(0, 20), program));
}
