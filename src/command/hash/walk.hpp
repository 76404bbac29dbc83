#pragma once

#include <string>
#include <vector>

namespace merklize::command {

/// All files below a folder, each folder sorted by the bytes of its names. It holds the names of one folder for each
/// depth.
///
/// Symbolic links to files count as files, and so do broken links, whose opening fails later. Links to folders are not
/// followed, so there are no cycles. Pipes, sockets and devices are left out, because reading them might never end.
class Walk {
public:
    explicit Walk(std::string folder);

    /// Gives the next file, or a folder that cannot be read and the reason; false at the end.
    bool next(std::string& path, std::string& error);

private:
    struct Entry {
        std::string name;
        unsigned char kind;  // DT_*
    };
    struct Folder {
        std::string path;  // with the slash at its end
        std::vector<Entry> entries;
        std::size_t at = 0;
    };

    bool enter(std::string path, std::string& error);

    std::vector<Folder> stack_;
    std::string start_;
};

}  // namespace merklize::command
