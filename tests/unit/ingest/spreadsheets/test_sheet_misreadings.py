"""Misreadings of spreadsheets beyond the shared cases: each another kind, with the right value and what is said."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from openpyxl.styles import Font

from runtime.ingest import IngestRefused
from tests.unit.ingest.spreadsheets.conftest import repacked, saved, written

Read = Callable[..., Any]
D = Decimal


def formatted(places: list[str], code: str) -> Callable[[Any, Any], None]:
    """Gives cells a number format."""

    def adapt(_: Any, sheet: Any) -> None:
        for place in places:
            sheet[place].number_format = code

    return adapt


def one(tables: list[Any]) -> Any:
    (table,) = tables
    return table


def test_a_number_format_with_zeros_is_a_code(read_book: Read) -> None:
    book = saved(["zip", "n"], [1067, 1], [99999, 2], [501, 3], adapt=formatted(["A2", "A3", "A4"], "00000"))
    assert one(read_book(book)).rows == [("01067", 1), ("99999", 2), ("00501", 3)]


def test_a_percent_format_is_a_fraction(read_book: Read) -> None:
    book = saved(["rep", "rate"], ["Ann", 0.125], ["Bob", 0.5], adapt=formatted(["B2", "B3"], "0.0%"))
    table = one(read_book(book))
    assert table.column("rate") == [D("0.1250"), D("0.5")]
    assert "rate: percent format: 2 values as fractions (12% = 0.12)" in table.notes


def test_percents_and_plain_numbers_in_one_column_are_said(read_book: Read) -> None:
    book = saved(["rep", "rate"], ["Ann", 0.12], ["Bob", 12], adapt=formatted(["B2"], "0%"))
    assert "1 other number has no percent format" in one(read_book(book)).notes


def test_currencies_that_only_the_format_shows_are_not_added_up(read_book: Read) -> None:
    def adapt(_: Any, sheet: Any) -> None:
        sheet["B2"].number_format = "[$€-407] #,##0.00"
        sheet["B3"].number_format = '"$"#,##0.00'

    table = one(read_book(saved(["order", "price"], ["A", 10.5], ["B", 20], adapt=adapt)))
    assert table.types["price"] == "VARCHAR"
    assert "amounts in several currencies (EUR 1, USD 1)" in table.notes


def test_one_currency_is_said_and_stays_a_number(read_book: Read) -> None:
    book = saved(["order", "price"], ["A", 10.5], ["B", 20], adapt=formatted(["B2", "B3"], '#,##0.00 "€"'))
    table = one(read_book(book))
    assert table.column("price") == [D("10.5"), D("20")]
    assert "price: currency EUR by the number format of 2 cells" in table.notes


def test_long_numbers_keep_every_digit_that_is_stored(read_book: Read) -> None:
    # As programs write it that keep more digits than Excel does.
    book = repacked(
        saved(["id", "n"], [111, 1], [222, 2]),
        lambda _, body: body.replace(b"<v>111<", b"<v>12345678901234567891<").replace(
            b"<v>222<", b"<v>9007199254740993<"
        ),
    )
    table = one(read_book(book))
    assert [int(value) for value in table.column("id")] == [12345678901234567891, 9007199254740993]
    assert "2 numbers of more than 15 digits read exactly as stored" in table.notes


def test_digits_that_the_program_lost_are_said(read_book: Read) -> None:
    table = one(read_book(saved(["card", "n"], [4000123412341230, 1], [4000123412341000, 2])))
    assert "2 end in zeros where the program keeps 15 digits" in table.notes


def test_fractions_are_the_numbers_people_typed(read_book: Read) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["what", "price"])
        sheet.write_row(1, 0, ["a", 1.1])
        sheet.write_row(2, 0, ["b", 1.234])
        sheet.write_row(3, 0, ["c", 2.555])

    table = one(read_book(written(fill)))
    assert table.column("price") == [D("1.1"), D("1.234"), D("2.555")]
    assert "thousands" not in table.notes


def test_points_in_numbers_stay_decimals_beside_texts_with_decimal_commas(read_book: Read) -> None:
    table = one(read_book(saved(["weight", "price"], [1.234, "1,50"], [2.345, "2,75"])))
    assert table.column("weight") == [D("1.234"), D("2.345")]
    assert table.column("price") == [D("1.50"), D("2.75")]
    assert "price: decimal comma; 2 numbers stored as text read as numbers" in table.notes


def test_dates_count_from_1904_where_the_workbook_says_so(read_book: Read) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_row(0, 0, ["who", "since"])
        sheet.write(1, 0, "Ann")
        sheet.write_datetime(1, 1, date(2025, 1, 2), day)
        sheet.write_row(2, 0, ["Bob", 44197])

    table = one(read_book(written(fill, date_1904=True)))
    assert table.column("since") == [date(2025, 1, 2), date(2025, 1, 2)]
    assert "its dates count from 1904" in table.notes


def test_bare_day_numbers_below_the_word_date_are_dates(read_book: Read) -> None:
    table = one(read_book(saved(["invoice date", "net"], [45658, 10], [45672, 20])))
    assert table.column("invoice date") == [date(2025, 1, 1), date(2025, 1, 15)]
    assert "2 bare day numbers (date serials) read as dates, by the column's name" in table.notes


def test_numbers_like_days_stay_numbers_elsewhere(read_book: Read) -> None:
    table = one(read_book(saved(["client", "salary"], ["A", 45658], ["B", 52000])))
    assert table.column("salary") == [45658, 52000]


def test_a_zero_shown_as_a_date_is_missing(read_book: Read) -> None:
    book = saved(["who", "left"], ["Ann", date(2025, 3, 1)], ["Bob", 0], adapt=formatted(["B3"], "yyyy-mm-dd"))
    table = one(read_book(book))
    assert table.column("left") == [date(2025, 3, 1), None]
    assert "left: 1 zero shown as a date read as missing" in table.notes


def test_lengths_of_time_are_hours_and_times_of_day_are_text(read_book: Read) -> None:
    rows = [["who", "from", "worked"], ["Ann", time(8, 30), timedelta(hours=37, minutes=30)]]
    table = one(read_book(saved(*rows, ["Bob", time(9), timedelta(hours=7, minutes=20)])))
    assert table.column("from") == ["08:30:00", "09:00:00"]
    assert table.column("worked") == [37.5, D("7.333333")]
    assert "worked: 2 lengths of time read as hours (7:30 = 7.5)" in table.notes


def test_zeros_that_a_writer_put_behind_its_formulas_are_no_results(read_book: Read) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["item", "net", "gross"])
        for row in (1, 2):
            sheet.write_row(row, 0, ["a", row])
            sheet.write_formula(row, 2, f"=B{row + 1}*1.2")

    table = one(read_book(written(fill)))
    assert table.column("gross") == [None, None]
    assert "gross: 2 formulas have no stored result (never calculated)" in table.notes


def test_stored_results_of_formulas_are_read(read_book: Read) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["item", "net", "gross"])
        for row in (1, 2):
            sheet.write_row(row, 0, ["a", row])
            sheet.write_formula(row, 2, f"=B{row + 1}*1.2", None, row * 1.2)

    assert one(read_book(written(fill))).column("gross") == [D("1.2"), D("2.4")]


def test_a_row_of_sums_without_a_label_is_a_total(read_book: Read) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        for row, cells in enumerate([["item", "net"], ["a", 1], ["b", 2]]):
            sheet.write_row(row, 0, cells)
        sheet.write_formula(3, 1, "=SUM(B2:B3)", None, 3)

    table = one(read_book(written(fill)))
    assert table.rows == [("a", 1), ("b", 2)]
    assert (
        "1 total row kept apart, not counted as rows: row 4 'Total' (equal to the sum of the rows in net)"
        in table.notes
    )


def test_a_total_that_was_never_calculated_is_no_row(read_book: Read) -> None:
    table = one(read_book(saved(["item", "net"], ["a", 1], ["b", 2], ["Total", "=SUM(B2:B3)"])))
    assert table.rows == [("a", 1), ("b", 2)]
    assert "row 4 with sums that were never calculated kept apart" in table.notes


def test_sums_along_a_row_are_a_column_like_others(read_book: Read) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["item", "q1", "q2", "year"])
        for row in (1, 2):
            sheet.write_row(row, 0, [f"i{row}", row, row])
            sheet.write_formula(row, 3, f"=SUM(B{row + 1}:C{row + 1})", None, 2 * row)

    assert one(read_book(written(fill))).rows == [("i1", 1, 1, 2), ("i2", 2, 2, 4)]


def test_hidden_rows_and_columns_are_read_and_said(read_book: Read) -> None:
    def adapt(_: Any, sheet: Any) -> None:
        sheet.row_dimensions[3].hidden = True
        sheet.column_dimensions["B"].hidden = True

    table = one(read_book(saved(["item", "cost", "net"], ["a", 1, 2], ["b", 3, 4], ["c", 5, 6], adapt=adapt)))
    assert table.column("cost") == [1, 3, 5]
    assert "1 hidden row (3) read like the others" in table.notes
    assert "hidden column B read like the others" in table.notes


def test_a_merged_label_stands_for_all_its_rows(read_book: Read) -> None:
    def adapt(_: Any, sheet: Any) -> None:
        sheet.merge_cells("A2:A3")

    rows = [["region", "shop", "net"], ["North", "x", 1], [None, "y", 2], ["South", "z", 3]]
    table = one(read_book(saved(*rows, adapt=adapt)))
    assert table.column("region") == ["North", "North", "South"]
    assert "merged cells: the value stands for each of their rows (A2:A3)" in table.notes


def test_a_merged_number_counts_once(read_book: Read) -> None:
    def adapt(_: Any, sheet: Any) -> None:
        sheet.merge_cells("C2:C3")

    rows = [["region", "shop", "budget"], ["North", "x", 100], ["North", "y", None], ["South", "z", 30]]
    table = one(read_book(saved(*rows, adapt=adapt)))
    assert table.column("budget") == [100, None, 30]
    assert "merged cells with a number: it counts in the first of their rows only (C2:C3)" in table.notes


def test_months_as_dates_name_columns(read_book: Read) -> None:
    table = one(read_book(saved(["item", date(2025, 1, 1), date(2025, 2, 1)], ["a", 1, 2], ["b", 3, 4])))
    assert list(table.types) == ["item", "2025-01-01", "2025-02-01"]
    assert table.rows == [("a", 1, 2), ("b", 3, 4)]


def test_years_and_hours_name_columns(read_book: Read) -> None:
    table = one(read_book(saved(["country", 2023, 2024], ["a", 1.5, 2], ["b", 3, 4])))
    assert list(table.types) == ["country", "2023", "2024"]
    table = one(read_book(saved(["line", 0, 6, 12, 18], ["a", 5, 2, 9, 4], ["b", 3, 4, 1, 2])))
    assert list(table.types) == ["line", "0", "6", "12", "18"]


def test_groups_over_columns_without_merged_cells(read_book: Read) -> None:
    rows = [
        [None, "Plan", None, "Actual", None],
        ["team", "Q1", "Q2", "Q1", "Q2"],
        ["x", 1, 2, 3, 4],
        ["y", 5, 6, 7, 8],
    ]
    table = one(read_book(saved(*rows)))
    assert list(table.types) == ["team", "Plan Q1", "Plan Q2", "Actual Q1", "Actual Q2"]
    assert table.rows == [("x", 1, 2, 3, 4), ("y", 5, 6, 7, 8)]


def test_titles_and_remarks_are_no_rows(read_book: Read) -> None:
    rows = [["Sales by region, 2025"], ["Printed 3 May"], [], ["region", "net", "tax"], ["N", 1, 2], ["S", 3, 4]]
    table = one(read_book(saved(*rows, ["Source: the till system"])))
    assert table.rows == [("N", 1, 2), ("S", 3, 4)]
    assert "2 title rows above the header: 'Sales by region, 2025'; 'Printed 3 May'" in table.notes
    assert "'Source: the till system'" in table.notes


def test_an_empty_row_inside_a_table_ends_nothing(read_book: Read) -> None:
    table = one(read_book(saved(["region", "net"], ["N", 1], ["S", 3], [], ["E", 4], ["W", 5], [], ["Total", 13])))
    assert table.rows == [("N", 1), ("S", 3), ("E", 4), ("W", 5)]
    assert "'Total' (equal to the sum of the rows in net)" in table.notes


def test_tables_side_by_side_are_two(read_book: Read) -> None:
    rows = [["item", "net", None, "team", "heads"], ["a", 1, None, "x", 10], ["b", 2, None, "y", 20], ["c", 3]]
    left, right = read_book(saved(*rows))
    assert left.rows == [("a", 1), ("b", 2), ("c", 3)]
    assert right.rows == [("x", 10), ("y", 20)]
    assert "2 tables on the sheet 'Sheet': A1:B4, D1:E3" in right.notes


def test_an_empty_column_between_labels_and_figures_parts_nothing(read_book: Read) -> None:
    rows = [["item", "size", None, "q1", "q2"], ["a", "L", None, 1, 2], ["b", "M", None, 3, 4]]
    assert one(read_book(saved(*rows))).rows == [("a", "L", 1, 2), ("b", "M", 3, 4)]


def test_text_that_is_all_digits_of_one_length_is_a_code(read_book: Read) -> None:
    table = one(read_book(saved(["zip", "n"], ["10115", 1], ["80331", 2])))
    assert table.column("zip") == ["10115", "80331"]
    assert "zip: digits stored as text, all of one length: kept as text, like codes" in table.notes


def test_numbers_stored_as_text_among_numbers_are_numbers(read_book: Read) -> None:
    table = one(read_book(saved(["item", "net"], ["a", 1.5], ["b", "2.25"], ["c", "3"])))
    assert table.column("net") == [D("1.5"), D("2.25"), D("3")]
    assert "net: 2 numbers stored as text read as numbers" in table.notes


def test_truth_values_are_boolean_only_by_themselves(read_book: Read) -> None:
    table = one(read_book(saved(["who", "paid", "mixed"], ["a", True, True], ["b", False, 1])))
    assert table.types == {"who": "VARCHAR", "paid": "BOOLEAN", "mixed": "VARCHAR"}
    assert "mixed: true and false stand among other values; column kept as text" in table.notes


def test_truth_values_of_which_some_are_text_are_boolean_without_a_word(read_book: Read) -> None:
    table = one(read_book(saved(["who", "paid"], ["a", True], ["b", "TRUE"], ["c", None], ["d", False])))
    assert (table.types["paid"], table.column("paid")) == ("BOOLEAN", [True, True, None, False])
    assert "paid" not in table.notes


def test_columns_of_one_name_are_told_apart(read_book: Read) -> None:
    table = one(read_book(saved(["net", "Net", None], [1, 2, 3], [4, 5, 6])))
    assert list(table.types) == ["net", "Net_2", "column_3"]
    assert "duplicate column name 'Net'" in table.notes


def test_every_sheet_with_a_table_is_one(read_book: Read) -> None:
    def adapt(book: Any, _: Any) -> None:
        for name, value in (("May", 5), ("Empty", None), ("June", 6)):
            sheet = book.create_sheet(name)
            if value:
                sheet.append(["item", "net"])
                sheet.append(["a", value])

    tables = read_book(saved(["item", "net"], ["a", 4], adapt=adapt))
    assert [(table.reading.label, table.rows) for table in tables] == [
        ("Sheet", [("a", 4)]),
        ("May", [("a", 5)]),
        ("June", [("a", 6)]),
    ]
    assert "no table on sheet 'Empty'" in tables[0].notes


def test_a_header_alone_is_a_table_without_rows(read_book: Read) -> None:
    table = one(read_book(saved(["item", "net", "tax"])))
    assert table.rows == []
    assert "no rows" in table.notes


def test_a_workbook_without_any_table_is_refused(read_book: Read) -> None:
    with pytest.raises(IngestRefused, match="empty: no sheet holds a table"):
        read_book(saved([]))


def test_the_table_may_stand_anywhere_on_the_sheet(read_book: Read) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("Far away")
        sheet.write_row(40, 7, ["item", "net"])
        sheet.write_row(41, 7, ["a", 1])
        sheet.write_row(42, 7, ["b", 2])

    table = one(read_book(written(fill)))
    assert table.rows == [("a", 1), ("b", 2)]
    assert table.reading.part == "sheet Far away, H41:I43"


def test_tables_without_an_empty_row_between_them(read_book: Read) -> None:
    first = [["Jobs"], ["job", "hours"], ["a", 1.5], ["b", 2]]
    jobs, parts = read_book(saved(*first, ["Parts"], ["part", "stock", "unit"], ["belt", 3, "m"], ["nut", 9, "pcs"]))
    assert jobs.rows == [("a", D("1.5")), ("b", 2)]
    assert parts.rows == [("belt", 3, "m"), ("nut", 9, "pcs")]
    assert (jobs.reading.label, parts.reading.label) == ("Jobs", "Parts")


def test_a_row_with_its_label_only_splits_no_table(read_book: Read) -> None:
    rows = [["who", "day", "net"], [], ["Ann", date(2025, 1, 2), 1], [], ["Bob"], [], ["Cem", date(2025, 1, 3), 3]]
    table = one(read_book(saved(*rows)))
    assert table.rows == [("Ann", date(2025, 1, 2), 1), ("Bob", None, None), ("Cem", date(2025, 1, 3), 3)]
    assert "1 row holds a single text, e.g. 'Bob'" in table.notes


def test_subtotals_of_groups_and_the_grand_total(read_book: Read) -> None:
    rows = [["region", "shop", "net"], ["N", "x", 1], ["N", "y", 2], ["N Total", None, 3], ["S", "z", 5]]
    table = one(read_book(saved(*rows, ["S Total", None, 5], ["Grand Total", None, 8])))
    assert table.rows == [("N", "x", 1), ("N", "y", 2), ("S", "z", 5)]
    assert "3 total and subtotal rows kept apart" in table.notes


def test_a_title_merged_over_a_part_of_the_columns_is_a_title(read_book: Read) -> None:
    def adapt(_: Any, sheet: Any) -> None:
        sheet.merge_cells("A1:B1")

    table = one(read_book(saved(["Stock of May"], ["item", "shop", "net"], ["a", "x", 1], ["b", "y", 2], adapt=adapt)))
    assert table.rows == [("a", "x", 1), ("b", "y", 2)]
    assert "title row above the header: 'Stock of May'" in table.notes


def test_a_long_list_in_one_column_is_a_table(read_book: Read) -> None:
    rows = [["guest"], *([f"Guest {chr(65 + place)}"] for place in range(20))]
    guests, items = read_book(saved(*rows, [], ["item", "net"], ["a", 1], ["b", 2]))
    assert len(guests.rows) == 20
    assert items.rows == [("a", 1), ("b", 2)]


def test_amounts_written_as_text_with_their_currency(read_book: Read) -> None:
    table = one(read_book(saved(["item", "net"], ["a", "€ 1,200.50"], ["b", "€ 300.00"], ["c", "(€ 20.25)"])))
    assert table.column("net") == [D("1200.50"), D("300.00"), D("-20.25")]
    assert "currency EUR (€) taken off 3 values" in table.notes


def test_a_header_of_three_rows(read_book: Read) -> None:
    def adapt(_: Any, sheet: Any) -> None:
        for place in ("B1:E1", "B2:C2", "D2:E2", "A1:A3"):
            sheet.merge_cells(place)

    head = [["team", "2025"], [None, "H1", None, "H2"], [None, "plan", "real", "plan", "real"]]
    table = one(read_book(saved(*head, ["x", 1, 2, 3, 4], ["y", 5, 6, 7, 8], adapt=adapt)))
    assert list(table.types) == ["team", "2025 H1 plan", "2025 H1 real", "2025 H2 plan", "2025 H2 real"]
    assert table.rows == [("x", 1, 2, 3, 4), ("y", 5, 6, 7, 8)]


def test_percentages_as_text_among_percent_formats(read_book: Read) -> None:
    table = one(read_book(saved(["who", "rate"], ["a", 0.12], ["b", "15 %"], adapt=formatted(["B2"], "0%"))))
    assert table.column("rate") == [D("0.12"), D("0.15")]
    assert "rate: 1 percentage stored as text read like the others" in table.notes


def test_who_printed_a_table_and_when_is_no_table(read_book: Read) -> None:
    head = [["Report", "Sales"], ["Printed", date(2025, 5, 3)], []]
    table = one(read_book(saved(*head, ["region", "net", "tax"], ["N", 1, 2], ["S", 3, 4])))
    assert table.rows == [("N", 1, 2), ("S", 3, 4)]
    assert "beside its tables the sheet says: 'Report Sales'; 'Printed 2025-05-03'" in table.notes


def test_a_total_above_its_rows(read_book: Read) -> None:
    table = one(read_book(saved(["who", "net"], ["Total", 30], ["a", 10], ["b", 20])))
    assert table.rows == [("a", 10), ("b", 20)]
    assert "row 2 'Total' (equal to the sum of the rows in net)" in table.notes


def test_sums_without_a_label_below_a_table(read_book: Read) -> None:
    table = one(read_book(saved(["who", "net", "n"], ["a", 1, 4], ["b", 2, 5], [], [None, 3, 9])))
    assert table.rows == [("a", 1, 4), ("b", 2, 5)]
    assert "row 5 'without a label' (equal to the sum of the rows in net, n)" in table.notes


def test_a_last_row_without_a_label_that_adds_up_nothing_is_a_row(read_book: Read) -> None:
    table = one(read_book(saved(["who", "net", "n"], ["a", 1, 4], ["b", 2, 5], [None, 3, 8])))
    assert table.rows == [("a", 1, 4), ("b", 2, 5), (None, 3, 8)]


def test_words_for_missing_values_are_no_dates(read_book: Read) -> None:
    table = one(read_book(saved(["who", "day"], ["a", date(2025, 1, 2)], ["b", "2025-01-03"], ["c", "n/a"])))
    assert table.column("day") == [date(2025, 1, 2), date(2025, 1, 3), None]
    assert "1 value 'n/a' is read as missing; 1 date stored as text read as a date" in table.notes


def test_numbers_beside_words_stay_as_they_are_shown(read_book: Read) -> None:
    table = one(read_book(saved(["part", "n"], [1.234, 1], ["A-7", 2], [12, 3])))
    assert table.column("part") == ["1.234", "A-7", "12"]


def test_units_that_only_the_format_shows_are_not_added_up(read_book: Read) -> None:
    def adapt(_: Any, sheet: Any) -> None:
        sheet["B2"].number_format = '0 "kg"'
        sheet["B3"].number_format = '0 "g"'

    (table,) = read_book(saved(["item", "weight"], ["a", 5], ["b", 800], adapt=adapt))
    assert table.column("weight") == ["5 kg", "800 g"]
    assert (
        "weight: amounts in several units by the number format ('g' 1, 'kg' 1), which cannot be added up" in table.notes
    )


def test_one_unit_and_thousands_left_out_are_said_and_stay_numbers(read_book: Read) -> None:
    def adapt(_: Any, sheet: Any) -> None:
        for row in (2, 3):
            sheet[f"B{row}"].number_format = '0.0 "h"'
            sheet[f"C{row}"].number_format = "#,##0,"

    (table,) = read_book(saved(["item", "took", "sold"], ["a", 5, 5_000], ["b", 8, 12_000], adapt=adapt))
    assert (table.column("took"), table.column("sold")) == ([5, 8], [5_000, 12_000])
    assert "took: shown with 'h' 2 by the number format" in table.notes
    assert "sold: 2 values shown in thousands by the number format, but read in full as stored" in table.notes


def test_rows_that_somebody_struck_out_are_said(read_book: Read) -> None:
    def adapt(_: Any, sheet: Any) -> None:
        sheet["A3"].font = Font(strike=True)
        sheet["B3"].font = Font(strike=True)
        sheet["A4"].font = Font(bold=True)

    (table,) = read_book(saved(["item", "n"], ["a", 5], ["b", 8], ["c", 9], adapt=adapt))
    assert table.rows == [("a", 5), ("b", 8), ("c", 9)]
    assert "1 row with struck-out text (3) read like the others" in table.notes
