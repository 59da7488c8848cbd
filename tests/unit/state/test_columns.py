"""Bodies and moments survive their stored form."""

import zlib
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import sqlite

from runtime.state.columns import PACK_FROM_BYTES, Moment, pack, unpack

DIALECT = sqlite.dialect()
any_text = st.text(st.characters(exclude_categories=()))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=8,
)


@given(json_values)
def test_any_json_value_comes_back(value: object):
    assert unpack(pack(value)) == value


@given(st.integers(PACK_FROM_BYTES - 50, PACK_FROM_BYTES + 50))
def test_large_bodies_are_compressed_and_small_ones_readable(length: int):
    stored = pack("a" * length)
    large = length + 2 >= PACK_FROM_BYTES
    assert stored.startswith(b"z") is large
    assert unpack(stored) == "a" * length
    if large:
        assert zlib.decompress(stored[1:]) == b'"' + b"a" * length + b'"'


@given(st.datetimes(timezones=st.just(timezone(timedelta(hours=5)))))
def test_a_moment_comes_back_in_utc_to_the_microsecond(moment: datetime):
    stored = Moment().process_bind_param(moment, DIALECT)
    back = Moment().process_result_value(stored, DIALECT)
    assert back == moment and back.tzinfo is UTC
