"""Totals are kept apart whatever language names them; what is only likely is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from runtime.ingest.outcome import ReadingLimits

Read = Callable[..., Any]


@pytest.mark.parametrize(
    "word",
    [
        *("合計", "総合計", "小計", "总计", "合计", "總計", "합계", "총계", "المجموع", "الإجمالي", 'סה"כ', "סך הכל"),
        *("Razem", "Ogółem", "Totaal", "Eindtotaal", "Totalt", "Totales", "Total geral", "Yhteensä", "Summa", "I alt"),
        *("Итого", "ИТОГО:", "Всего", "Разом", "Общо", "Celkem", "Spolu", "Összesen", "Toplam", "Genel Toplam"),
        *("Σύνολο", "ΣΥΝΟΛΟ", "Jumlah", "Tổng cộng", "รวมทั้งสิ้น", "कुल", "Kokku", "Iš viso", "Ukupno", "Samtals"),
    ],
)
def test_a_total_of_any_language_is_no_row(read: Read, word: str) -> None:
    marked = '"' + word.replace('"', '""') + '"'
    table = read(f"item,qty\na,10\nb,20\nc,12\n{marked},42\n")
    assert table.rows == [("a", 10), ("b", 20), ("c", 12)], table.notes
    assert f"1 total row kept apart, not counted as rows: line 5 {word!r} (equal to the sum" in table.notes


@pytest.mark.parametrize(
    ("content", "rows", "said"),
    [
        pytest.param(
            "region;shop;kwota\nPółnoc;a;10\nPółnoc;b;5\nRazem Północ;;15\nWschód;c;7\nRazem Wschód;;7\nRazem;;22\n",
            [("Północ", "a", 10), ("Północ", "b", 5), ("Wschód", "c", 7)],
            "3 total and subtotal rows kept apart",
            id="subtotals",
        ),
        pytest.param(
            "地域,店,数量\n東京,a,10\n東京,b,5\n東京小計,,15\n大阪,c,7\n大阪小計,,7\n合計,,22\n",
            [("東京", "a", 10), ("東京", "b", 5), ("大阪", "c", 7)],
            "3 total and subtotal rows kept apart",
            id="the-word-behind-the-group",
        ),
        pytest.param(
            "item,qty\nA,10\nB,20\nC,30\nTotal,65\n",
            [("A", 10), ("B", 20), ("C", 30)],
            "line 5 'Total' (qty says 65 where the rows add up to 60)",
            id="a-total-that-is-wrong",
        ),
        pytest.param(
            "supplier,spend\nBP,500\nShell,300\nTotal,200\n",
            [("BP", 500), ("Shell", 300), ("Total", 200)],
            "line 4 'Total' kept as a row: spend says 200 where the rows add up to 800",
            id="a-company-called-total-at-the-end",
        ),
        pytest.param(
            "品,数\n合計画,10\n計画,20\nb,31\n", [("合計画", 10), ("計画", 20), ("b", 31)], "", id="begins-alike"
        ),
        pytest.param(
            "item,qty\na,10\nb,20\nc,12\nSvega,42\n",
            [("a", 10), ("b", 20), ("c", 12), ("Svega", 42)],
            "the last row ('Svega') holds the sums of all above it in qty",
            id="a-word-that-is-not-known",
        ),
    ],
)  # fmt: skip
def test_what_adds_up_others(read: Read, content: str, rows: list[Any], said: str) -> None:
    table = read(content)
    assert table.rows == rows, table.notes
    assert said in table.notes


def test_a_total_of_another_language_below_a_large_text(read: Read, limits: ReadingLimits) -> None:
    content = "item,qty\n" + "a,5\n" * 20_000 + "Итого,100000\n"
    table = read(content, limits=replace(limits, whole_types_bytes=1_000, repair_bytes=1_000))
    assert len(table.rows) == 20_000
    assert "'Итого' (equal to the sum of the rows in qty)" in table.notes


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("Shell,3,3213.02\nTotal Energies,3,6118.80\nBP,2,4272.45\n", id="an-amount-contradicts"),
        pytest.param("Shell,3,3213.02\nBP,2,4272.45\nTotal Gas,5,6118.80\n", id="at-the-end"),
        pytest.param("Ann,1,2\nSumme Software GmbH,1,9\nBob,2,9\n", id="one-row-above"),
    ],
)
def test_what_is_called_so_is_a_row_where_a_figure_contradicts(read: Read, content: str) -> None:
    assert len(read(f"supplier,invoices,amount\n{content}").rows) == 3


def test_a_person_called_sum_is_a_row(read: Read) -> None:
    assert len(read("first,last,visits\nAnn,Lee,1\nSum,Chan,1\nBob,Ray,2\n").rows) == 3


def test_rows_with_other_codes_are_no_totals_without_a_label(read: Read) -> None:
    rows = "K1,A1,B1,0\nK2,A2,B2,1\nK3,A3,B3,0\nK4,,B4,1\nK5,A5,B5,3\nK6,,B6,3\nK7,A7,B7,5\n"
    assert len(read(f"key,code,other,qty\n{rows}").rows) == 7


@pytest.mark.parametrize("label", ["Total sales", "Total amount due", "Total Europe", "Subtotal fruit"])
def test_a_total_of_something_is_no_row_where_it_is_the_sum_of_several(read: Read, label: str) -> None:
    table = read(f"item,qty\na,10\nb,20\nc,12\n{label},42\n")
    assert table.column("qty") == [10, 20, 12], table.notes


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("item,qty\na,10\nb,20\nTotal général,30\n", id="two-rows-above"),
        pytest.param("item,qty,price,value\na,10,2,20\nb,20,3,60\nTotal sales,30,2.67,80\n", id="a-mean-beside"),
        pytest.param("item,sold,growth\na,10,2\nb,20,3\nc,5,9\nTotal assets,35,4.1\n", id="growth-beside"),
        pytest.param("item,sold,cost\na,10,1.26\nb,20,99.26\nTotal HT,30,100.5\n", id="a-rounded-sum-beside"),
        pytest.param("item,orders,customers\na,10,9\nb,20,17\nc,15,12\nTotal shop,45,33\n", id="distinct-ones-beside"),
    ],
)
def test_a_total_of_something_may_have_figures_that_are_no_sums(read: Read, content: str) -> None:
    table = read(content)
    assert "1 total row kept apart" in table.notes
    assert not any("Total" in str(row[0]) for row in table.rows)
