"""Data in object stores, for functions of merklize that get a URL. docs/stores.md says how objects are read.

`limits`   bytes and counts of ranges, attempts, times: fields that may be set

For programs that read objects themselves, and for merklize:
`opened`, `ObjectSource`, `Readers`   an object that functions of merklize read in place of a path
`open_object`, `pinned_object`, `Stored`  ranges of an object, in one version
`read_whole`, `write_object`, `upload`, `require_writable`  small objects, and files as objects
`file_system`                         fsspec's file system of a URL
`Store`, `find_url`, `hash_urls`, `tree_file_source`, `Opener`  what merklize's own calls open
`Report`, `Passing`, `failure_of`, `extra_of`  progress of several objects; failures as errors without secrets
"""

from ._failures import Passing, extra_of, failure_of
from ._hash import hash_urls
from ._limits import Limits, limits
from ._manifests import Store, find_url
from ._objects import Stored, open_object, pinned_object
from ._opener import Opener
from ._progress import Report
from ._ranges import ObjectSource, Readers, opened, tree_file_source
from ._systems import file_system
from ._write import read_whole, require_writable, upload, write_object

__all__ = [
    "Limits",
    "ObjectSource",
    "Opener",
    "Passing",
    "Readers",
    "Report",
    "Store",
    "Stored",
    "extra_of",
    "failure_of",
    "file_system",
    "find_url",
    "hash_urls",
    "limits",
    "open_object",
    "opened",
    "pinned_object",
    "read_whole",
    "require_writable",
    "tree_file_source",
    "upload",
    "write_object",
]
