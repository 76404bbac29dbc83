// bao_outboard() and bao_encode(), of memory and of files.
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "bao/write.hpp"
#include "calls/calibration.hpp"
#include "calls/operands.hpp"
#include "calls/side_by_side.hpp"
#include "files/atomic_file.hpp"
#include "files/spooled_source.hpp"
#include "files/storage.hpp"
#include "host/invalid.hpp"
#include "merklize/bao.hpp"

namespace merklize::inline v0 {
namespace {

using namespace runtime;

using Kind = Placer::Kind;
using Use = Operand::Use;

constexpr std::uint32_t memory_batch_levels = 20;  // 1 GiB; the values of its groups of 1 KiB take 32 MiB

void require(const BaoForm& form, Kind kind) {
    if (kind == Kind::outboard) return require_form(form);
    require_encoding_form(form);
}

std::uint64_t bytes_of(std::uint64_t size, const BaoForm& form, Kind kind) {
    return kind == Kind::outboard ? bao_outboard_bytes(size, form) : bao_encoding_bytes(size, form);
}

void write_header(std::uint64_t size, const BaoForm& form, const WriteAt& write) {
    if (form.has_size) write(std::as_bytes(std::span(&size, 1)), 0);
}

WriteAt into(std::span<std::byte> out) {
    return [out](std::span<const std::byte> data, std::uint64_t offset) {
        if (!data.empty()) std::memcpy(out.data() + offset, data.data(), data.size());
    };
}

void require_out(std::uint64_t bytes, std::uint64_t wanted) {
    if (bytes == wanted) return;
    invalid_call("out", "must have " + std::to_string(wanted) + " bytes, got " + std::to_string(bytes));
}

// Makes the outboard or encoding of a message in host memory, in memory.
Digest make(std::span<const std::byte> data, const BaoForm& form, Kind kind, std::span<std::byte> out, Run& run) {
    const std::uint64_t size = data.size();
    require_out(out.size(), bytes_of(size, form, kind));
    require_apart({{Use::reads, "data", data}, {Use::writes, "out", std::as_bytes(out)}});
    const WriteAt write = into(out);
    write_header(size, form, write);
    const Shape shape(size, form.group_log);
    const Placer placer(shape, form, kind, write);
    const auto batch = [&](std::uint64_t offset, std::uint64_t) { return host_place(data.data() + offset); };
    const auto each_part = [&](const SourceReader::Use& use) {
        run.parallel((size - 1) / read_bytes + 1, [&](std::size_t i) {
            const std::uint64_t first = i * read_bytes;
            use(i, data.subspan(first, std::min(read_bytes, size - first)));
        });
    };
    return root_digest(run.on_host() ? write_tree(shape, each_part, placer)
                                     : write_tree_on_device(shape, batch, memory_batch_levels, placer, run));
}

// Touches host memory while the device computes, because page faults during the copy would take longer than the copy.
void touch(std::span<std::byte> memory) {
    constexpr std::size_t page = 4096;
    for (std::size_t i = 0; i < memory.size(); i += page) *static_cast<volatile std::byte*>(&memory[i]) = std::byte{};
}

// Gives the destination of an outboard or encoding of `bytes` bytes.
using Output = std::function<WriteAt(std::uint64_t bytes)>;

// Makes the outboard of a source that can only be read in order.
Digest make_in_order(const ByteSource& source, const BaoForm& form, Run& run, const Output& output) {
    if (const InputFile* file = source.file()) file->widen_pipe(read_bytes);
    TreeInOrder tree(form, run);
    SourceReader reader(source);
    std::vector<std::byte> batch(tree.batch_bytes());
    std::size_t count = reader.fill_some(batch, run);
    if (count < batch.size()) {
        std::vector<std::byte> outboard(bao_outboard_bytes(count, form));
        const Digest root = make(std::span(batch).first(count), form, Kind::outboard, outboard, run);
        output(outboard.size())(outboard, 0);
        return root;
    }
    for (; count == batch.size(); count = reader.fill_some(batch, run)) tree.add(batch);
    tree.add(std::span(batch).first(count));
    const WriteAt write = output(bao_outboard_bytes(tree.bytes(), form));
    write_header(tree.bytes(), form, write);
    const Shape shape(tree.bytes(), form.group_log);
    return root_digest(tree.finish(shape, Placer(shape, form, Kind::outboard, write)));
}

// Makes the outboard or encoding of a source.
// folder  has a copy of what can only be read in order, for an encoding
Digest make(const ByteSource& source, const BaoForm& form, Kind kind, const RunOptions& options,
            const std::filesystem::path& folder, const Output& output) {
    const RunOptions run_options = kind == Kind::encoding ? on_the_cpu(options) : options;
    Run run(run_options);
    const auto extent = source.extent();
    if (!extent && kind == Kind::outboard) return make_in_order(source, form, run, output);
    if (!extent) return make(SpooledSource(source, folder, run.waiting()), form, kind, options, folder, output);
    const std::uint64_t position = extent->position, size = extent->bytes;
    const WriteAt write = output(bytes_of(size, form, kind));
    write_header(size, form, write);
    const Shape shape(size, form.group_log);
    const Placer placer(shape, form, kind, write);
    SourceReader reader(source, {position, size});
    std::optional<Node> top;
    if (run.on_host()) {
        const auto each_part = [&](const SourceReader::Use& use) { reader.each_part(size, read_bytes, run, 1, use); };
        top = write_tree(shape, each_part, placer);
    } else {
        std::vector<std::byte> buffer(std::min(size, batch_bytes));
        const auto batch = [&](std::uint64_t, std::uint64_t bytes) {
            reader.fill(std::span(buffer).first(bytes), run, 0);
            return host_place(buffer.data());
        };
        top = write_tree_on_device(shape, batch, batch_levels, placer, run);
    }
    source.require_unchanged(extent->identity);
    source.leave_at(position + size);
    return root_digest(*top);
}

}  // namespace
}  // namespace merklize::inline v0

