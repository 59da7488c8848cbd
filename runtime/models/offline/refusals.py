"""What the analyst says when it gives no figure: plainly, with what is there instead."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runtime.models.offline.answer import understood
from runtime.models.offline.catalog import Table
from runtime.models.offline.examples import FEW, examples
from runtime.models.offline.gathering import Sight
from runtime.models.offline.lexicon import BUCKETS, ENGLISH, WRITE_VERBS
from runtime.models.offline.plan import Ask, Cannot, Plan, Reading
from runtime.models.offline.tokens import Token, stem, stems
from runtime.models.offline.transcript import CHOICES_LEAD

ABOUT = "I'm a rule-based reader that works without a language model"
_POLITE = frozenset(["please", "can", "could", "you", "and", "then", "now", "kindly", "just", "also", "to"])
_ASKED = r"(?i)^\s*(?:please\s+|can you\s+|could you\s+)*"
_ROUTINE = re.compile(
    rf"{_ASKED}(?:(?:post|send|tell|show|report|remind|give|notify|alert)\b.*\b(?:every|each|whenever|as soon as)\s+"
    r"(?:week)?(?:day|morning|evening|week|month|quarter|hour|time|mon|tues|wednes|thurs|fri|satur|sun)|"
    r"(?:alert|notify|remind)\s+(?:me|us)\b|(?:schedule|subscribe)\b|"
    r"(?:create|set up|make|start|add)\s+(?:a|an|the)?\s*(?:\w+\s+)?(?:routine|alert|schedule|reminder)\b|"
    r"every\s+(?:\w+day|morning|evening)\b)"
)
_PROFILE = re.compile(
    rf"{_ASKED}(?:profile\b|(?:start|run|create|make|do)\s+(?:a|the)?\s*(?:full|quick|data)?\s*(?:data\s+)?profil)"
)
# Verbs that are as often names of things; an order says what it is about: "store this", "email Ann".
_NAMES_TOO = frozenset("store export copy email mail schedule pause".split())
_OBJECTS = frozenset("the this that these those it them all every each a an my our your me us him her for to".split())
_READS = "I only read the data here"
_UPDATES = "the only change I can prepare sets a column in rows that you name, worded `set COLUMN of ROW to VALUE`"
_SHOWN_COLUMNS = 5
_MOST_WORDS, _APART = 5, 3
_WHAT_FOR = re.compile(
    r"(?i)^\s*(?:(?:hi|hello|hey)\b(?:\s+there)?[\s,!]*)?(?:"
    r"what\s+(?:can|do|could)\s+(?:you|i)\s+(?:do|ask|answer|know)(?:\s+(?:you|here|for\s+(?:me|us)))*|"
    r"wh(?:o|at)\s+are\s+you|how\s+(?:do|does|can)\s+(?:this|you|it|i)\s+(?:work|use\s+(?:this|you|it))|"
    r"(?:please\s+)?help\s+me)\s*[?.!]*\s*$"
)
_THANKS = frozenset("thanks thank thx cheers".split())
_GREETINGS = _THANKS | frozenset(
    "hi hello hey hiya howdy greetings good morning afternoon evening day there you very much a lot footnote "
    "how are we doing is it going things help".split()
)


_CHAT: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?i)^\s*(?:{words})[\s.!?,:;)(-]*$"), said)
    for words, said in (
        (r"(?:(?:many\s+)?thanks|thank\s+you|thx|cheers)(?:\s+(?:a\s+lot|so\s+much|very\s+much|footnote|again))?",
         "You're welcome."),
        (r"(?:ok(?:ay)?|k|cool|great|nice|perfect|good|fine|awesome|got\s+it|understood|i\s+see|(?:nice|good|great)\s+"
         r"(?:work|job)|well\s+done|never\s*mind|that'?s\s+all)(?:\s+(?:thanks|thank\s+you))?",
         "Good. Ask me when you want a figure."),
        (r"(?:good\s*)?bye(?:\s*bye)?|see\s+you(?:\s+(?:later|tomorrow))?|good\s+night",
         "Bye. Ask me when you want a figure."),
        (r"(?:are|r)\s+you\s+(?:a\s+|an\s+)?(?:bot|robot|human|person|real|ai|machine|alive)|wh(?:o|at)\s+(?:made|built|"
         r"created)\s+you|what(?:'s|\s+is)\s+your\s+name", f"I'm Footnote, a bot. {ABOUT}."),
        (r"(?:please\s+)?(?:tell|sing|write)\s+(?:me|us)?\s*(?:a|an|another)\s+(?:\w+\s+)?(?:joke|song|story|poem)",
         "I only answer questions about the data here."),
    )
)  # fmt: skip


def chatted(question: str) -> str | None:
    """The one line that is said to thanks, a nod, a farewell, or a question about the bot itself; None for others."""
    return next((said for words, said in _CHAT if words.match(question)), None)


def refused_at_once(question: str, tokens: Sequence[Token], *, updates: bool = False) -> str | None:
    """The refusal of what needs no look at the data: no question, a wish to change something, another language.
    `updates`: rows may be updated here."""
    words = [token for token in tokens if token.kind == "word"]
    if not words:
        return "I can't find a question in that. Ask me for a count, a total or an average over the tables here."
    if _ROUTINE.match(question):
        return (
            "I can't do that: routines, which post by themselves at set times or when something changes, aren't built "
            "yet. Ask me when you want the figure; nothing was scheduled."
        )
    if _PROFILE.match(question):
        return (
            "I can't do that: profiles of whole tables, worked out in the background, aren't built yet. “Describe” and "
            "a table's name shows its columns with their ranges and values now."
        )
    if _wants_change(tokens):
        return f"I can't do that: {_UPDATES if updates else _READS}, so nothing was changed, created or sent."
    if len(words) >= 4 and not any(token.low in ENGLISH for token in words):
        return f"I can't read this question: {ABOUT}, and it knows English only."
    return None


def _wants_change(tokens: Sequence[Token]) -> bool:
    """A verb of changing that opens a clause as an order: "delete those rows", "please update …"."""
    opening = True
    for at, token in enumerate(tokens):
        if token.kind == "punct":
            opening = token.low in ".;:!?,—–"
        elif opening and token.low in WRITE_VERBS and not _is_noun(tokens, at):
            return True
        elif token.low not in _POLITE:
            opening = False
        elif token.low == "and":
            opening = True
    return False


def _is_noun(tokens: Sequence[Token], at: int) -> bool:
    """ "change in orders", "compare web and store orders": a word that could be an order, used as a name."""
    following = tokens[at + 1].low if at + 1 < len(tokens) else ""
    if tokens[at].low in ("change", "drop"):
        return following in ("in", "of")
    begins = all(token.low in _POLITE or not token.wordlike for token in tokens[:at])
    return tokens[at].low in (_NAMES_TOO if not begins else ("store",)) and following not in _OBJECTS


def cannot(reading: Cannot, tables: Sequence[Table] = (), said: str = "", lines: str = "") -> str:
    """The refusal with its reason, the nearest table where a word of the question is about it, what documents say
    (`said`), and questions that are answered from `tables`. `lines` of documents that come near stand first."""
    near = reading.table if reading.score > 0 else None
    reason = _unread(reading.unknown, near, tables) if reading.unknown else reading.reason
    about = f" {_holds(near)}" if near is not None and near.called not in reason else ""
    refusal = f"I can't answer that: {reason}{about}"
    first = (lines, f"I can't tell whether they answer it. {refusal}") if lines else (refusal, said)
    parts = [*first, _could_ask(examples(tables, near)), f"_{ABOUT}._"]
    return "\n\n".join(part for part in parts if part)


def _unread(words: Sequence[str], near: Table | None, tables: Sequence[Table]) -> str:
    """Which words nothing explains, and which only a table explains that the nearest one isn't put together with."""
    words = [word for word in words if stem(word) not in BUCKETS] or words  # what a month is needs no table
    apart = {word: other for word in words if near is not None and (other := _elsewhere(word, near, tables))}
    nowhere = [word for word in words if word not in apart]
    parts = [f"{no_meaning(nowhere)}."] if nowhere else []
    parts += [
        f"I can't bring “{word}” of `{other.called}` together with the rest."
        for word, other in [*apart.items()][:_APART]
    ]
    return " ".join(parts)


