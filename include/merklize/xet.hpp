#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/bytes.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/hash.hpp>

/// xet, the hash by which the Hugging Face hub knows the content of a file (docs/formats.md has the rule): keyed BLAKE3
/// of chunks whose ends depend on the content, and a tree above them. All of it runs on the CPU, whatever the device.
namespace merklize::inline v0 {

/// The xet hash of bytes. No bytes give 32 zeros.
/// cost    reads `data` twice: for the ends of chunks, and for their hashes
/// errors  cancelled
MERKLIZE_API Digest xet_hash(ByteView data, const RunOptions& options = {});

/// The same of a file or of anything else that can be opened and read, by all threads at once. It takes at most 9 MiB
/// of memory, and 40 bytes for each 64 KiB of a file.
/// errors  io (cannot open or read; it changed while it was read)
MERKLIZE_API Digest xet_hash_file(const std::filesystem::path& path, const RunOptions& options = {});
/// The same of an open descriptor, read from its current position to its end and not closed.
/// name  for error texts
MERKLIZE_API Digest xet_hash_descriptor(int fd, std::string_view name, const RunOptions& options = {});

/// The same of many files, several at once. One result for each path, in order; a file that fails does not stop the
/// others.
MERKLIZE_API std::vector<FileDigest> xet_hash_files(std::span<const std::filesystem::path> paths,
                                                    const RunOptions& options = {});

/// A chunk of a file.
struct XetChunk {
    Digest hash;
    std::uint64_t bytes;
};

/// The chunks of bytes, in order.
MERKLIZE_API std::vector<XetChunk> xet_chunks(ByteView data, const RunOptions& options = {});

/// The hash as the hub writes it: 64 hexadecimal digits, the bytes of each group of 8 in reverse.
MERKLIZE_API std::string xet_hex(const Digest& hash);

}  // namespace merklize::inline v0
