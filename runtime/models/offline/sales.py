"""Who bought what: verbs of buying, selling and spending, over tables whose rows are sales."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.models.offline.catalog import Column, Table
from runtime.models.offline.clues import Clues, Extreme
from runtime.models.offline.lexicon import (
    BUYERS,
    CANCELLED,
    CONCEPTS,
    GOODS,
    MONEY_COLUMNS,
    MOST,
    PIECES,
    SALES_VERBS,
    SPENDING_VERBS,
    STOCK_WORDS,
)
from runtime.models.offline.plan import ValueFilter
from runtime.models.offline.tokens import stems

_SELLING = frozenset(("sell", "sold", "seller"))
_PASSIVE = frozenset("was were is are been be get got gets".split())
_RANKS = ("best", "worst", "top", "most", "least")
_RANKED = frozenset(_RANKS)
_VERBS = SALES_VERBS | SPENDING_VERBS | {"order", "ordered"}
_FEW = frozenset(("least", "fewest"))
_WE = frozenset(("we", "i", "us", "our", "my"))
_HOW_MUCH = "I can't tell whether that means pieces or money: ask “how many pieces …”, or name the amount."
_BY_WHAT = "I can't tell whether that is to be told by pieces or by money: say “the most pieces” or “spent the most”."


def selling(clues: Clues) -> None:
    """ "sells best", "best-selling", "sold the most", "was bought most": the pieces of a table of sales, another sells
    nothing."""
    lows = [token.low for token in clues.tokens]
    if not _RANKED.intersection(lows) or not of_sales(clues.table):
        return
    for at, token in enumerate(clues.tokens):
        done = at > 0 and lows[at - 1] in _PASSIVE | {"most", "least"}  # "most ordered" as well as "was ordered most"
        passive = done and token.low in ("bought", "ordered", "purchased")
        if token.stem not in _SELLING and not passive:
            continue
        near = [index for index in (*range(at - 1, at - 3, -1), at + 1, at + 2) if 0 <= index < len(lows)]
        said = next((index for index in near if lows[index] in _RANKS), None)
        between = range(min(at, said) + 1, max(at, said)) if said is not None else ()
        if said is None or any(lows[index] not in ("-", "the") for index in between):
            continue
        first, after = min(at, said), max(at, said) + 1
        clues.extremes.append(Extreme(said, "min" if lows[said] in ("worst", "least") else "max", "pieces"))
        clues.phrases.append(("sells", first, after))
        clues.use(first, after)
        clues.ignored.update(range(first, after))
        clues.trade = "ordered" if token.low == "ordered" else "sold"
        clues.asks_goods = lows[0] == "what"


def read_sales(clues: Clues) -> None:
    """Takes the one verb that says that something was bought, sold or paid for, where the table has what it speaks of:
    elsewhere it stays unread, so that no other table answers."""
    lows = [token.low for token in clues.tokens]
    if not _VERBS.intersection(lows):
        return
    if clues.has("sells"):
        _says_pieces(clues)
        return
    verbs = [at for at in range(len(lows)) if _verb(clues, lows, at)]
    if len(verbs) != 1:
        return
    at, kind = verbs[0], _verb(clues, lows, verbs[0])
    who = _asks_who(lows, at)
    what = not who and lows[0] == "what" and (at == 1 or lows[1] in ("did", "do", "does", "was", "were", "have", "has"))
    fits = _has_money_of_buyers(clues.table) if kind in ("spent", "paid") else of_sales(clues.table)
    if kind == "ordered" and who:
        fits = fits or (_has_buyers(clues.table) and "order" in clues.table.words)
    if kind == "ordered" and not fits and not (who or what):
        return
    clues.mentions = tuple(m for m in clues.mentions if not m.first <= at < m.after)
    clues.used[at] = fits
    clues.ignored.add(at)
    if not fits:
        return
    clues.trade, clues.asks_buyers, clues.asks_goods = kind, who, what
    clues.money = clues.money or kind in ("spent", "paid")
    if kind not in ("spent", "paid"):
        _pieces(clues, lows)


def _verb(clues: Clues, lows: Sequence[str], at: int) -> str:
    """What the word at `at` says was done: "sold", "ordered", "spent", "paid", or nothing."""
    low, mention = lows[at], clues.mention_at(at)
    if at in clues.ignored or (mention is not None and mention.values):
        return ""
    who, before = _asks_who(lows, at), lows[at - 1] if at else ""
    if low in SALES_VERBS and not (who and low.startswith("s")) and not (mention is not None and not mention.loose):
        return "sold"
    asked = lows[0] in ("what", "how", "which") and "did" in lows[1 : max(at - 1, 1)] and _ends(clues, at)
    passive = before in _PASSIVE and of_sales(clues.table)
    if (low == "ordered" and (who or passive)) or (low == "order" and asked):
        return "ordered"
    if low in SPENDING_VERBS and (mention is None or mention.loose) and _of_others(clues, lows, at):
        return "paid" if low.startswith("pa") else "spent"
    return ""


def _asks_who(lows: Sequence[str], at: int) -> bool:
    """True for "who bought", "who has spent"."""
    before = at - 1 - (at > 1 and lows[at - 1] in ("has", "have", "had", "ever"))
    return before >= 0 and lows[before] == "who"


def _ends(clues: Clues, at: int) -> bool:
    """True where the verb ends its clause: a period may follow."""
    following = clues.next_content(at + 1)
    if following is not None and clues.tokens[following].stem in MOST | _FEW:
        following = clues.next_content(following + 1)  # "what did they order most in May"
    return following is None or any(period.first <= following < period.after for period in clues.periods)


def _of_others(clues: Clues, lows: Sequence[str], at: int) -> bool:
    """True where somebody else than we has spent: "who", a customer, or a name."""
    if _WE.intersection(lows[:at]):
        return False
    said = {token.stem for token in clues.tokens[:at]}
    said |= {token.stem for token in clues.tokens[at + 2 : at + 3]} if lows[at + 1 : at + 2] == ["per"] else set()
    names = (value.column for mention in clues.mentions if mention.first < at for value in mention.values)
    return lows[0] == "who" or bool(BUYERS & said) or any(BUYERS.intersection(_called(column)) for column in names)


def _called(column: Column) -> tuple[str, ...]:
    """The words of a column and of the table that it is found in."""
    return (*column.words, *(stems(column.via.table) if column.via is not None else ()))


def _says_pieces(clues: Clues) -> None:
    for at, token in enumerate(clues.tokens):
        mention = clues.mention_at(at)
        if token.stem in PIECES and (mention is None or not mention.values):
            clues.mentions = tuple(m for m in clues.mentions if not m.first <= at < m.after)
            clues.says_pieces = True
            clues.use(at, at + 1)
            clues.ignored.add(at)


def _pieces(clues: Clues, lows: Sequence[str]) -> None:
    """ "pieces", "the most kettles", "how much": what a figure of what was sold is told by."""
    _says_pieces(clues)
    for at, token in enumerate(clues.tokens):
        if at in clues.ignored or token.stem not in MOST | _FEW:
            continue
        following = clues.next_content(at + 1)
        mention = clues.mention_at(following) if following is not None else None
        of_goods = mention is not None and any(GOODS.intersection(stems(value.column.name)) for value in mention.values)
        if of_goods or clues.says_pieces or clues.asks_goods:
            clues.extremes.append(Extreme(at, "min" if token.low in _FEW else "max", "pieces"))
            clues.use(at, at + 1)
            clues.ignored.add(at)
        elif clues.asks_buyers or lows[at + 1 : at + 2] != ["often"]:
            clues.doubt = _BY_WHAT
    named = any(c.kind == "number" and c.via is None for m in clues.mentions if not m.values for c in m.columns)
    if lows[:2] == ["how", "much"] and not named:
        clues.doubt = _HOW_MUCH


def of_sales(table: Table) -> bool:
    """True where rows have pieces and money on a day of their own or of rows that they lead to, and are no stock."""
    own = [column for column in table.columns if column.via is None]
    said = {word for column in own for word in column.words}.union(table.words)
    money = any(column.kind == "number" and MONEY_COLUMNS.intersection(column.words) for column in own)
    dated = any(column.dated for column in table.columns)
    return pieces_of(table) is not None and money and dated and not STOCK_WORDS & said


def pieces_of(table: Table) -> Column | None:
    """The one column that counts the pieces of a row."""
    own = [column for column in table.of_kind("number") if column.via is None and column.additive]
    found = [column for column in own if CONCEPTS["pieces"].intersection(column.words)]
    return found[0] if len(found) == 1 else None


def goods_of(table: Table) -> Column | None:
    """What the goods of a row are known by: a key of theirs before a name."""
    return _known_by(table, GOODS)


def buyers_of(table: Table) -> Column | None:
    """What the buyer of a row is known by: a key of theirs before a name."""
    return _known_by(table, BUYERS)


def _known_by(table: Table, words: frozenset[str]) -> Column | None:
    fitting = [c for c in table.of_kind("id", "label") if words.intersection(c.words) and c.name not in table.keys]
    own = [column for column in fitting if column.via is None] or fitting
    keys = [column for column in own if column.kind == "id"] or own
    return keys[0] if len(keys) == 1 else None


def _has_buyers(table: Table) -> bool:
    """True where each row is that of one buyer, on a day of its own."""
    buyer = buyers_of(table)
    return buyer is not None and buyer.via is None and any(c.dated and c.via is None for c in table.columns)


def _has_money_of_buyers(table: Table) -> bool:
    money = [c for c in table.of_kind("number") if c.via is None and c.additive and MONEY_COLUMNS.intersection(c.words)]
    return bool(money) and _has_buyers(table)


def kept_sales(clues: Clues, values: tuple[ValueFilter, ...]) -> tuple[tuple[ValueFilter, ...], str]:
    """The conditions with what goes without saying, and the sentence that says it: nothing is bought or sold by an
    order that was cancelled, and paid is what is marked so. A condition of the question's own on that column stands."""
    if clues.trade not in ("sold", "spent", "paid"):
        return values, ""
    for column in clues.table.of_kind("label"):
        if any(value.column.name == column.name for value in values):
            continue
        paid = tuple(one for one in column.values if one.strip().casefold() == "paid")
        if clues.trade == "paid" and paid:
            return (*values, ValueFilter(column, paid)), ""
        cancelled = tuple(one for one in column.values if one.strip().casefold() in CANCELLED)
        if cancelled and column.null_percent == 0:
            told = "what was cancelled counts as neither bought nor sold"
            return (*values, ValueFilter(column, cancelled, negated=True)), told
    return values, ""
