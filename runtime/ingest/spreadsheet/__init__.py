"""Spreadsheets: each table found on a sheet becomes one typed table, with a note for everything that was decided."""

from runtime.ingest.spreadsheet.workbook import read_workbook

__all__ = ["read_workbook"]
