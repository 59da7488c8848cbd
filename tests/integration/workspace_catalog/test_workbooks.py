"""Workbooks in a workspace: their tables' names, what a restart finds, and what a hostile one does to the others."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import duckdb
import openpyxl

_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "table", "text", "manifest")
)
_TYPE = "application/vnd.oasis.opendocument.spreadsheet"


def workbook(**sheets: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name.replace("_", " "))
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def open_document(rows: str) -> bytes:
    """A sheet as LibreOffice keeps it."""
    out = io.BytesIO()
    body = f'<office:spreadsheet><table:table table:name="May">{rows}</table:table></office:spreadsheet>'
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("mimetype", _TYPE)
        package.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest {_SPACES}><manifest:file-entry manifest:full-path="/" manifest:media-type="{_TYPE}"/>'
            "</manifest:manifest>",
        )
        package.writestr(
            "content.xml",
            f"<office:document-content {_SPACES}><office:body>{body}</office:body></office:document-content>",
        )
    return out.getvalue()


def cell(value: Any, more: str = "") -> str:
    if isinstance(value, str):
        return f'<table:table-cell office:value-type="string" {more}><text:p>{value}</text:p></table:table-cell>'
    return f'<table:table-cell office:value-type="float" office:value="{value}" {more}/>'


def row(*values: Any) -> str:
    return f"<table:table-row>{''.join(map(cell, values))}</table:table-row>"


SALES = [["item", "net"], ["a", 1], ["b", 2]]


async def test_tables_are_named_after_file_sheet_and_title(desk: Any) -> None:
    desk.write("Sales.xlsx", workbook(Sales_May=SALES, Costs=SALES))
    desk.write("sales_costs.csv", "item,net\na,5\n")
    desk.write("one.xlsx", workbook(Whatever=SALES))
    desk.write("deep/Two.xlsm", workbook(Stock=[["Shop A"], *SALES, [], ["Shop B"], *SALES]))
    catalog = await desk.files().refresh()
    named = {(table.name, table.origin) for table in catalog.tables}
    assert named == {
        ("sales_may", "Sales.xlsx, sheet Sales May, A1:B3"),
        ("sales_costs", "Sales.xlsx, sheet Costs, A1:B3"),
        ("sales_costs_2", "sales_costs.csv"),
        ("one", "one.xlsx, sheet Whatever, A1:B3"),
        ("two_shop_a", "deep/Two.xlsm, sheet Stock, A1:B4"),
        ("two_shop_b", "deep/Two.xlsm, sheet Stock, A6:B9"),
    }


async def test_a_restart_reads_no_workbook_again(desk: Any) -> None:
    desk.write("sales.xlsx", workbook(May=SALES, June=SALES))
    first = await desk.files().refresh()
    again = desk.files()
    assert await again.refresh() == first
    assert again.reader.peak_bytes() == 0  # no reader process was started


async def test_a_damaged_copy_of_one_table_is_read_anew(desk: Any) -> None:
    desk.write("sales.xlsx", workbook(May=SALES, June=SALES))
    cache = desk.cache()
    catalog = await desk.opened[-1].refresh()
    june = next(table for table in catalog.tables if table.name == "sales_june")
    june.parquet.chmod(0o644)
    june.parquet.write_bytes(b"no Parquet")
    made = await cache.database(await desk.opened[-1].current())
    with duckdb.connect(str(made.path), read_only=True) as connection:
        assert connection.execute("SELECT sum(net) FROM sales_june").fetchone() == (3,)


async def test_a_changed_workbook_is_read_again(desk: Any) -> None:
    desk.write("sales.xlsx", workbook(May=SALES))
    files = desk.files()
    assert [table.rows for table in (await files.refresh()).tables] == [2]
    desk.write("sales.xlsx", workbook(May=[*SALES, ["c", 3]], June=SALES), at=1_700_000_100_000_000_000)
    assert [(table.name, table.rows) for table in (await files.current()).tables] == [
        ("sales_june", 2),
        ("sales_may", 3),
    ]


async def test_an_open_document_is_read_and_says_what_it_hides(desk: Any) -> None:
    desk.write("may.ods", open_document(row("item", "net") + row("a", 1.5) + row("b", 2)))
    (table,) = (await desk.files().refresh()).tables
    assert (table.name, table.rows) == ("may", 2)
    assert [column.type for column in table.columns] == ["VARCHAR", "DECIMAL(18,1)"]
    assert any("can't be seen" in note for note in table.notes)


async def test_a_hostile_workbook_ends_in_a_reason_and_the_others_are_read(desk: Any) -> None:
    many = cell(1, 'table:number-columns-repeated="16000"')
    bomb = f'{row("item", "net")}<table:table-row table:number-rows-repeated="1000000">{many}</table:table-row>'
    desk.write("bomb.ods", open_document(bomb))
    desk.write("sales.xlsx", workbook(May=SALES))
    catalog = await desk.files().refresh()
    (skipped,) = (file for file in catalog.files if file.kind == "skipped")
    assert skipped.path == "bomb.ods"
    assert skipped.reason
    assert [table.name for table in catalog.tables] == ["sales"]
