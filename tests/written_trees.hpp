#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "support.hpp"

// Tree files that tests write, and their bytes.
namespace support {

inline Bytes read_all(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return Bytes((std::istreambuf_iterator<char>(file)), {});
}

inline Digest write_tree(const std::filesystem::path& path, const std::vector<Digest>& leaves,
                         const merklize::TreeForm& form, const merklize::LeafSource& source = {}) {
    merklize::TreeWriter writer(path, leaves.size(), form, source);
    writer.append(leaves);
    return writer.finish();
}

}  // namespace support
