#include "host/rotational.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

#include <map>
#include <mutex>
#include <string>

#include "host/descriptor.hpp"

namespace merklize::runtime {
namespace {

#ifdef __linux__
// Linux, Documentation/ABI/stable/sysfs-block: a disk has queue/rotational; a partition is a folder of its disk. File systems that are on no
// disk have no entry.
bool asks_system(std::uint64_t device) {
    const std::string entry =
        "/sys/dev/block/" + std::to_string(major(device)) + ":" + std::to_string(minor(device)) + "/";
    for (const char* name : {"queue/rotational", "../queue/rotational"}) {
        const Descriptor file(open((entry + name).c_str(), O_RDONLY | O_CLOEXEC));
        if (!file) continue;
        char answer = '0';
        return read(file.get(), &answer, 1) == 1 && answer == '1';
    }
    return false;
}
#else
bool asks_system(std::uint64_t) { return false; }
#endif

bool asks_once(std::uint64_t device) {
    static std::mutex mutex;
    static auto& known = *new std::map<std::uint64_t, bool>;  // never destroyed: threads may still read at the end
    const std::lock_guard lock(mutex);
    const auto found = known.find(device);
    return found != known.end() ? found->second : known.emplace(device, asks_system(device)).first->second;
}

}  // namespace

bool (*is_rotational)(std::uint64_t device) = asks_once;

}  // namespace merklize::runtime
