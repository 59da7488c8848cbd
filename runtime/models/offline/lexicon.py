"""The words that the offline analyst understands, as data: every other word has to come from the tables themselves."""

from __future__ import annotations

from collections.abc import Mapping

from runtime.models.offline.tokens import stem


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


def _mapped(groups: Mapping[str, str]) -> dict[str, str]:
    return {stem(word): name for name, words in groups.items() for word in words.split()}


# Words without a meaning of their own in a question about one table. Anything that limits, negates, compares or
# relates rows ("without", "than", "same", "per", "since", "other") must never stand here.
FILLERS = _stems(
    """a an the this that these those there here it its they them their theirs i me my mine myself
    we our ours us you your yourself of to in on at for from into onto with by as and so then also just please kindly
    do does did done am is are was were be been being has have had having can could shall
    what which who whom whose how when if up out come came go went gone get got gets give gave given take taken
    show tell say find name let make made put see know need want look looking question answer kind sort type one
    ones own thanks thank hello hi hey ok okay well mean called exactly precisely actually really
    according basis based contained contain contains hold holds stay stayed such
    result figure figures number amount calculate determine return report display
    belong belongs column columns field over across through throughout among within
    during still whole entire entirely full all each every overall dated"""
)
# Everyday verbs for a row being there: "how many workouts did I log", "receipts I collected".
LIGHT_VERBS = _stems(
    "log record recorded track collect gather note enter register list occur happen appear show keep kept write wrote "
    "do did has have make made store stored save saved counted measured tracked noted "
    "place placed file filed judge judged convert converted"
)
GENERIC_ROWS = _stems("row record entry line item time occasion instance case occurrence session transaction event")
CONTAINERS = _stems(
    "list log table file sheet spreadsheet ledger history dataset data csv tsv export register workbook"
)
AGGREGATES = {
    **_mapped(
        {
            "sum": "sum total totalled combined altogether overall aggregate cumulative",
            "avg": "average mean typical",
            "median": "median",
            "count": "count tally",
        }
    ),
}
MONEY_VERBS = _stems("cost spend spent spending pay paid payment expense expenditure spendings bill outlay worth money")
MONEY_COLUMNS = _stems(
    "amount total cost price spend spent spending paid payment fee expense charge sum gross net value rent bill budget "
    "salary revenue turnover profit income earnings"
)
GENERIC_MEASURES = _stems("value amount figure sum money")
BUSINESS_WORDS = _stems("revenue sales turnover profit margin income earnings churn retention growth")

# Superlatives and comparatives: the direction, and the idea that picks the column.
MOST = _stems("most highest largest biggest greatest maximum max top maximal best peak led")
LEAST = _stems("worst weakest least fewest lowest smallest minimum min minimal bottom rarest")
ADJECTIVES: Mapping[str, tuple[str, str]] = {
    "cheapest": ("min", "money"),
    "cheaper": ("min", "money"),
    "priciest": ("max", "money"),
    "costliest": ("max", "money"),
    "dearest": ("max", "money"),
    "expensive": ("max", "money"),
    "longest": ("max", "length"),
    "longer": ("max", "length"),
    "shortest": ("min", "length"),
    "shorter": ("min", "length"),
    "heaviest": ("max", "weight"),
    "heavier": ("max", "weight"),
    "lightest": ("min", "weight"),
    "lighter": ("min", "weight"),
    "farthest": ("max", "distance"),
    "furthest": ("max", "distance"),
    "nearest": ("min", "distance"),
    "larger": ("max", ""),
    "bigger": ("max", ""),
    "greater": ("max", ""),
    "higher": ("max", ""),
    "more": ("max", ""),
    "smaller": ("min", ""),
    "lower": ("min", ""),
    "fewer": ("min", ""),
    "less": ("min", ""),
    "fastest": ("max", "speed"),
    "faster": ("max", "speed"),
    "slowest": ("min", "speed"),
    "slower": ("min", "speed"),
    "latest": ("max", "date"),
    "newest": ("max", "date"),
    "recent": ("max", "date"),
    "earliest": ("min", "date"),
    "oldest": ("min", "date"),
    "youngest": ("max", "date"),
}
CONCEPTS: Mapping[str, frozenset[str]] = {
    "money": MONEY_COLUMNS,
    "length": _stems(
        "page length duration minute hour night day second distance km kilometre mile metre week runtime min hr word"
    ),
    "distance": _stems("distance km kilometre mile metre"),
    "weight": _stems("weight kg gram mass lb pound"),
    "speed": frozenset(("speed",)),
    "time": _stems("minute hour second duration time min hr"),
    "pieces": _stems("qty quantity piece unit"),
}
PERSON_WORDS = _stems("person persons people human humans individual")
PIECES = _stems("piece unit item")
SALES_VERBS = frozenset("buy buys bought buying sell sells sold selling purchased".split())
SPENDING_VERBS = frozenset("spend spends spent pay pays".split())
BUYERS = _stems("customer client buyer shopper")
CANCELLED = frozenset(("cancelled", "canceled", "void", "voided", "annulled"))
GOODS = _stems("product article item good sku merchandise part")
STOCK_WORDS = _stems("stock inventory warehouse storage shelf")
FREQUENCY = _stems("often frequent frequently common commonly")

# Calendar words: the bucket a date falls into.
BUCKETS = _mapped({"day": "day date daily", "week": "week weekly", "month": "month monthly",
                   "quarter": "quarter quarterly", "year": "year yearly annual annually"})  # fmt: skip
BUCKET_ADVERBS = _stems("daily weekly monthly quarterly yearly annual annually")

