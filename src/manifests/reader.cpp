#include "manifests/reader.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <tuple>

#include "manifests/names.hpp"
#include "manifests/tiles.hpp"

namespace merklize::inline v0::manifests {
namespace {

using Clock = std::chrono::system_clock;

// Two writes within this time may have equal times, because the system's clock is as coarse as 10 ms.
constexpr std::chrono::milliseconds clock_step{20};

constexpr std::uint64_t most_index_bytes = std::uint64_t{256} << 20;

Clock::duration last_write(const Seen& seen) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::seconds(seen.seconds) +
                                                       std::chrono::nanoseconds(seen.nanoseconds));
}

// Whether the time of the last write fits in a manifest, and is so long ago that every later write has a later time.
bool is_settled(const Seen& seen) {
    constexpr std::int64_t limit = INT64_MAX / 1'000'000'000;
    return seen.seconds > -limit && seen.seconds < limit &&
           last_write(seen) <= Clock::now().time_since_epoch() - clock_step;
}

class Reader {
public:
    Reader(const Source& source, Storage& storage, const Reading& reading, const RunOptions& options)
        : source_(source), storage_(storage), reading_(reading), work_(options) {}

    Found read() {
        std::uint64_t total = 0;
        for (const auto* names : {&source_.shards, &source_.files}) {
            std::vector<Looked> looked = storage_.look_at(*names);
            for (std::size_t i = 0; i < looked.size(); i++) {
                if (looked[i].error) {
                    guarded((*names)[i], [&] { std::rethrow_exception(looked[i].error); });
                    continue;
                }
                total += looked[i].size;
                looked_.emplace((*names)[i], std::move(looked[i]));
            }
        }
        work_.set_total(total);
        if (!reading_.keeps_going) wait_for_clock();  // a check keeps no times
        for (const std::string& name : source_.shards)
            if (looked_.contains(name)) guarded(name, [&] { headers_[name] = storage_.read_header(name); });
        name_tensors();
        for (const auto& shard : headers_) guarded(shard.first, [&] { read_shard(shard.first, shard.second); });
        read_plain();
        find_missing();
        return std::move(found_);
    }

private:
    template <class Action>
    void guarded(const std::string& name, const Action& action) {
        try {
            action();
        } catch (const Error& error) {
            if (!reading_.keeps_going) throw;
            if (error.code() != ErrorCode::io && error.code() != ErrorCode::invalid_argument) throw;
            const auto same = std::ranges::find(found_.failed, name, &decltype(found_.failed)::value_type::first);
            if (same != found_.failed.end()) {
                same->second = error.what();
            } else {
                found_.failed.emplace_back(name, error.what());
            }
        }
    }

    bool is_wanted(const std::string& name, const std::string* shard) const {
        return !reading_.wanted || reading_.wanted(name, shard);
    }

    // A write after this moment must get a later time than the noted one, because refresh() compares them.
    void wait_for_clock() const {
        Clock::duration newest{};
        for (const auto& [_, file] : looked_)
            if (file.seen) newest = std::max(newest, last_write(*file.seen));
        const Clock::duration left = newest + clock_step - Clock::now().time_since_epoch();
        if (left > Clock::duration::zero() && left <= clock_step) std::this_thread::sleep_for(left);
    }

    // The names of tensors in the manifest. In a folder, a name begins with the path of its sub-folder. If several
    // files of one folder have the name, the file's name goes before it.
    void name_tensors() {
        std::map<std::string, std::vector<std::pair<std::string, std::string>>> owners;
        for (const auto& [shard, header] : headers_) {
            const std::size_t slash = source_.kind == Kind::index ? shard.npos : shard.rfind('/');
            const std::string prefix = slash == shard.npos ? "" : shard.substr(0, slash + 1);
            for (const Stored& tensor : header.tensors) owners[prefix + tensor.name].emplace_back(shard, tensor.name);
        }
        if (source_.kind == Kind::index) {
            guarded(source_.name, [&] { require_index(); });
            for (const auto& [plain, found] : owners)
                for (const auto& place : found) names_[place] = plain;
            return;
        }
        std::set<std::string> all;
        for (const auto& [plain, found] : owners) {
            for (const auto& place : found) {
                std::string name = found.size() == 1 ? plain : place.first + ":" + place.second;
                if (!all.insert(name).second)
                    invalid(source_.folder + ": two tensors of different files would have one name");
                names_[place] = std::move(name);
            }
        }
    }

