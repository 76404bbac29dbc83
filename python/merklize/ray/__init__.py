"""Work on a cluster of Ray: `pip install 'merklize[ray]'`. The same bytes as on one machine.

    merklize.ray.hash_file("s3://bucket/10-terabytes", address="auto")

`hash_file`, `hash_files`   BLAKE3 digests
`build_tree`                a root, or a whole tree file
`manifest`                  weights, tensor by tensor
`Options`                   how the work is cut, and the resources of a task

An object is cut where BLAKE3's own tree, or the tree above its leaves, has a subtree. A task reads its part, and gives
the 32 bytes of its subtree; the driver merges them. A task may run twice, or on any node, and gives the same bytes: a
lost worker costs its tasks alone. Without `address` Ray's cluster of this machine is started and ended. docs/scale.md

Workers open URLs by their own environment: credentials of the driver are not sent, but a URL with its query string is,
and so are keys of keyed digests. Paths must name the same file on every node.
"""

from ._cluster import Options
from ._files import hash_file, hash_files
from ._manifest import manifest
from ._trees import build_tree

__all__ = ["Options", "build_tree", "hash_file", "hash_files", "manifest"]
