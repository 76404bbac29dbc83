#include "arguments.hpp"
#include "module.hpp"

namespace merklize::binding {

void bind_device(nb::module_& m) {
    define(
        m, "devices",
        +[] {
            nb::list result;
            for (const DeviceInfo& info : merklize::devices()) {
                result.append(
                    nb::make_tuple(info.id, info.backend, to_str(info.name), info.isa, info.units, info.memory_bytes));
            }
            return result;
        },
        "def devices() -> list[tuple[str, str, str, str, int, int]]");
    define(
        m, "why_unavailable",
        +[](nb::handle name) { return merklize::why_unavailable(to_text(name, "why_unavailable: name")); },
        "def why_unavailable(name: str, /) -> str");
}

}  // namespace merklize::binding
