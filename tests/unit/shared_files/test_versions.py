"""What files of one name are called in their thread: the newest by its name, the older ones by a number."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from bot.shared_files.versions import Versions, named, told
from runtime.state import SharedFile


def files(*each: tuple[str, str]) -> list[SharedFile]:
    return [SharedFile("a", f"F{number}", name, sha256, 1) for number, (name, sha256) in enumerate(each)]


def test_the_newest_has_the_name_and_knows_the_older_ones() -> None:
    found = named(files(("v1.csv", "a"), ("V1.csv", "b"), ("w.csv", "a"), ("v1.csv", "c")))
    assert [each.called for each in found] == ["v1 (older 1).csv", "v1 (older 2).csv", "w.csv", "v1.csv"]
    assert [each.older for each in found] == [(), (), (), ("v1 (older 1).csv", "v1 (older 2).csv")]


def test_an_older_content_that_comes_again_is_the_newest() -> None:
    found = named(files(("v1.csv", "a"), ("v1.csv", "b"), ("v1.csv", "a")))
    assert [each.called for each in found] == ["v1.csv", "v1 (older 1).csv", "v1.csv"]


def test_a_number_never_takes_the_name_that_another_file_has() -> None:
    found = named(files(("v1 (older 1).csv", "x"), ("v1.csv", "a"), ("v1.csv", "b")))
    assert [each.called for each in found] == ["v1 (older 1).csv", "v1 (older 2).csv", "v1.csv"]


@given(st.lists(st.tuples(st.sampled_from(["a.csv", "A.csv", "a (older 1).csv", "b"]), st.sampled_from("xyz"))))
def test_no_two_contents_share_a_name_and_the_last_keeps_its_own(each: list[tuple[str, str]]) -> None:
    found = named(files(*each))
    contents = {(one.called.casefold(), one.file.sha256) for one in found}
    assert len({called for called, _ in contents}) == len(contents)
    if found:
        assert found[-1].called == found[-1].file.name
    older = {name for one in found for name in one.older}
    assert older <= {one.called for one in found}


def test_the_older_ones_are_told() -> None:
    assert told(Versions("v1.csv", ("v1 (older 1).csv",)), "UTC") == (
        "«v1.csv» is the newest file of that name in this thread; the older one is «v1 (older 1).csv» here."
    )
    assert "«a», «b» and «c» here, the oldest first." in told(Versions("v1.csv", ("a", "b", "c")), "UTC")


def test_when_each_came_is_told_in_the_time_zone_of_the_place() -> None:
    def came(*moments: str) -> str:
        kept = [datetime.fromisoformat(f"2026-03-28T{moment}+00:00") for moment in moments]
        pairs = zip(files(*(("v1.csv", sha256) for sha256 in "abc")), kept, strict=False)
        each = [replace(file, kept_at=moment) for file, moment in pairs]
        found = named(each)
        return told(found[-1].version(found), "Europe/Berlin")

    # The night in between is the one in which clocks are put forward.
    assert came("09:05:00", "22:59:59", "23:30:00").endswith(
        "«v1 (older 1).csv» and «v1 (older 2).csv» here, the oldest first. They came to me at 2026-03-29 00:30, "
        "2026-03-28 10:05 and 2026-03-28 23:59 (Europe/Berlin), in the order named here."
    )
    assert came("09:05:00", "10:00:00").endswith(
        "at 2026-03-28 11:00 and 2026-03-28 10:05 (Europe/Berlin), in the order named here."
    )
    # Files that came together are told apart by their order alone.
    assert "came to me" not in came("09:05:01", "09:05:02")
