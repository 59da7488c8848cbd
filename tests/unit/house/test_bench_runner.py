"""The benchmark table says for every figure whether its bar is met, and a missed one is not to be overlooked."""

import pytest

from tests.bench.__main__ import main, table
from tests.bench.row import Row


def test_a_row_without_a_bar_is_always_met() -> None:
    assert Row("resident size", 250.0, "MB", None, "a bare Bolt echo: 80 MB").met


@pytest.mark.parametrize(("value", "met"), [(2.9, True), (3.0, True), (3.1, False)])
def test_a_bar_is_met_up_to_and_including_its_value(value: float, met: bool) -> None:
    assert Row("1-row read", value, "ms over bare", 3.0, "bare read 0.2 ms").met is met


def test_the_table_marks_what_was_missed() -> None:
    text = table([Row("a", 1.0, "ms", 2.0, "bare 0.5 ms"), Row("b", 3.0, "ms", 2.0, "bare 0.5 ms")])
    assert [("MISSED" in line) for line in text.splitlines()] == [False, False, True]


def test_an_unknown_benchmark_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["no_such_thing"])
    assert stopped.value.code == 2 and "no_such_thing" in capsys.readouterr().err
