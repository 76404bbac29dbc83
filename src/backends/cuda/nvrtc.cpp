#include "backends/cuda/nvrtc.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <sstream>
#include <vector>

#include "backends/cuda/api.hpp"
#include "backends/cuda/error.hpp"
#include "backends/cuda/library.hpp"

namespace merklize::cuda {
namespace {

constexpr const char* how_to_get_it =
    "install it (pip install 'merklize[cuda]', or the package nvidia-cuda-nvrtc), or set MERKLIZE_NVRTC_LIBRARY to the "
    "path "
    "of libnvrtc.so";
constexpr std::size_t longest_log = 8192;

struct Nvrtc {
    NvrtcApi api{};
    int major = 0;
    int minor = 0;
    std::vector<int> archs{};

    std::string name() const { return "NVRTC " + std::to_string(major) + "." + std::to_string(minor); }
};

// NVRTC opens its builtins by name when it compiles, and finds them only on the loader's path. If they lie beside NVRTC
// (PyPI's packages, a toolkit), they are loaded here, so that nobody needs LD_LIBRARY_PATH. If they are not there, that
// is no error.
void load_builtins(const Nvrtc& nvrtc) {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(nvrtc.api.nvrtcVersion), &info) == 0 || info.dli_fname == nullptr) return;
    const std::string path = info.dli_fname;
    const std::size_t slash = path.rfind('/');
    if (slash == path.npos) return;
    const std::string file = path.substr(0, slash) + "/libnvrtc-builtins.so." + std::to_string(nvrtc.major) + "." +
                             std::to_string(nvrtc.minor);
    dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

// If the file cannot be used: null, and a line in `why`.
std::unique_ptr<Nvrtc> open(const std::string& file, std::string& why) {
    const auto refuse = [&](const std::string& reason) {
        why += (why.empty() ? "" : "; ") + reason;
        return nullptr;
    };
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* reason = dlerror();
        return refuse(reason != nullptr ? reason : file);
    }
    auto nvrtc = std::make_unique<Nvrtc>();
    bool complete = true;
#define MKZ_NVRTC_FIND(field, symbol, parameters)                                            \
    nvrtc->api.field = reinterpret_cast<decltype(nvrtc->api.field)>(dlsym(library, symbol)); \
    complete = complete && nvrtc->api.field != nullptr;
    MKZ_NVRTC_FUNCTIONS(MKZ_NVRTC_FIND)
    int n_archs = 0;
    if (!complete || nvrtc->api.nvrtcVersion(&nvrtc->major, &nvrtc->minor) != NVRTC_SUCCESS ||
        nvrtc->api.nvrtcGetNumSupportedArchs(&n_archs) != NVRTC_SUCCESS || n_archs <= 0) {
        dlclose(library);
        return refuse(file + " is no NVRTC of CUDA 11.2 or newer");
    }
    nvrtc->archs.resize(static_cast<std::size_t>(n_archs));
    nvrtc->api.nvrtcGetSupportedArchs(nvrtc->archs.data());
    std::sort(nvrtc->archs.begin(), nvrtc->archs.end());
    load_builtins(*nvrtc);
    return nvrtc;
}

// A driver runs the output of its own CUDA's NVRTC and of older ones, so the driver's own major version comes first.
std::vector<std::string> places() {
    std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so.12"};
    if (const int version = driver_version(); version != 0 && version < 13000) std::swap(names[0], names[1]);
    std::vector<std::string> all = names;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
        const char* folder = secure_getenv(variable);
        if (folder == nullptr || *folder != '/') continue;  // nothing is loaded because of the working directory
        for (const std::string& name : names) all.push_back(std::string(folder) + "/lib64/" + name);
    }
    for (const std::string& name : names) all.push_back("/usr/local/cuda/lib64/" + name);
    return all;
}

std::unique_ptr<Nvrtc> find(std::string& why) {
    if (const char* chosen = secure_getenv("MERKLIZE_NVRTC_LIBRARY"); chosen != nullptr && *chosen != '\0') {
        auto nvrtc = open(chosen, why);
        if (!nvrtc) why = "MERKLIZE_NVRTC_LIBRARY: " + why;
        return nvrtc;
    }
    for (const std::string& place : places()) {
        if (auto nvrtc = open(place, why)) return nvrtc;
    }
    return nullptr;
}

// Finds NVRTC once and keeps it. Until then every call looks again, because the variable may be set in between. If
// there is none: null, and the reason in `why`.
const Nvrtc* nvrtc_or(std::string& why) {
    static std::mutex mutex;
    static const Nvrtc* found = nullptr;
    const std::lock_guard lock(mutex);
    if (found == nullptr) found = find(why).release();
    return found;
}

