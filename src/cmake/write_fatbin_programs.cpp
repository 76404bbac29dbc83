// A program of the build (MERKLIZE_CUDA_FATBINS): writes the CUDA programs that nvcc shall compile into the library,
// FOLDER/0.cu, FOLDER/1.cu and so on, and FOLDER/names: their names, one a line, in ascending order. HASH ...: of these
// alone.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

#include "backends/tuning.hpp"
#include "merklize/hash.hpp"
#include "programs/fatbins.hpp"
#include "programs/tuned_variants.hpp"

using namespace merklize;
using namespace merklize::runtime;

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    if (!(file << text).flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 2) throw std::runtime_error("usage: write_fatbin_programs FOLDER [HASH ...]");
    const std::filesystem::path folder(argv[1]);
    std::set<std::uint32_t> only;
    for (int i = 2; i < argc; i++) only.insert(static_cast<std::uint32_t>(hash_from_name(argv[i])));
    // The programs that the tuning table needs. All devices of CUDA have one table.
    std::vector<Variant> variants =
        tuned_variants([](mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, mkz_policy& policy) {
            backends::tune(backends::DeviceClass::nvidia_gpu, kernel, hash, n, 0, &policy);
        });
    std::erase_if(variants, [&](const Variant& variant) {
        return !only.empty() && variant.hash != Variant::no_hash && !only.contains(variant.hash);
    });
    std::ranges::sort(variants, {}, fatbin_name);
    std::string names;
    for (std::size_t i = 0; i < variants.size(); i++) {
        write(folder / (std::to_string(i) + ".cu"), text_of(variants[i], {.language = MKZ_LANGUAGE_CUDA}));
        names += fatbin_name(variants[i]) + "\n";
    }
    write(folder / "names", names);
    return 0;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