def _elsewhere(word: str, near: Table, tables: Sequence[Table]) -> Table | None:
    """Another table that is called so, or has a column that is."""
    named = stems(word)
    others = [table for table in tables if table.id != near.id]
    return next((t for t in others if t.words == named or any(column.words == named for column in t.columns)), None)


def no_meaning(words: Sequence[str]) -> str:
    """What is said of words that nothing explains; of many the first ones stand for all."""
    told = [*dict.fromkeys(words)]
    more = " and others" if len(told) > _MOST_WORDS else ""
    return f"I found no meaning for {', '.join(f'“{word}”' for word in told[:_MOST_WORDS])}{more} in the data here"


def greets(question: str, tokens: Sequence[Token]) -> bool:
    """True for a greeting, thanks, or a question for what can be asked, and nothing else."""
    words = {token.low for token in tokens if token.wordlike}
    return bool(words) and (words <= _GREETINGS or bool(_WHAT_FOR.match(question)))


def greeted(tokens: Sequence[Token], tables: Sequence[Table]) -> str:
    """What is said to a greeting or thanks: three questions to begin with."""
    hello = "You're welcome." if _THANKS & {token.low for token in tokens} else "Hello!"
    asked = _could_ask(examples(tables))
    about = (
        f"{hello} Ask me for counts, totals, averages, extremes, shares, changes, charts or lines of documents here."
    )
    return "\n\n".join(part for part in (about, asked, f"_{ABOUT}._") if part)


