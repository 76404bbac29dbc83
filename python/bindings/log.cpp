#include "log.hpp"

#include "arguments.hpp"
#include "jobs/log.hpp"
#include "module.hpp"

namespace merklize::binding {

namespace {

/// A flag that is true during its lifetime.
class FlagSet {
public:
    explicit FlagSet(bool& flag) : flag_(flag) { flag_ = true; }
    ~FlagSet() { flag_ = false; }
    FlagSet(const FlagSet&) = delete;
    FlagSet& operator=(const FlagSet&) = delete;

private:
    bool& flag_;
};

}  // namespace

void bind_log(nb::module_& m) {
    define(
        m, "def new_log_entries() -> list[tuple[int, str]]", +[] {
            nb::list entries;
            for (const runtime::LogEntry& entry : runtime::Log::process().take())
                entries.append(nb::make_tuple(static_cast<int>(entry.level), to_str(entry.text)));
            return entries;
        });
    runtime::Log::process().turn_on();
}

void hand_over_log() {
    static thread_local bool is_here =
        false;  // a handler may call the package, whose entries then wait for the next call
    runtime::Log& log = runtime::Log::process();
    if (log.is_empty() || is_here) return;
    const FlagSet set(is_here);
    // If `logging` was not imported, there is no handler.
    const nb::dict modules = nb::module_::import_("sys").attr("modules");
    if (modules.contains("logging")) {
        nb::module_::import_("merklize._log").attr("hand_over")();
    } else {
        (void)log.take();
    }
}

}  // namespace merklize::binding