# Units that column names carry, and factors between the ones that convert exactly.
UNITS = {
    **_mapped(
        {
            "km": "km kilometre kilometer kms",
            "m": "metre meter",
            "mile": "mile mi",
            "second": "second sec secs",
            "minute": "minute min mins",
            "hour": "hour hr hrs",
            "kg": "kg kilogram kilo",
            "g": "gram gramme",
            "percent": "percent pct percentage",
            "day": "day",
            "week": "week",
        }
    ),
}
CURRENCIES: Mapping[str, str] = {
    "eur": "EUR", "euro": "EUR", "€": "EUR", "usd": "USD", "dollar": "USD", "$": "USD", "gbp": "GBP", "pound": "GBP",
    "£": "GBP", "chf": "CHF", "franc": "CHF", "jpy": "JPY", "yen": "JPY",
}  # fmt: skip
CONVERSIONS: Mapping[tuple[str, str], float] = {
    ("second", "minute"): 60.0,
    ("second", "hour"): 3600.0,
    ("minute", "hour"): 60.0,
    ("minute", "second"): 1 / 60,
    ("hour", "minute"): 1 / 60,
    ("day", "week"): 7.0,
    ("m", "km"): 1000.0,
    ("km", "m"): 0.001,
    ("g", "kg"): 1000.0,
    ("kg", "g"): 0.001,
}

# Words for the same everyday thing, used for the names of tables and columns only, never for values.
THESAURUS: tuple[frozenset[str], ...] = tuple(
    _stems(group)
    for group in (
        "book reading read",
        "author writer",
        "workout training train exercise sport session",
        "track song",
        "vendor shop store merchant",
        "spend spending expense expenditure cost",
        "trip travel journey",
        "customer client buyer",
        "order purchase",
        "sleep slept night",
        "price cost fee charge",
        "see saw seen meet met",
        "refund reimbursement",
        "product article",
        "employee staff",
        "contact person people friend",
        "minute duration",
        "app application",
    )
)

# Column names.
IDENTIFIER_WORDS = _stems("id code no nr zip postcode phone sku ean isbn uuid key number")
NON_ADDITIVE_WORDS = _stems(
    "rating score rank rate percent pct percentage age ratio index grade level temperature price average avg mean "
    "latitude longitude lat lon quality unit_price share speed"
)
QUANTITY_WORDS = _stems("qty quantity unit piece count item quantities pack box")
UNIT_COLUMN_WORDS = _stems("currency unit uom ccy")
FLAG_WORDS: Mapping[str, bool] = {
    "yes": True, "no": False, "y": True, "n": False, "true": True, "false": False, "t": True, "f": False,
}  # fmt: skip

SHARE_WORDS = _stems("share percentage percent proportion fraction")
CHART_WORDS = _stems("plot chart graph draw visualise visualize histogram diagram")
CHART_FORMS = _stems("line bar chart plot graph point")
CHANGE_WORDS = _stems(
    "change changed grow grew grown growth increase increased decrease decreased rise rose risen fall fell fallen drop "
    "dropped compare compared comparison versus vs difference differ against"
)
SPREAD_WORDS = _stems("distribution distributed histogram")
TOGETHER_WORDS = _stems("correlation correlated correlate relationship related")
TREND_WORDS = _stems("trend development develop developed evolve evolved evolution")
WRITE_VERBS = frozenset(
    [
        "delete",
        "remove",
        "drop",
        "update",
        "insert",
        "change",
        "edit",
        "rename",
        "overwrite",
        "erase",
        "truncate",
        "move",
        "copy",
        "send",
        "email",
        "mail",
        "schedule",
        "remind",
        "save",
        "store",
        "upload",
        "download",
        "export",
        "create",
        "set",
        "fix",
        "correct",
        "upgrade",
        "downgrade",
        "promote",
        "demote",
        "pause",
        "activate",
        "deactivate",
        "assign",
        "reset",
    ]
)
NEGATIONS = frozenset("not never no without except excluding exclude unless besides neither nor outside".split())
# Of these, the ones whose list is excluded as a whole: "except Germany and France".
EXCEPTIONS = frozenset("without except excluding exclude besides neither nor outside than from".split())
# Praise that names no measure.
PRAISE = frozenset(
    "best worst top biggest largest greatest loyal valuable important popular faithful good strongest weakest".split()
)
PRAISES_ONLY = frozenset("loyal valuable important popular faithful".split())
# Words that show which language a question is in.
ENGLISH = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "in",
        "on",
        "what",
        "which",
        "who",
        "how",
        "many",
        "much",
        "did",
        "do",
        "does",
        "is",
        "are",
        "was",
        "were",
        "have",
        "has",
        "i",
        "my",
        "me",
        "to",
        "for",
        "and",
        "per",
        "by",
        "show",
        "list",
        "sum",
        "count",
        "average",
        "total",
        "add",
        "find",
        "give",
        "name",
        "when",
        "most",
        "from",
        "compare",
        *"plot draw chart graph against versus vs only all please over under more less".split(),
        *"can could should would be been at our you your there this that it where why not or if than".split(),
        *"after before between during next last".split(),
        "with",
        "without",
        "no",
        "top",
        "share",
    ]
)
NUMBER_WORDS: Mapping[str, float] = {
    word: float(value)
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
} | {"twenty": 20.0, "hundred": 100.0, "dozen": 12.0, "once": 1.0, "twice": 2.0}
MONTHS: Mapping[str, int] = {
    name: month
    for month, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sept sep", "october oct", "november nov", "december dec"), start=1)
    for name in names.split()
}  # fmt: skip
MONTH_NAMES = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
               "November", "December")  # fmt: skip