    void require_index() const {
        std::map<std::pair<std::string, std::string>, bool> there;
        for (const auto& [shard, header] : headers_)
            for (const Stored& tensor : header.tensors) there[{shard, tensor.name}] = false;
        const std::string index = storage_.shown(source_.name);
        for (const auto& [name, shard] : source_.weights) {
            if (!headers_.contains(shard)) continue;
            const auto found = there.find({shard, name});
            if (found == there.end()) {
                invalid(index + ": the shard " + cut(shard) + " has no tensor " + in_quotes(name) +
                        ", which the index says it has");
            }
            found->second = true;
        }
        for (const auto& [place, is_named] : there) {
            if (!is_named) {
                invalid(index + ": the tensor " + in_quotes(place.second) + " of the shard " + cut(place.first) +
                        " is not in the index");
            }
        }
    }

    bool is_known(const std::string& name) const {
        if (reading_.known == nullptr) return false;
        const std::vector<Seen>& before = reading_.known->seen;
        const auto same = std::ranges::lower_bound(before, name, {}, &Seen::path);
        return same != before.end() && looked_.at(name).seen == *same;
    }

    void note(const std::string& name, bool is_hashed) {
        const auto& seen = looked_.at(name).seen;
        if (seen && is_settled(*seen)) found_.seen.push_back(*seen);
        if (is_hashed) found_.hashed.push_back(name);
    }

    // The known manifest's tensors of an unchanged shard, by their places.
    std::map<std::pair<std::uint64_t, std::uint64_t>, const Tensor*> known_tensors(const std::string& shard) const {
        std::map<std::pair<std::uint64_t, std::uint64_t>, const Tensor*> found;
        if (!is_known(shard)) return found;
        for (const Tensor& tensor : reading_.known->tensors)
            if (tensor.shard == shard) found.emplace(std::pair(tensor.offset, tensor.size), &tensor);
        return found;
    }

    // The known manifest's entry of an unchanged file, or null.
    const File* known_file(const std::string& name) const {
        if (!is_known(name)) return nullptr;
        const std::vector<File>& files = reading_.known->files;
        const auto same = std::ranges::lower_bound(files, name, {}, &File::path);
        return same != files.end() && same->path == name ? &*same : nullptr;
    }

    void read_shard(const std::string& shard, const Header& header) {
        const auto old = known_tensors(shard);
        std::vector<Tensor> tensors;
        std::vector<std::size_t> taken;  // tensors that are hashed
        std::vector<Stored> hashed;
        for (const Stored& tensor : header.tensors) {
            const std::string& name = names_.at({shard, tensor.name});
            if (!is_wanted(name, &shard)) continue;
            tensors.push_back({name, tensor.dtype, tensor.shape, {}, tensor.size, shard, tensor.offset, {}});
            if (const auto same = old.find({tensor.offset, tensor.size}); same != old.end()) {
                tensors.back().digest = same->second->digest;
                tensors.back().pieces = same->second->pieces;
            } else {
                taken.push_back(tensors.size() - 1);
                hashed.push_back(tensor);
            }
        }
        const std::uint64_t size = looked_.at(shard).size;
        std::vector<PieceDigests> digests = digests_of(shard, hashed, work_.part(size));
        for (std::size_t i = 0; i < taken.size(); i++) {
            tensors[taken[i]].digest = digests[i].digest;
            tensors[taken[i]].pieces = std::move(digests[i].pieces);
        }
        std::ranges::move(tensors, std::back_inserter(found_.tensors));
        found_.shards.push_back({shard, size, header.digest});
        note(shard, !hashed.empty());
        work_.advance(size);
    }

