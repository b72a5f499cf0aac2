"""Events and the state they fold into."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorhub.hub.errors import RecordError, SchemaFromFuture
from errorhub.hub.log import Event, State, UnknownEvent, event_bytes, fold, parse_event, stamp, ulid

IDS = [letter * 64 for letter in "abc"]
START = datetime(2025, 1, 1, tzinfo=UTC)


def event(type: str, second: int = 0, *, tail: int = 0, **facts: Any) -> Event:
    """Return an event of a type at a second."""
    at = START + timedelta(seconds=second)
    name = ulid(at)[:10] + f"{tail:016d}"
    document = {"format": "errorhub.event/1", "id": name, "type": type, "at": stamp(at), "actor": "anon-1", "tool": "t"}
    if type == "publish":
        shard = {"path": "p", "sha256": "0" * 64, "size": 1, "schema": 1, "rows": 1}
        facts = {"shard": shard, "set_digest": "0" * 64} | facts
    return parse_event(json.dumps(document | facts).encode())


EVENTS = st.builds(
    event,
    st.just("publish"),
    st.integers(0, 5),
    tail=st.integers(0, 3),
    bundles=st.lists(st.sampled_from(IDS), max_size=3, unique=True),
) | st.one_of(
    *(
        st.builds(
            event,
            st.just(type),
            st.integers(0, 5),
            tail=st.integers(0, 3),
            bundles=st.lists(st.sampled_from(IDS), max_size=2, unique=True),
            **facts,
        )
        for type, facts in {
            "yank": {"reason": st.sampled_from(["bad_label", "duplicate"])},
            "unyank": {},
            "takedown": {"reason": st.sampled_from(["privacy", "secret"])},
            "review": {"verdict": st.sampled_from(["accept", "reject"])},
        }.items()
    )
)


@given(st.lists(EVENTS, max_size=8).flatmap(lambda events: st.tuples(st.just(events), st.permutations(events))))
def test_every_order_of_the_same_events_gives_the_same_state(pair: tuple[list[Event], list[Event]]) -> None:
    events, shuffled = pair
    assert fold(events) == fold(shuffled)
    assert fold([*events, *events]) == fold(events)
    assert fold(events).digest == fold(shuffled).digest


@given(st.lists(EVENTS, max_size=8))
def test_a_withdrawn_bundle_is_never_live_again(events: list[Event]) -> None:
    state = fold([*events, event("takedown", 3, bundles=[IDS[0]], reason="secret")])
    assert IDS[0] not in state.live | state.visible | state.yanked.keys()
    assert state.visible <= state.live <= state.published


def test_the_latest_yank_decides() -> None:
    events = [event("publish", 0, bundles=IDS), event("yank", 1, bundles=IDS[:2], reason="bad_label")]
    assert fold(events).yanked == dict.fromkeys(IDS[:2], "bad_label")
    events.append(event("unyank", 2, bundles=IDS[:1]))
    assert fold(events).yanked == {IDS[1]: "bad_label"}
    assert fold(events).visible == {IDS[0], IDS[2]}


def test_an_unknown_type_is_kept_and_ignored_with_a_warning() -> None:
    strange = event("curtsy", 1, bundles=IDS, depth=3)
    with pytest.warns(UnknownEvent, match="curtsy"):
        assert fold([strange]) == State()


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", RecordError),
        (b"[]", RecordError),
        (b"{}", RecordError),
        (b"\xff", RecordError),
        (b"[" * 100_000, RecordError),
        (b'{"format": "errorhub.event/2"}', SchemaFromFuture),
        (event_bytes(event("yank", bundles=IDS)).replace(b"a" * 64, b"../../etc"), RecordError),
        (event_bytes(event("yank", bundles=IDS)).replace(b"anon-1", b"Anon One"), RecordError),
    ],
    ids=["empty", "list", "nothing", "not UTF-8", "deep", "from the future", "not an id", "not a pseudonym"],
)
def test_what_is_no_event_is_refused(data: bytes, error: type[RecordError]) -> None:
    with pytest.raises(error):
        parse_event(data)


def test_ulids_sort_by_time_and_never_repeat() -> None:
    names = [ulid(START + timedelta(milliseconds=number)) for number in range(200)]
    assert names == sorted(set(names))
    assert len({ulid(START) for _ in range(100)}) == 100
    assert ulid(datetime(1970, 1, 1, tzinfo=UTC))[:10] == "0" * 10
    assert ulid(datetime.fromtimestamp(1469918176.385, UTC))[:10] == "01ARYZ6S41"
