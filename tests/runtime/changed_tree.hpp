#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "files/journal.hpp"
#include "support.hpp"

/// A tree file that is changed while something fails.
namespace disk_faults {

// NOLINTNEXTLINE(bugprone-throwing-static-initialization)
inline const merklize::TreeForm form(merklize::Hash::blake3, merklize::TreeRule::left_full);

inline merklize::RunOptions cpu() { return support::on_cpu(1); }

/// Whether the file system has leases. Without them files are not changed in place.
inline bool has_leases(const std::filesystem::path& folder) {
    const int fd = ::open((folder / "lease").c_str(), O_RDWR | O_CREAT, 0600);
    const bool has = ::fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
    ::close(fd);
    std::filesystem::remove(folder / "lease");
    return has;
}

/// A tree file, a change of it, and the two states that are allowed afterwards.
struct Changed {
    using Digest = merklize::Digest;

    Changed() { merklize::runtime::least_bytes_in_place = 0; }
    ~Changed() { merklize::runtime::least_bytes_in_place = 1 << 20; }
    Changed(const Changed&) = delete;
    Changed& operator=(const Changed&) = delete;

    void begin() const { merklize::save_tree(merklize::MerkleTree(old_leaves, form, cpu()), path); }
    void update() const {
        merklize::TreeFile file(path);
        file.update(indices, std::span(new_leaves), cpu());
    }
    std::vector<Digest> updated() const {
        std::vector<Digest> all = old_leaves;
        for (std::size_t i = 0; i < indices.size(); ++i) all[indices[i]] = new_leaves[i];
        return all;
    }
    /// 0: the state before; 1: the state after. Any other state fails.
    bool state(const std::vector<Digest>& after) const {
        const merklize::TreeFile file(path);
        CHECK(file.check(1, cpu()).empty());
        CHECK(!std::filesystem::exists(merklize::runtime::journal_of(path)));
        const std::vector<Digest> found = file.read(0, 0, file.n_leaves());
        CHECK(found == old_leaves || found == after);
        return found == after;
    }

    support::TemporaryFolder folder{};
    std::filesystem::path path = folder.path() / "t.mkl";
    std::vector<Digest> old_leaves = support::leaves(form.hash, 1500, 1);
    std::vector<Digest> new_leaves = support::leaves(form.hash, 2, 2);
    std::vector<std::uint64_t> indices{7, 1200};
};

}  // namespace disk_faults