    std::vector<PieceDigests> digests_of(const std::string& shard, const std::vector<Stored>& tensors,
                                         const RunOptions& options) {
        if (reading_.digest == DigestKind::bytes) {
            std::vector<FileRange> ranges;
            for (const Stored& tensor : tensors) ranges.push_back({tensor.offset, tensor.size});
            return storage_.hash_ranges(shard, ranges, reading_.piece_size, options);
        }
        std::vector<PieceDigests> digests;
        std::uint64_t total = 0, done = 0;
        for (const Stored& tensor : tensors) total += tensor.size;
        RunOptions part = options;
        storage_.use(shard, [&](const ReadAt& read_at, unsigned readers) {
            for (const Stored& tensor : tensors) {
                if (options.progress) {
                    part.progress = [&](double share) {
                        const auto bytes = static_cast<double>(done) + share * static_cast<double>(tensor.size);
                        return options.progress(bytes / static_cast<double>(std::max<std::uint64_t>(1, total)));
                    };
                }
                digests.push_back({digest_by_tiles(tensor, read_at, readers, part), {}});
                done += tensor.size;
            }
        });
        return digests;
    }

    void read_plain() {
        std::vector<std::string> names;
        for (const std::string& name : source_.files) {
            if (!looked_.contains(name) || !is_wanted(name, nullptr)) continue;
            if (const File* old = known_file(name); old != nullptr) {
                found_.files.push_back(*old);
                note(name, false);
            } else {
                names.push_back(name);
            }
        }
        std::vector<Hashed> digests = storage_.hash_files(names, reading_.piece_size, work_);
        for (std::size_t i = 0; i < names.size(); i++) {
            guarded(names[i], [&] {
                if (digests[i].error) std::rethrow_exception(digests[i].error);
                found_.files.push_back(
                    {names[i], looked_.at(names[i]).size, digests[i].made.digest, std::move(digests[i].made.pieces)});
                note(names[i], true);
            });
        }
    }

    // What indices in a folder name and what is not there. Shards of PyTorch are plain files of it. A text that is no
    // index is only a file.
    void find_missing() {
        if (source_.kind != Kind::folder) return;
        std::set<std::string_view> there(source_.shards.begin(), source_.shards.end());
        there.insert(source_.files.begin(), source_.files.end());
        std::set<std::string> missing;
        for (const std::string& name : source_.files) {
            if (!name.ends_with(".index.json") || !looked_.contains(name) || !is_wanted(name, nullptr)) continue;
            if (looked_.at(name).size > most_index_bytes) continue;
            Source index;
            try {
                take_index(index, storage_.content(name), name);
            } catch (const Error& error) {
                if (error.code() != ErrorCode::io && error.code() != ErrorCode::invalid_argument) throw;
                continue;
            }
            const std::string prefix = name.substr(0, name.rfind('/') + 1);
            for (const std::string& shard : index.shards)
                if (!there.contains(prefix + shard) && !is_ignored(prefix + shard, reading_.ignore))
                    missing.insert(prefix + shard);
        }
        found_.missing.assign(missing.begin(), missing.end());
    }

    const Source& source_;
    Storage& storage_;
    const Reading& reading_;
    Work work_;
    std::map<std::string, Looked> looked_{};
    std::map<std::string, Header> headers_{};
    std::map<std::pair<std::string, std::string>, std::string> names_{};  // by shard and name
    Found found_{};
};

}  // namespace

Found read_files(const Source& source, Storage& storage, const Reading& reading, const RunOptions& options) {
    Found found = Reader(source, storage, reading, options).read();
    std::ranges::sort(found.tensors, {}, &Tensor::name);
    std::ranges::sort(found.files, {}, &File::path);
    std::ranges::sort(found.shards, {}, &Shard::path);
    std::ranges::sort(found.seen, {}, &Seen::path);
    std::ranges::sort(found.hashed);
    return found;
}

Manifest manifest_of(const Source& source, Found found, const Reading& reading) {
    Manifest manifest{.kind = source.kind, .digest = reading.digest, .piece_size = reading.piece_size};
    if (source.kind == Kind::file || source.kind == Kind::index) manifest.name = source.name;
    manifest.tensors = std::move(found.tensors);
    manifest.files = std::move(found.files);
    manifest.shards = std::move(found.shards);
    manifest.ignore = reading.ignore;
    manifest.seen = std::move(found.seen);
    manifest.missing = std::move(found.missing);
    manifest.root = root_of(manifest);
    return manifest;
}

}  // namespace merklize::inline v0::manifests
