"""The policies that `merklize tune` found on this machine and the library uses: stored, shown, and as lines of C++."""

from __future__ import annotations

from typing import Any, NamedTuple, Union

import merklize
from merklize import tuning
from merklize.extensions import is_processor

Policy = dict[str, Union[int, str]]


class Kept(NamedTuple):
    """A policy that the library uses on this machine. `log2` as the suites count it: for a digest, of its bytes."""

    job: str
    hash: str
    log2: int
    policy: Policy
    seconds: float
    builtin_seconds: float


CHUNK = 10  # log2 of the bytes of a chunk, because the library counts a digest in chunks


def _counted(job: str, log2: int, by: int) -> int:
    return max(log2 + by, 0) if job == "digest" else log2


def kept(device: str) -> list[Kept]:
    """Return the policies stored for a device with its present driver and version; none for several devices at once."""
    found = (Kept(*fields) for fields in tuning.tuned_policies(device))
    return [entry._replace(log2=_counted(entry.job, entry.log2, CHUNK)) for entry in found]


def keep(device: str, row: dict[str, Any]) -> None:
    """Store a row's winner in place of the stored policy of its job and size. Raises FileError."""
    job, hash, log2 = row["job"], row["hash"], row["log2"]
    entries = [entry for entry in kept(device) if (entry.job, entry.hash, entry.log2) != (job, hash, log2)]
    if row["policy"]:
        seconds, builtin = row["seconds"]["median"], row["builtin"]["median"]
        entries.append(Kept(job, hash, log2, row["policy"], seconds, builtin))
    ordered = sorted(entries, key=lambda entry: entry[:3])
    counted = [tuple(entry._replace(log2=_counted(entry.job, entry.log2, -CHUNK))) for entry in ordered]
    tuning.store_tuned_policies(device, counted)  # type: ignore[arg-type]


def text_of(policy: Policy) -> str:
    """Return a policy as --policy takes it."""
    return tuning.policy_text(policy) or "built-in"


KERNELS = {
    "digest": "MKZ_KERNEL_HASH_CHUNKS",
    "tree": "MKZ_KERNEL_MERGE_SUBTREES",
    "hash_rows": "MKZ_KERNEL_HASH_ELEMENTS",
    "merge": "MKZ_KERNEL_MERGE_PAIRS",
}


TABLE = "src/backends/tuning.cpp"
"""The built-in table of all devices."""


def device_class(info: merklize.DeviceInfo) -> str:
    """Return the table's name for a device's class."""
    if info.backend == "cpu":
        return "cpu"
    if info.backend == "cuda" or "NVIDIA" in info.vendor:
        return "nvidia_gpu"
    if not is_processor(info.id):
        return "gpu"
    return "pocl_processor" if "pocl" in f"{info.name} {info.driver}".lower() else "intel_processor"


def table_line(row: dict[str, Any], info: merklize.DeviceInfo, date: str) -> str:
    """Return the row for the built-in table, with its evidence above it."""
    log2 = _counted(row["job"], row["log2"], -CHUNK)
    values = {name: f"MKZ_CONSTANTS_{value}" if name == "constants" else value for name, value in row["policy"].items()}
    fill = ", ".join(f".{name} = {values[name]}" for name, _ in tuning.policy_fields() if name in values)
    sizes = f".below = power({log2 + 3}), .fill = {{{fill}}}, .from = power({max(log2 - 2, 0)})"
    times = f"{row['seconds']['median'] * 1e6:.4g} us instead of {row['builtin']['median'] * 1e6:.4g}"
    return (
        f"// {info.name}, {' '.join(filter(None, (info.driver, info.isa)))}, merklize {merklize.__version__}, {date}: "
        f"{row['job']} by {row['hash']}, 2^{row['log2']} {row['unit']}: {times}\n"
        f'{{.devices = +{device_class(info)}, .jobs = bit({KERNELS[row["job"]]}), .hashes = only("{row["hash"]}"), '
        f"{sizes}}},"
    )
