#pragma once

namespace merklize::binding {

/// Gives what the library logged to Python's logger "merklize", if there can be one. Costs nothing where nothing was
/// logged.
/// errors  whatever a handler of the program raises
void hand_over_log();

}  // namespace merklize::binding
