#include "command/manifest/reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <span>

#include "command/endings.hpp"
#include "command/manifest/safetensors.hpp"
#include "command/output/text.hpp"
#include "command/settings.hpp"
#include "host/descriptor.hpp"
#include "host/threads.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"
#include "merklize/pieces.hpp"

namespace merklize::command::manifest {
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
        throw Failure{path + ": changed while being read"};
    }
}

class Reader {
public:
    Reader(const Source& source, std::uint64_t piece_size, bool follow, const Wanted& wanted, const RunOptions& options)
        : source_(source),
          piece_size_(piece_size),
          follow_(follow),
          wanted_(wanted),
          options_(options),
          folder_(open(source.folder.c_str(), to_folder)),
          folder_error_(folder_ ? 0 : errno) {}

    Found read() {
        std::map<std::string, Facts> facts;
        for (const auto* names : {&source_.shards, &source_.files}) {
            std::vector<Looked> looked = look_at(*names);
            for (std::size_t i = 0; i < looked.size(); i++) {
                if (!looked[i].error.empty()) {
                    note_failed((*names)[i], looked[i].error);
                    continue;
                }
                total_ += static_cast<std::uint64_t>(looked[i].facts.st_size);
                facts.emplace((*names)[i], looked[i].facts);
            }
        }
        std::map<std::string, Header> headers;
        for (const std::string& name : source_.shards) {
            const auto found = facts.find(name);
            if (found == facts.end()) continue;
            guarded(name, [&] {
                const Opened file(*this, name, found->second);
                headers[name] =
                    read_header(file.fd(), path_of(name), static_cast<std::uint64_t>(found->second.st_size));
                file.require_unchanged();
            });
        }
        name_tensors(headers);
        for (const auto& [shard, header] : headers) guarded(shard, [&] { read_shard(shard, facts[shard], header); });
        read_plain(facts);
        return std::move(found_);
    }

private:
    class Opened {
    public:
        Opened(const Reader& reader, const std::string& name, const Facts& facts)
            : path_(reader.path_of(name)), facts_(facts) {
            const Place place = reader.place_of(name);
            if (!place.error.empty()) throw Failure{place.error};
            file_ = runtime::Descriptor(openat(reader.at(place), place.last.c_str(),
                                               O_RDONLY | O_CLOEXEC | O_NONBLOCK | (reader.follow_ ? 0 : O_NOFOLLOW)));
            if (!file_) throw Failure{path_ + ": cannot read: " + strerror(errno)};
        }
        int fd() const { return file_.get(); }
        void require_unchanged() const {
            Facts now{};
            if (fstat(fd(), &now) != 0) throw Failure{path_ + ": cannot read: " + strerror(errno)};
            require_same(path_, facts_, now);
        }

    private:
        std::string path_;
        const Facts& facts_;
        runtime::Descriptor file_{};
    };

