"""What a program may say to the host: sql, table, and its output."""

import datetime
import decimal
import io
import json

import wit_world
from componentize_py_types import Err


class SqlError(Exception):
    """A query was refused or failed; the text says why and what to do."""

    __module__ = "builtins"  # its traceback line reads "SqlError: ..."


def _text(value, what):
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a string, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} holds a lone surrogate, which is no text") from None
    return value


def _unique(columns):
    """Names as dict keys: the second `id` becomes `id_2`."""
    names = []
    for column in columns:
        name, number = column, 2
        while name in names:
            name, number = f"{column}_{number}", number + 1
        names.append(name)
    return names


def sql(query, source=None):
    """Run a query of the admitted data; a list of dicts by column name. Dates come as ISO text. Raises SqlError."""
    query, source = _text(query, "query"), None if source is None else _text(source, "source")
    try:
        answer = wit_world.sql(query, source)
    except Err as refused:
        raise SqlError(refused.value) from None
    answer = json.loads(answer)
    names = _unique(answer["columns"])
    return [dict(zip(names, row)) for row in answer["rows"]]


def _cell(value):
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (float, decimal.Decimal)):
        value = float(value)
        return value if value - value == 0 else None
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    raise TypeError(f"a cell of table() may be a number, text, date or None, not {type(value).__name__}")


def table(columns, rows):
    """Publish the result table: up to 1,000 rows (lists, or dicts by column name); once per program."""
    columns = [_text(column, "a column name") for column in columns]
    lines = []
    for row in rows:
        cells = [row.get(column) for column in columns] if isinstance(row, dict) else list(row)
        if len(cells) != len(columns):
            raise ValueError(f"row {len(lines) + 1} has {len(cells)} cells for {len(columns)} columns")
        lines.append([_cell(cell) for cell in cells])
    if len(lines) > 1000:
        raise ValueError(f"table() takes at most 1,000 rows, not {len(lines):,}: keep the top rows or aggregate")
    if not wit_world.emit("t" + json.dumps({"columns": columns, "rows": lines})):
        raise ValueError("table() was refused: only one table per program, 1 to 100 columns, at most 256 KiB")


class Output(io.TextIOBase):
    """Standard output: whole lines go to the host at once, so that they are kept when the program is ended."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self):
        self.waiting = []
        self.cut = False

    def writable(self):
        """As a stream answers."""
        return True

    def isatty(self):
        """As a stream answers."""
        return False

    def write(self, text):
        """Keep `text` until its line is whole."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self.cut:
            return len(text)
        self.waiting.append(text)
        if "\n" in text or len(text) > 2000 or len(self.waiting) > 200:
            self.flush()
        return len(text)

    def flush(self):
        """Hand over what waits."""
        text = "".join(self.waiting)
        self.waiting.clear()
        # One piece tells the host that there was more than it keeps; the rest needn't cross.
        if text and not self.cut:
            self.cut = not wit_world.emit("o" + text[:20_000].encode("utf-8", "replace").decode())