namespace merklize::runtime {

BaoOutput bao_of(const ByteSource& source, const BaoForm& form, Placer::Kind kind, const RunOptions& options) {
    require(form, kind);
    BaoOutput output;
    output.root = make(source, form, kind, options, std::filesystem::temp_directory_path(), [&](std::uint64_t bytes) {
        output.bytes.resize(bytes);
        return into(output.bytes);
    });
    return output;
}

Digest bao_of(const ByteSource& source, const BaoForm& form, Placer::Kind kind, const std::filesystem::path& out,
              const RunOptions& options) {
    refuse_empty_path(out.native(), "out");
    require(form, kind);
    if (source.file() != nullptr) require_apart(Storage(source.file()->fd()), out);
    AtomicFile file = AtomicFile::temporary(out);
    const auto folder = out.has_parent_path() ? out.parent_path() : ".";
    const Digest root = make(source, form, kind, options, folder, [&](std::uint64_t bytes) -> WriteAt {
        if (bytes != 0) file.reserve(bytes);
        file.resize(bytes);
        return [&file](std::span<const std::byte> data, std::uint64_t offset) { file.write(data, offset); };
    });
    file.commit();
    return root;
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

BaoOutput bao_outboard(ByteView data, const BaoForm& form, const RunOptions& options) {
    const PublicCall entry("bao_outboard");
    require(form, Kind::outboard);
    BaoOutput output{.root = {}, .bytes = std::vector<std::byte>(bao_outboard_bytes(data.size(), form))};
    output.root = bao_outboard(data, output.bytes, form, options);
    return output;
}

Digest bao_outboard(ByteView data, std::span<std::byte> out, const BaoForm& form, const RunOptions& options) {
    const PublicCall entry("bao_outboard");
    require(form, Kind::outboard);
    const RunOptions run_options = chosen(options, Job::digest, Hash::blake3, data.size(), data.data());
    Run run(run_options);
    return make(data, form, Kind::outboard, out, run);
}

BaoOutput bao_outboard(const ConstBuffer& data, const BaoForm& form, const RunOptions& options) {
    const PublicCall entry("bao_outboard");
    require(form, Kind::outboard);
    BaoOutput output{.root = {}, .bytes = std::vector<std::byte>(bao_outboard_bytes(data.size(), form))};
    output.root = bao_outboard(data, output.bytes, form, options);
    return output;
}

Digest bao_outboard(const ConstBuffer& data, std::span<std::byte> out, const BaoForm& form, const RunOptions& options) {
    const PublicCall entry("bao_outboard");
    require(form, Kind::outboard);
    const std::uint64_t size = data.size();
    require_out(out.size(), bao_outboard_bytes(size, form));
    require_apart({{Use::reads, "data", data}, {Use::writes, "out", std::as_bytes(out)}});
    const RunOptions run_options = on_device_of(data, options);
    Run run(run_options);
    const Shape shape(size, form.group_log);
    const std::span<std::byte> nodes = out.subspan(header_bytes(form));
    const Lease scratch = nodes.empty() ? Lease() : run.on_device().scratch(nodes.size());
    const Place& there = scratch.place();
    const Node top = write_tree_there(shape, place_of(data), form.order, there, run, [&] { touch(nodes); });
    write_header(size, form, into(out));
    if (!nodes.empty()) run.on_device().download(nodes.data(), there, nodes.size());
    return root_digest(top);
}

Digest bao_outboard(const ConstBuffer& data, Buffer out, const BaoForm& form, const RunOptions& options) {
    const PublicCall entry("bao_outboard");
    require(form, Kind::outboard);
    const std::uint64_t size = data.size(), header = header_bytes(form);
    require_out(out.size(), bao_outboard_bytes(size, form));
    require_same_device(data, out);
    require_apart({{Use::reads, "data", data}, {Use::writes, "out", out}});
    const RunOptions run_options = on_device_of(data, options);
    Run run(run_options);
    if (header != 0) run.on_device().copy_to_device(place_of(out), &size, header);
    const Node top = write_tree_there(Shape(size, form.group_log), place_of(data), form.order,
                                      moved(place_of(out), header), run, [] {});
    run.finish();
    return root_digest(top);
}

BaoOutput bao_outboard_file(int fd, std::string_view name, const BaoForm& form, const RunOptions& options) {
    const PublicCall entry("bao_outboard_file");
    return bao_of(InputFile::whole(fd, name), form, Kind::outboard, options);
}

Digest bao_outboard_file(int fd, std::string_view name, const BaoForm& form, const std::filesystem::path& out,
                         const RunOptions& options) {
    const PublicCall entry("bao_outboard_file");
    return bao_of(InputFile::whole(fd, name), form, Kind::outboard, out, options);
}

BaoOutput bao_encode(ByteView data, const BaoForm& form, const RunOptions& options) {
    const PublicCall entry("bao_encode");
    require(form, Kind::encoding);
    BaoOutput output{.root = {}, .bytes = std::vector<std::byte>(bao_encoding_bytes(data.size(), form))};
    output.root = bao_encode(data, output.bytes, form, options);
    return output;
}

Digest bao_encode(ByteView data, std::span<std::byte> out, const BaoForm& form, const RunOptions& options) {
    const PublicCall entry("bao_encode");
    require(form, Kind::encoding);
    const RunOptions run_options = on_the_cpu(options);
    Run run(run_options);
    return make(data, form, Kind::encoding, out, run);
}

Digest bao_encode_file(int fd, std::string_view name, const BaoForm& form, const std::filesystem::path& out,
                       const RunOptions& options) {
    const PublicCall entry("bao_encode_file");
    return bao_of(InputFile::whole(fd, name), form, Kind::encoding, out, options);
}

}  // namespace merklize::inline v0