def _could_ask(questions: Sequence[str]) -> str:
    return f"You could ask: {' · '.join(f'“{one}”' for one in questions)}" if questions else ""


def _holds(table: Table) -> str:
    names = [f"`{column.name}`" for column in table.columns if column.formula is None]
    columns = ", ".join(names[:_SHOWN_COLUMNS]) + (" and more" if len(names) > _SHOWN_COLUMNS else "")
    return f"The nearest table is `{table.called}` with {columns}."


def ask(reading: Ask) -> str:
    """The question back, with its choices on the last line."""
    return f"I'm not sure how to read that. {reading.question}\n{CHOICES_LEAD} {' · '.join(reading.choices)}"


def no_reasons(reading: Reading) -> str:
    """What is said to "why?": how the last answer was worked out, and what could be asked to look into it."""
    head = f"I can't say why a figure is as it is: {ABOUT}."
    if not isinstance(reading, Plan):
        return head
    said = {dimension.column.name for dimension in reading.dimensions} | {value.column.name for value in reading.values}
    in_time = any(dimension.bucket for dimension in reading.dimensions)
    names = [c.name for c in reading.table.of_kind("label") if c.name not in said and c.distinct <= FEW][:2]
    names += ["month"] if _has_dates(reading.table) and not in_time else []
    further = [f"“and by {name}?”" for name in names]
    ways = f" Ask {' or '.join(further)} to see where it comes from." if further else ""
    return f"{head}{ways}\n\n{understood(reading)}"


def _has_dates(table: Table) -> bool:
    return any(column.dated for column in table.columns)


def no_tables(sight: Sight) -> str:
    """What is said when there is no table at all."""
    listing = sight.listing
    documents = [entry.name for entry in listing.entries if entry.kind == "document"]
    skipped = [f"{entry.name} ({entry.reason})" for entry in listing.entries if entry.kind == "skipped"]
    text = "I can't answer that: there is no table here that I could compute with."
    if documents:
        text += f" There are documents ({', '.join(documents[:10])}): ask what they say about a word, and I quote them."
    if skipped:
        text += f" Not read: {'; '.join(skipped[:5])}."
    if sight.unavailable:
        text += f" These sources can't be asked now: {', '.join(sight.unavailable)}."
    return text