const Nvrtc& nvrtc_for(const std::string& on) {
    std::string why;
    if (const Nvrtc* nvrtc = nvrtc_or(why)) return *nvrtc;
    throw Failure(MKZ_UNAVAILABLE,
                  on + ": no compiler for kernels: NVRTC is missing: " + how_to_get_it + " (" + why + ")");
}

// The newest architecture that NVRTC knows and the device can run: the device's own, or an older one as PTX. 0: none.
int usable_arch(const Nvrtc& nvrtc, int arch) {
    int best = 0;
    for (const int known : nvrtc.archs) {
        if (known <= arch) best = known;
    }
    return best;
}

std::vector<std::string> words_of(const char* options) {
    std::vector<std::string> words;
    std::istringstream in(options != nullptr ? options : "");
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

// One compilation. Throws Failure with `on` before the text.
class Compilation {
public:
    Compilation(const Nvrtc& nvrtc, const char* text, const std::string& on) : nvrtc_(nvrtc), on_(on) {
        check(nvrtc.api.nvrtcCreateProgram(&program_, text, "merklize.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
    }
    Compilation(const Compilation&) = delete;
    Compilation& operator=(const Compilation&) = delete;
    ~Compilation() { nvrtc_.api.nvrtcDestroyProgram(&program_); }

    void run(const std::vector<std::string>& options) {
        std::vector<const char*> words;
        words.reserve(options.size());
        std::string line;
        for (const std::string& option : options) {
            words.push_back(option.c_str());
            line += " " + option;
        }
        if (nvrtc_.api.nvrtcCompileProgram(program_, static_cast<int>(words.size()), words.data()) != NVRTC_SUCCESS) {
            throw Failure(MKZ_INTERNAL, on_ + ": a program does not compile (" + nvrtc_.name() + line + "):\n" + log());
        }
    }

    std::string image(bool ptx) {
        std::size_t bytes = 0;
        check(ptx ? nvrtc_.api.nvrtcGetPTXSize(program_, &bytes) : nvrtc_.api.nvrtcGetCUBINSize(program_, &bytes),
              "nvrtcGet...Size");
        std::string image(bytes, '\0');
        check(ptx ? nvrtc_.api.nvrtcGetPTX(program_, image.data()) : nvrtc_.api.nvrtcGetCUBIN(program_, image.data()),
              ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN");
        return image;
    }

private:
    void check(nvrtcResult result, const char* what) const {
        if (result == NVRTC_SUCCESS) return;
        throw Failure(MKZ_INTERNAL, on_ + ": " + nvrtc_.name() + ": " + what + ": error " + std::to_string(result));
    }

    // The first error matters; what follows from it may be long.
    std::string log() const {
        std::size_t bytes = 0;
        if (nvrtc_.api.nvrtcGetProgramLogSize(program_, &bytes) != NVRTC_SUCCESS || bytes == 0) return "(no log)";
        std::string text(bytes, '\0');
        if (nvrtc_.api.nvrtcGetProgramLog(program_, text.data()) != NVRTC_SUCCESS) return "(no log)";
        text.resize(std::strlen(text.c_str()));
        if (text.size() > longest_log) text = text.substr(0, longest_log) + "\n... (cut)";
        return text;
    }

    const Nvrtc& nvrtc_;
    const std::string& on_;
    nvrtcProgram program_ = nullptr;
};

}  // namespace

Image compile(int arch, const char* text, const char* options, const std::string& on) {
    const Nvrtc& nvrtc = nvrtc_for(on);
    const int usable = usable_arch(nvrtc, arch);
    if (usable == 0) {
        throw Failure(MKZ_UNAVAILABLE, on + ": " + nvrtc.name() + " cannot compile for sm_" + std::to_string(arch) +
                                           ", only for sm_" + std::to_string(nvrtc.archs.front()) +
                                           " and newer: install an older one (for CUDA 12: nvidia-cuda-nvrtc-cu12)");
    }
    Image image;
    image.is_ptx = usable != arch;
    std::vector<std::string> words{
        std::string("--gpu-architecture=") + (image.is_ptx ? "compute_" : "sm_") + std::to_string(usable),
        "--std=c++17"};
    for (std::string& word : words_of(options)) words.push_back(std::move(word));
    Compilation compilation(nvrtc, text, on);
    compilation.run(words);
    image.bytes = compilation.image(image.is_ptx);
    return image;
}

int nvrtc_major() {
    std::string why;
    const Nvrtc* nvrtc = nvrtc_or(why);
    return nvrtc != nullptr ? nvrtc->major : 0;
}

}  // namespace merklize::cuda
