"""Which modules a program can import: all are loaded before the snapshot, nothing can be loaded after it."""

import importlib

OFFERED = """
abc array ast base64 binascii bisect calendar cmath codecs collections collections.abc colorsys configparser
contextlib contextvars copy copyreg csv dataclasses datetime decimal difflib dis encodings.ascii encodings.idna
encodings.latin_1 encodings.utf_8 encodings.utf_16 encodings.cp1252 encodings.utf_8_sig enum errno fnmatch fractions
functools gc genericpath getopt graphlib hashlib heapq hmac html html.entities html.parser importlib
importlib.resources inspect io ipaddress itertools json json.decoder json.encoder keyword linecache locale math
numbers operator os os.path pathlib pickle posixpath pprint queue quopri random re reprlib secrets shlex sched
statistics stat string string.templatelib stringprep struct sys textwrap threading time timeit token tokenize tomllib
traceback types typing unicodedata urllib urllib.parse uuid warnings weakref xml.etree.ElementTree zlib zoneinfo
_strptime _pydecimal
""".split()

NO_FRAMES = (
    "Do the heavy part in SQL: sql(query) returns a list of dicts (GROUP BY, JOIN, window functions, quantile_cont, "
    "corr, regr_slope); then use statistics, collections and the built-in median, stdev, pearsonr, linregress."
)
NO_CHARTS = "Nothing is drawn here: publish the figures with table(columns, rows); make_chart draws them."
NO_NETWORK = "There is no network here. sql(query) is the only way to data."
NO_DATABASE = "Use the built-in sql(query), or sql(query, source=...); it returns a list of dicts."
NO_FILES = "There are no files here. sql(query) reads the admitted data; csv and json work on strings."
NO_PROCESSES = "A program is one thread without processes; write it as a plain loop."
INSTEAD = {
    NO_FRAMES: "pandas numpy polars scipy sklearn statsmodels pyarrow dask xarray modin numba sympy tabulate",
    NO_CHARTS: "matplotlib seaborn plotly altair bokeh PIL",
    NO_NETWORK: "requests urllib3 httpx aiohttp socket ssl http ftplib smtplib urllib.request urllib.error boto3 email",
    NO_DATABASE: "sqlite3 duckdb psycopg psycopg2 sqlalchemy pymysql dbm",
    NO_FILES: "glob shutil tempfile zipfile tarfile gzip bz2 lzma openpyxl xlrd fileinput mmap fcntl",
    NO_PROCESSES: "subprocess multiprocessing asyncio concurrent signal ctypes _ctypes pty select selectors",
    "Use datetime and zoneinfo (time zones are included).": "pytz dateutil tzlocal arrow pendulum babel",
    "Use print().": "logging rich tqdm",
}
MOSTLY = (
    "statistics, math, datetime, zoneinfo, decimal, fractions, random, re, json, csv, io, collections, itertools, "
    "functools, operator, heapq, bisect, string, textwrap, difflib, dataclasses, enum, typing, calendar, hashlib, "
    "base64, html, urllib.parse, xml.etree.ElementTree, uuid and what these need"
)
HINTS = {name: hint for hint, names in INSTEAD.items() for name in names.split()}


def load() -> None:
    """Import every offered module that this build of CPython has; a missing important one fails the build."""
    for name in OFFERED:
        importlib.import_module(name)


def refusal(name: str) -> str:
    """What a program reads when it imports `name`."""
    parts = name.split(".")
    hint = next((HINTS[p] for n in range(len(parts), 0, -1) if (p := ".".join(parts[:n])) in HINTS), None)
    if hint is None:
        hint = f"Only parts of the standard library exist here: {MOSTLY}."
    return f"No module named {name!r}. {hint}"


class Missing:
    """The only finder on sys.meta_path: says what exists instead."""

    @staticmethod
    def find_spec(fullname: str, path: object = None, target: object = None) -> None:
        """Always raises ModuleNotFoundError."""
        raise ModuleNotFoundError(refusal(fullname), name=fullname)
