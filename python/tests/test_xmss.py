"""Keys of Ethereum's XMSS, beside a reference by hashlib (xmss_reference.py) and published vectors."""

from __future__ import annotations

import json

import pytest

import xmss_reference as reference

VECTORS = json.loads(reference.TARGET.read_text())


class TestReference:
    """What the witness itself is known by."""

    @pytest.mark.parametrize("name", reference.PUBLISHED)
    def test_published_keys(self, name):
        first, last, public_key = reference.PUBLISHED[name]
        assert reference.Key(reference.COUNTING, first, last).public_key.hex() == public_key

    def test_published_signature(self):
        """The vector verify_valid of ethereum/cryptography-specs: its first chain value and its last sibling."""
        signature = VECTORS["signature"]
        assert len(signature) == 2 * reference.SIGNATURE_SIZE
        assert signature.startswith("96a558ca6a9a790b9daafd52abb7607a")
        assert signature.endswith("f8010800925b6ef9e7a9171eebcd08d9")

    @pytest.mark.slow
    def test_vectors_are_what_it_writes(self):
        assert reference.TARGET.read_text() == reference.text()