    template <class Work>
    void guarded(const std::string& name, Work work) {
        try {
            work();
        } catch (const Failure& failure) {
            note_failed(name, failure.text);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::io && error.code() != ErrorCode::invalid_argument) throw;
            note_failed(name, error.what());
        }
    }

    void note_failed(const std::string& name, const std::string& why) {
        const auto same = std::ranges::find(found_.failed, name, &Failed::value_type::first);
        if (same != found_.failed.end()) {
            same->second = why;
        } else {
            found_.failed.emplace_back(name, why);
        }
    }

    std::string path_of(const std::string& name) const { return joined(source_.folder, name); }

    // Where a file lies: a folder below the source's, if it is another one, and the last part of the name.
    struct Place {
        runtime::Descriptor folder{};
        std::string last{};
        std::string error{};
    };
    int at(const Place& place) const { return place.folder ? place.folder.get() : folder_.get(); }

    // Opened part by part, none of which may be a link unless links are followed.
    Place place_of(const std::string& name) const {
        Place place;
        place.last = name;
        const auto refused = [&](int reason) {
            place.error = path_of(name) + ": cannot read: " + strerror(reason);
            return std::move(place);
        };
        if (!folder_) return refused(folder_error_);
        for (std::size_t slash = 0; !follow_ && (slash = place.last.find('/')) != std::string::npos;) {
            const std::string part = place.last.substr(0, slash);
            runtime::Descriptor below(openat(at(place), part.c_str(), to_folder | O_NOFOLLOW));
            if (!below) {
                const int reason = errno;
                Facts facts{};
                const bool is_there = fstatat(at(place), part.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
                if (!is_there || !S_ISLNK(facts.st_mode)) return refused(reason);
                place.error = path_of(name) + " lies below a symbolic link";
                return place;
            }
            place.folder = std::move(below);
            place.last.erase(0, slash + 1);
        }
        return place;
    }

    // What the system says of a file, or why it says nothing.
    struct Looked {
        Facts facts{};
        std::string error{};
    };

    Looked look_at(const std::string& name) const {
        Looked found;
        const Place place = place_of(name);
        if (!place.error.empty()) {
            found.error = place.error;
        } else if (fstatat(at(place), place.last.c_str(), &found.facts, follow_ ? 0 : AT_SYMLINK_NOFOLLOW) != 0) {
            found.error = path_of(name) + ": cannot read: " + strerror(errno);
        } else if (S_ISLNK(found.facts.st_mode)) {
            found.error = path_of(name) + " is a symbolic link";
        } else if (!S_ISREG(found.facts.st_mode)) {
            found.error = path_of(name) + " is not a file";
        }
        return found;
    }

    // Several at once: it takes as long as hashing a file of 4 KiB.
    std::vector<Looked> look_at(std::span<const std::string> names) const {
        constexpr std::size_t at_once = 64;
        std::vector<Looked> found(names.size());
        const unsigned threads = options_.threads == 0 ? runtime::default_threads() : options_.threads;
        runtime::parallel_for((names.size() + at_once - 1) / at_once, threads, [&](std::size_t k) {
            for (std::size_t i = k * at_once; i < std::min(names.size(), (k + 1) * at_once); i++)
                found[i] = look_at(names[i]);
        });
        return found;
    }

    // What tensors are called in the manifest. In a folder: its path below the folder, then the name; a name that several files of one
    // folder have is preceded by the file's.
    void name_tensors(const std::map<std::string, Header>& headers) {
        std::map<std::string, std::vector<std::pair<std::string, std::string>>> owners;
        for (const auto& [shard, header] : headers) {
            const std::size_t slash = source_.kind == Kind::index ? shard.npos : shard.rfind('/');
            const std::string prefix = slash == shard.npos ? "" : shard.substr(0, slash + 1);
            for (const Stored& tensor : header.tensors) owners[prefix + tensor.name].emplace_back(shard, tensor.name);
        }
        if (source_.kind == Kind::index) {
            guarded(source_.name, [&] { require_index(headers); });
            for (const auto& [plain, found] : owners)
                for (const auto& place : found) names_[place] = plain;
            return;
        }
        std::map<std::string, bool> all;
        for (const auto& [plain, found] : owners) {
            for (const auto& place : found) {
                std::string name = found.size() == 1 ? plain : place.first + ":" + place.second;
                if (!all.emplace(name, true).second)
                    throw Failure{source_.folder + ": two tensors of different files would have one name"};
                names_[place] = std::move(name);
            }
        }
    }

    [[noreturn]] static void refuse_index(const std::string& index, const std::string& shard, const std::string& name) {
        throw Failure{index + ": the shard " + cut(shard) + " has no tensor " + in_quotes(name) +
                      ", which the index says it has"};
    }

    void require_index(const std::map<std::string, Header>& headers) const {
        std::map<std::pair<std::string, std::string>, bool> there;
        for (const auto& [shard, header] : headers)
            for (const Stored& tensor : header.tensors) there[{shard, tensor.name}] = false;
        const std::string index = path_of(source_.name);
        for (const auto& [name, shard] : source_.weights) {
            if (!headers.contains(shard)) continue;
            const auto found = there.find({shard, name});
            if (found == there.end()) refuse_index(index, shard, name);
            found->second = true;
        }
        for (const auto& [place, is_named] : there) {
            if (!is_named) {
                throw Failure{index + ": the tensor " + in_quotes(place.second) + " of the shard " + cut(place.first) +
                              " is not in the index"};
            }
        }
    }

    void read_shard(const std::string& shard, const Facts& facts, const Header& header) {
        std::vector<const Stored*> taken;
        std::vector<FileRange> ranges;
        for (const Stored& tensor : header.tensors) {
            if (!wanted_(names_.at({shard, tensor.name}), &shard)) continue;
            taken.push_back(&tensor);
            ranges.push_back({tensor.offset, tensor.size});
        }
        const auto size = static_cast<std::uint64_t>(facts.st_size);
        const Opened file(*this, shard, facts);
        std::vector<PieceDigests> made = hash_file_ranges(file.fd(), path_of(shard), ranges, piece_size_, part(size));
        file.require_unchanged();
        for (std::size_t i = 0; i < taken.size(); i++) {
            const Stored& t = *taken[i];
            found_.tensors.push_back({names_.at({shard, t.name}), t.dtype, t.shape, made[i].digest, t.size, shard,
                                      t.offset, std::move(made[i].pieces)});
        }
        found_.shards.push_back({shard, size, header.digest});
        advance(size);
    }

    void read_plain(const std::map<std::string, Facts>& facts) {
        std::vector<std::string> small;
        std::vector<std::filesystem::path> paths;
        std::uint64_t sizes = 0;
        for (const std::string& name : source_.files) {
            const auto found = facts.find(name);
            if (found == facts.end() || !wanted_(name, nullptr)) continue;
            const auto size = static_cast<std::uint64_t>(found->second.st_size);
            if (piece_size_ != 0 && size > piece_size_) {
                guarded(name, [&] { read_large(name, found->second, size); });
            } else {
                small.push_back(name);
                paths.emplace_back(path_of(name));
                sizes += size;
            }
        }
        const std::vector<FileDigest> digests = hash_files(paths, Digest::size, 0, {}, part(sizes));
        const std::vector<Looked> now = look_at(small);
        for (std::size_t i = 0; i < small.size(); i++) {
            const Facts& before = facts.at(small[i]);
            guarded(small[i], [&] {
                if (!digests[i].error.empty()) throw Failure{digests[i].error};
                if (!now[i].error.empty()) throw Failure{now[i].error};
                require_same(paths[i], before, now[i].facts);
                File& file =
                    found_.files.emplace_back(File{small[i], static_cast<std::uint64_t>(before.st_size), {}, {}});
                std::memcpy(file.digest.bytes.data(), digests[i].output.data(), Digest::size);
            });
        }
        advance(sizes);
        std::ranges::sort(found_.files, {}, &File::path);
    }

    void read_large(const std::string& name, const Facts& facts, std::uint64_t size) {
        const Opened file(*this, name, facts);
        const FileRange whole{0, size};
        std::vector<PieceDigests> made =
            hash_file_ranges(file.fd(), path_of(name), {&whole, 1}, piece_size_, part(size));
        file.require_unchanged();
        found_.files.push_back({name, size, made[0].digest, std::move(made[0].pieces)});
        advance(size);
    }

    void advance(std::uint64_t size) {
        done_ += size;
        if (options_.progress &&
            !options_.progress(static_cast<double>(done_) / static_cast<double>(std::max<std::uint64_t>(1, total_))))
            throw Error(ErrorCode::cancelled, "cancelled by the caller's progress function");
    }

    // The options of the next `size` bytes.
    RunOptions part(std::uint64_t size) const {
        RunOptions options = options_;
        if (!options_.progress) return options;
        const auto all = static_cast<double>(std::max<std::uint64_t>(1, total_));
        options.progress = [&report = options_.progress, done = static_cast<double>(done_), all,
                            size = static_cast<double>(size)](double share) {
            return report((done + share * size) / all);
        };
        return options;
    }

    const Source& source_;
    const std::uint64_t piece_size_;
    const bool follow_;
    const Wanted& wanted_;
    const RunOptions& options_;
    const runtime::Descriptor folder_;
    const int folder_error_;
    std::map<std::pair<std::string, std::string>, std::string> names_{};  // by shard and name
    Found found_{};
    std::uint64_t done_ = 0, total_ = 0;
};

}  // namespace

std::uint64_t Found::bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const Tensor& tensor : tensors) sum += tensor.size;
    for (const File& file : files) sum += file.size;
    return sum;
}

Found read_files(const Source& source, std::uint64_t piece_size, bool follow_links, const Wanted& wanted,
                 const RunOptions& options) {
    return Reader(source, piece_size, follow_links, wanted, options).read();
}

}  // namespace merklize::command::manifest
