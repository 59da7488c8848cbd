"""Every limit of Slack's that we can meet, and our own budgets under them; no other module holds such a number.

Slack's limits are published ones unless a comment says otherwise. Lengths are counted by `bot.render.measure`:
characters as UTF-16 units and bytes as ASCII-escaped JSON, the dearest way Slack could count either.
"""

from __future__ import annotations

# One message
MESSAGE_BLOCKS = 50
MESSAGE_TEXT_CHARS = 9_000  # undocumented `msg_blocks_too_long`: 9,597 was accepted, 11,341 refused
MESSAGE_BLOCKS_BYTES = 14_000  # the same refusal: 15,561 bytes of JSON were accepted, 17,694 refused
TEXT_CHARS = 4_000  # longer `text` is split by Slack, which breaks fences; also the bound of chat.update
SUMMARY_CHARS = 300  # ours: what a notification shows

# Blocks
SECTION_CHARS = 3_000
HEADER_CHARS = 150
CONTEXT_ELEMENTS = 10
CONTEXT_CHARS = 2_000  # not published; the field bound, which every text object is known to take
ACTIONS_ELEMENTS = 25
BLOCK_ID_CHARS = 255
ACTION_ID_CHARS = 255
BUTTON_TEXT_CHARS = 75
BUTTON_VALUE_CHARS = 2_000
CONTAINER_CHILDREN = 10
CONTAINER_TITLE_CHARS = 150
CONTAINER_SUBTITLE_CHARS = 150
CONTAINER_CHILD_TYPES = frozenset({"section", "context", "divider", "image", "actions", "header", "table"})

# Native tables
TABLES_PER_MESSAGE = 1  # two were refused by an older API
TABLE_ROWS = 100  # the header row counts
TABLE_COLUMNS = 20
TABLE_CHARS = 10_000  # over all cells of a message

# Native charts
CHARTS_PER_MESSAGE = 2  # not published; a third was refused
CHART_TITLE_CHARS = 50
CHART_SERIES = 6
CHART_CATEGORIES = 20
CHART_LABEL_CHARS = 20
CHART_AXIS_CHARS = 50
CHART_BYTES = 5_500  # ours: two of them beside an answer

# Files
FILE_ALT_CHARS = 1_000
FILE_TITLE_CHARS = 200  # ours

# Other calls
STATUS_CHARS = 100  # ours: a status line is one short line

# Our budgets for text (below SECTION_CHARS, so that a mark of cutting always fits)
PIECE_CHARS = 2_900
PIECE_BYTES = 2 * PIECE_CHARS  # two such pieces fill a message; scripts beyond Latin need six bytes a letter
TAIL_BYTES = 2_600  # of what ends an answer, so that it fits beside a piece
CELL_CHARS = 200
CELL_CHARS_NARROW = 40
HEADER_CELL_CHARS = 60
TEXT_TABLE_WIDTH = 96  # columns of a monospace table before it is set as records

# Our budgets for one fold of evidence; together they stay below one message
FOLD_BYTES = 12_500
FOLD_CHARS = 7_500
FOLD_SQL_CHARS = 900
FOLD_SQL_BYTES = 2_600
FOLD_OUTPUT_CHARS = 900
FOLD_OUTPUT_BYTES = 1_800
FOLD_NOTES_CHARS = 900
FOLD_NOTES_BYTES = 1_500
FOLD_TABLE_CHARS = 4_000
FOLD_TABLE_BYTES = 7_000
FOLD_TITLE_BYTES = 600
FOLD_ROWS = 20
LINE_CHARS = 240
FOLDS_PER_MESSAGE = 8

# Our budgets for files
CSV_ROWS = 1_000
CSV_BYTES = 8 * 1024 * 1024
RESULT_FILES = 5
CHART_FILES = 4
