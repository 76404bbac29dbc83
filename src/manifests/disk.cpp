#include "manifests/disk.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <map>

#include "digests/file_root.hpp"
#include "host/descriptor.hpp"
#include "host/input_file.hpp"
#include "host/threads.hpp"
#include "manifests/find.hpp"
#include "manifests/names.hpp"
#include "merklize/hash.hpp"

namespace merklize::inline v0::manifests {
namespace {

using Facts = struct stat;

#ifdef O_PATH
constexpr int to_folder = O_PATH | O_DIRECTORY | O_CLOEXEC;
#else
constexpr int to_folder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
#endif

void require_same(const std::string& path, const Facts& before, const Facts& now) {
    const auto moment = [](const timespec& time) { return std::pair(time.tv_sec, time.tv_nsec); };
    if (before.st_dev != now.st_dev || before.st_ino != now.st_ino || before.st_size != now.st_size ||
        moment(before.st_mtim) != moment(now.st_mtim) || moment(before.st_ctim) != moment(now.st_ctim)) {
        throw Error(ErrorCode::io, path + ": changed while being read");
    }
}

class Disk : public Storage {
public:
    Disk(const std::string& folder, bool follow, unsigned threads)
        : path_(folder),
          follow_(follow),
          threads_(threads == 0 ? runtime::default_threads() : threads),
          folder_(open(folder.c_str(), to_folder)),
          folder_error_(folder_ ? 0 : errno) {}

    std::string shown(const std::string& name) const override { return joined(path_, name); }

    std::vector<Looked> look_at(std::span<const std::string> names) override {
        std::vector<Looked> found(names.size());
        const std::vector<Facts> facts =
            facts_of(names, [&](std::size_t i) { found[i].error = std::current_exception(); });
        for (std::size_t i = 0; i < names.size(); i++) {
            if (found[i].error) continue;
            const timespec& time = facts[i].st_mtim;
            facts_[names[i]] = facts[i];
            try {
                found[i].size = sizes_[names[i]] = measured(names[i], facts[i]);
            } catch (const Error&) {
                found[i].error = std::current_exception();
                continue;
            }
            found[i].seen = {names[i], found[i].size, time.tv_sec, static_cast<std::uint32_t>(time.tv_nsec),
                             facts[i].st_ino};
        }
        return found;
    }

    Header read_header(const std::string& shard) override {
        Header header;
        use(shard, [&](const ReadAt& read_at, unsigned /*readers*/) {
            header = manifests::read_header(read_at, shown(shard), sizes_.at(shard));
        });
        return header;
    }

    void use(const std::string& shard, const std::function<void(const ReadAt&, unsigned)>& action) override {
        const Opened file(*this, shard);
        const std::string path = shown(shard);
        action([&](std::uint64_t offset, std::uint64_t count) { return read_bytes(file.fd(), path, offset, count); },
               UINT_MAX);
        file.require_unchanged();
    }

    std::string content(const std::string& name) override {
        const Opened file(*this, name);
        std::string text = read_bytes(file.fd(), shown(name), 0, sizes_.at(name));
        file.require_unchanged();
        return text;
    }

    std::vector<PieceDigests> hash_ranges(const std::string& shard, std::span<const FileRange> ranges,
                                          std::uint64_t piece_size, const RunOptions& options) override {
        const Opened file(*this, shard);
        std::vector<PieceDigests> made = hash_file_ranges(file.fd(), shown(shard), ranges, piece_size, options);
        file.require_unchanged();
        return made;
    }

    std::vector<Hashed> hash_files(std::span<const std::string> names, std::uint64_t piece_size, Work& work) override {
        std::vector<Hashed> found(names.size());
        std::vector<std::string> small;
        std::vector<std::size_t> places;
        std::vector<std::filesystem::path> paths;
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < names.size(); i++) {
            const std::uint64_t size = sizes_.at(names[i]);
            if (piece_size != 0 && size > piece_size) {
                const FileRange whole{0, size};
                try {
                    found[i].made = hash_ranges(names[i], {&whole, 1}, piece_size, work.part(size))[0];
                } catch (const Error& error) {
                    if (error.code() != ErrorCode::io && error.code() != ErrorCode::invalid_argument) throw;
                    found[i].error = std::current_exception();
                }
                work.advance(size);
                continue;
            }
            small.push_back(names[i]);
            places.push_back(i);
            paths.emplace_back(shown(names[i]));
            bytes += size;
        }
        std::vector<std::uint64_t> hashed(paths.size());
        const std::vector<FileDigest> digests =
            runtime::hash_files(paths, Digest::size, 0, {}, work.part(bytes), hashed);
        const std::vector<Facts> now =
            facts_of(small, [&](std::size_t i) { found[places[i]].error = std::current_exception(); });
        for (std::size_t i = 0; i < small.size(); i++) {
            Hashed& one = found[places[i]];
            try {
                if (!digests[i].error.empty())
                    throw Error(ErrorCode::io, digests[i].error, digests[i].system_error, paths[i].string());
                if (one.error) continue;
                require_same(paths[i].string(), facts_.at(small[i]), now[i]);
                if (hashed[i] != sizes_.at(small[i])) {
                    throw Error(ErrorCode::io, paths[i].string() + ": states " + std::to_string(sizes_.at(small[i])) +
                                                   " bytes, and has " + std::to_string(hashed[i]));
                }
                std::memcpy(one.made.digest.bytes.data(), digests[i].output.data(), Digest::size);
            } catch (const Error&) {
                one.error = std::current_exception();
            }
        }
        work.advance(bytes);
        return found;
    }

private:
    class Opened {
    public:
        Opened(const Disk& disk, const std::string& name) : path_(disk.shown(name)), facts_(disk.facts_.at(name)) {
            const Place place = disk.place_of(name);
            file_ = runtime::Descriptor(openat(disk.at(place), place.last.c_str(),
                                               O_RDONLY | O_CLOEXEC | O_NONBLOCK | (disk.follow_ ? 0 : O_NOFOLLOW)));
            if (!file_) cannot_read(path_, errno);
        }
        int fd() const { return file_.get(); }
        void require_unchanged() const {
            Facts now{};
            if (fstat(fd(), &now) != 0) cannot_read(path_, errno);
            require_same(path_, facts_, now);
        }

