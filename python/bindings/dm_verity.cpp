#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "module.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

// (algorithm, salt_after, data_block_size, hash_block_size, data_blocks or None, salt)
DmVerity to_verity(nb::tuple fields) {
    const auto narrow = [&](nb::handle value, const char* field) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(to_u64(value, field), UINT32_MAX));
    };
    DmVerity how;
    how.algorithm = dm_verity_algorithm_from_name(nb::cast<std::string>(fields[0]));
    // A number would be the format, whose 0 and 1 say the opposite.
    if (!is_flag(fields[1]))
        throw nb::type_error(
            in_call("salt_after must be False (format 1) or True (format 0), got " + shown(fields[1])).c_str());
    how.salt_after = is_true(fields[1]);
    how.data_block_size = narrow(fields[2], "data_block_size");
    how.hash_block_size = narrow(fields[3], "hash_block_size");
    if (!fields[4].is_none()) how.data_blocks = to_u64(fields[4], "data_blocks");
    const InputBytes salt(fields[5], "salt");
    how.salt.assign(salt.span().begin(), salt.span().end());
    return how;
}

DmVerityArea to_verity_area(nb::handle offset, nb::handle superblock, std::span<const std::byte> uuid) {
    DmVerityArea area;
    area.offset = to_u64(offset, "offset");
    area.has_superblock = to_flag(superblock, "superblock");
    std::ranges::copy(uuid.first(std::min(uuid.size(), area.uuid.size())), area.uuid.begin());
    return area;
}

nb::tuple verity_facts(const DmVerityFacts& facts) {
    const DmVerity& how = facts.how;
    const std::string_view algorithm = dm_verity_algorithm_name(how.algorithm);
    return nb::make_tuple(nb::str(algorithm.data(), algorithm.size()), how.salt_after, how.data_block_size,
                          how.hash_block_size, how.data_blocks.value_or(0), to_bytes(how.salt), to_bytes(facts.uuid),
                          facts.hash_blocks);
}

nb::list verity_blocks(const std::vector<std::uint64_t>& blocks) {
    nb::list all;
    for (const std::uint64_t block : blocks) all.append(block);
    return all;
}

nb::tuple verity_report(const DmVerityReport& report) {
    return nb::make_tuple(report.wrong_data_blocks, verity_blocks(report.data_blocks), report.wrong_hash_blocks,
                          verity_blocks(report.hash_blocks));
}

// None: a superblock states the fields.
std::optional<DmVerity> to_stated(nb::handle fields) {
    if (fields.is_none()) return std::nullopt;
    return to_verity(nb::cast<nb::tuple>(fields));
}

nb::bytes dm_verity(nb::handle data, nb::tuple fields, const Settings& settings) {
    const InputBytes input(data, "data");
    const DmVerity how = to_verity(std::move(fields));
    std::vector<std::byte> root;
    Run{settings}([&](const RunOptions& options) { root = merklize::dm_verity(input.span(), how, options); });
    return to_bytes(root);
}

nb::bytes dm_verity_file(nb::handle path, nb::tuple fields, const Settings& settings) {
    const std::filesystem::path file = to_path(path, "path");
    const DmVerity how = to_verity(std::move(fields));
    std::vector<std::byte> root;
    Run{settings}([&](const RunOptions& options) { root = merklize::dm_verity_file(file, how, options); });
    return to_bytes(root);
}

nb::tuple dm_verity_format(nb::handle data, nb::handle hashes, nb::tuple fields, nb::handle offset,
                           nb::handle superblock, nb::handle uuid, const Settings& settings) {
    const auto from = to_path(data, "data"), to = to_path(hashes, "hashes");
    const DmVerity how = to_verity(std::move(fields));
    const InputBytes id(uuid, "uuid");
    const DmVerityArea area = to_verity_area(offset, superblock, id.span());
    std::vector<std::byte> root;
    DmVerityFacts facts;
    Run{settings}(
        [&](const RunOptions& options) { root = merklize::dm_verity_format(from, to, how, area, &facts, options); });
    return nb::make_tuple(to_bytes(root), verity_facts(facts));
}

nb::tuple dm_verity_dump(nb::handle hashes, nb::handle offset) {
    return verity_facts(merklize::dm_verity_dump(to_path(hashes, "hashes"), to_u64(offset, "offset")));
}

nb::tuple dm_verity_verify(nb::handle data, nb::handle hashes, nb::handle root, nb::handle fields, nb::handle offset,
                           nb::handle superblock, const Settings& settings) {
    const auto from = to_path(data, "data"), with = to_path(hashes, "hashes");
    const InputBytes trusted(root, "root");
    const std::optional<DmVerity> how = to_stated(fields);
    const DmVerityArea area{to_u64(offset, "offset"), to_flag(superblock, "superblock"), {}};
    DmVerityReport report;
    Run{settings}([&](const RunOptions& options) {
        report = merklize::dm_verity_verify(from, with, trusted.span(), how, area, options);
    });
    return verity_report(report);
}

nb::tuple dm_verity_verify_digests(nb::handle hashes, nb::handle root, nb::handle first, nb::handle digests,
                                   nb::handle fields, nb::handle offset, nb::handle superblock,
                                   const Settings& settings) {
    const auto with = to_path(hashes, "hashes");
    const InputBytes trusted(root, "root");
    const InputBytes found(digests, "digests");
    const std::uint64_t block = to_u64(first, "first");
    const std::optional<DmVerity> how = to_stated(fields);
    const DmVerityArea area{to_u64(offset, "offset"), to_flag(superblock, "superblock"), {}};
    DmVerityReport report;
    Run{settings}([&](const RunOptions& options) {
        report = merklize::dm_verity_verify_digests(with, trusted.span(), block, found.span(), how, area, options);
    });
    return verity_report(report);
}

}  // namespace

void bind_dm_verity(nb::module_& m) {
    define(m, "def dm_verity(data: object, how: tuple[object, ...], settings: Settings, /) -> bytes", dm_verity);
    define(m, "def dm_verity_file(path: bytes, how: tuple[object, ...], settings: Settings, /) -> bytes",
           dm_verity_file);
    define(m,
           "def dm_verity_format(data: bytes, hashes: bytes, how: tuple[object, ...], offset: int, superblock: bool, "
           "uuid: bytes, settings: Settings, /) -> tuple[bytes, tuple[object, ...]]",
           dm_verity_format);
    define(m, "def dm_verity_dump(hashes: bytes, offset: int, /) -> tuple[object, ...]", dm_verity_dump);
    define(m,
           "def dm_verity_verify(data: bytes, hashes: bytes, root: object, how: tuple[object, ...] | None, "
           "offset: int, superblock: bool, settings: Settings, /) -> tuple[int, list[int], int, list[int]]",
           dm_verity_verify);
    define(
        m,
        "def dm_verity_verify_digests(hashes: bytes, root: object, first: int, digests: object, how: tuple[object, "
        "...] | None, offset: int, superblock: bool, settings: Settings, /) -> tuple[int, list[int], int, list[int]]",
        dm_verity_verify_digests);
}

}  // namespace merklize::binding
