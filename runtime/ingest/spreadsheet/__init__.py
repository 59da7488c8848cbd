"""Spreadsheets: each table found on a sheet becomes one typed table, with a note for everything that was decided."""

from runtime.ingest.spreadsheet.workbook import MadeTable, read_workbook

__all__ = ["MadeTable", "read_workbook"]