    private:
        std::string path_;
        const Facts& facts_;
        runtime::Descriptor file_{};
    };

    // Bytes of a file. The size that the system states is not believed where no block holds any of them, as in /proc
    // and /sys.
    std::uint64_t measured(const std::string& name, const Facts& facts) const {
        if (facts.st_size != 0 && facts.st_blocks != 0) return static_cast<std::uint64_t>(facts.st_size);
        const Opened opened(*this, name);
        const auto file = runtime::InputFile::whole(opened.fd(), shown(name));
        if (const auto extent = file.extent()) return extent->bytes;
        std::uint64_t bytes = 0;
        const auto stream = file.stream();
        for (auto piece = stream->next(); !piece.empty(); piece = stream->next()) bytes += piece.size();
        return bytes;
    }

    static std::string read_bytes(int fd, const std::string& path, std::uint64_t offset, std::uint64_t count) {
        std::string out(count, '\0');
        runtime::InputFile::whole(fd, path).read_at(std::as_writable_bytes(std::span(out)), offset);
        return out;
    }

    // The folder of a file, if it is below the source's folder, and the last part of the name.
    struct Place {
        runtime::Descriptor folder{};
        std::string last{};
    };
    int at(const Place& place) const { return place.folder ? place.folder.get() : folder_.get(); }

    // Opened part by part. No part may be a link, unless links are followed.
    Place place_of(const std::string& name) const {
        if (!folder_) cannot_read(shown(name), folder_error_);
        Place place;
        place.last = name;
        for (std::size_t slash = 0; !follow_ && (slash = place.last.find('/')) != std::string::npos;) {
            const std::string part = place.last.substr(0, slash);
            runtime::Descriptor below(openat(at(place), part.c_str(), to_folder | O_NOFOLLOW));
            if (!below) {
                const int reason = errno;
                Facts facts{};
                const bool is_there = fstatat(at(place), part.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
                if (!is_there || !S_ISLNK(facts.st_mode)) cannot_read(shown(name), reason);
                invalid(shown(name) + " lies below a symbolic link");
            }
            place.folder = std::move(below);
            place.last.erase(0, slash + 1);
        }
        return place;
    }

    Facts facts_of(const std::string& name) const {
        Facts facts{};
        const Place place = place_of(name);
        if (fstatat(at(place), place.last.c_str(), &facts, follow_ ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
            cannot_read(shown(name), errno);
        if (S_ISLNK(facts.st_mode)) invalid(shown(name) + " is a symbolic link");
        if (!S_ISREG(facts.st_mode)) invalid(shown(name) + " is not a file");
        return facts;
    }

    // Opens several files at once, because opening one takes as long as hashing 4 KiB.
    // failed  called in the catch block of a file's error
    template <class Failed>
    std::vector<Facts> facts_of(std::span<const std::string> names, const Failed& failed) const {
        constexpr std::size_t at_once = 64;
        std::vector<Facts> found(names.size());
        runtime::parallel_for((names.size() + at_once - 1) / at_once, threads_, [&](std::size_t k) {
            for (std::size_t i = k * at_once; i < std::min(names.size(), (k + 1) * at_once); i++) {
                try {
                    found[i] = facts_of(names[i]);
                } catch (const Error&) {
                    failed(i);
                }
            }
        });
        return found;
    }

    const std::string path_;
    const bool follow_;
    const unsigned threads_;
    const runtime::Descriptor folder_;
    const int folder_error_;
    std::map<std::string, Facts> facts_{};
    std::map<std::string, std::uint64_t> sizes_{};
};

}  // namespace

std::unique_ptr<Storage> open_disk(const std::string& folder, bool follow_links, unsigned threads) {
    return std::make_unique<Disk>(folder, follow_links, threads);
}

RunOptions Work::part(std::uint64_t bytes) const {
    RunOptions options = options_;
    if (!options_.progress) return options;
    const auto all = static_cast<double>(std::max<std::uint64_t>(1, total_));
    options.progress = [&report = options_.progress, done = static_cast<double>(done_), all,
                        bytes = static_cast<double>(bytes)](double share) {
        return report((done + share * bytes) / all);
    };
    return options;
}

void Work::advance(std::uint64_t bytes) {
    done_ += bytes;
    if (options_.progress &&
        !options_.progress(static_cast<double>(done_) / static_cast<double>(std::max<std::uint64_t>(1, total_))))
        throw Error(ErrorCode::cancelled, "cancelled by the caller's progress function");
}

}  // namespace merklize::inline v0::manifests
