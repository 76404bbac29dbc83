"""A drop-in for the package blake3: `from merklize.blake3 import blake3`.

>>> from merklize.blake3 import blake3
>>> blake3(b"abc").hexdigest()[:16]
'6437b3ac38465133'
"""

from ._native import blake3, version
from ._signature import Signature

__version__: str = version()
blake3.__module__ = __name__
blake3.__signature__ = Signature()  # type: ignore[attr-defined]

__all__ = ["__version__", "blake3"]
