"""Exports as banks, shops, ledgers and database programs write them, with the values that a person reads in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

Read = Callable[..., Any]
D = Decimal

# Each: the text, some columns with all their values, and what has to be said.
CASES: Mapping[str, tuple[str, Mapping[str, Sequence[Any]], Sequence[str]]] = {
    "a British bank, newest first, pounds and a balance below zero": (
        '"Account Name:","Current ****1234"\n"Account Balance: ","£1,234.56"\n\n'
        '"Date","Transaction type","Paid out","Paid in","Balance"\n'
        '"12 Mar 2024","Visa purchase","£45.10","","£1,234.56"\n'
        '"11 Mar 2024","Bank credit","","£2,000.00","£1,279.66"\n'
        '"10 Mar 2024","Direct debit","£1,120.34","","-£720.34"\n',
        {
            "Date": [date(2024, 3, 12), date(2024, 3, 11), date(2024, 3, 10)],
            "Paid out": [D("45.10"), None, D("1120.34")],
            "Balance": [D("1234.56"), D("1279.66"), D("-720.34")],
        },
        ["2 lines above the header skipped", "currency GBP (£)"],
    ),
    "a French bank, narrow blanks for thousands, a semicolon behind each row": (
        "Date;Libellé;Débit euros;Crédit euros;\n31/01/2024;VIR SALAIRE;;2\u202f345,67;\n"
        "15/01/2024;CB CARREFOUR;-1\u00a0045,20;;\n",
        {"Débit euros": [None, D("-1045.20")], "Crédit euros": [D("2345.67"), None]},
        ["1 column at the end without a name or a value left out"],
    ),
    "a Dutch bank, where a word is the sign": (
        '"Datum","Naam","Af Bij","Bedrag (EUR)"\n"20240131","Albert Heijn","Af","23,45"\n'
        '"20240130","Werkgever","Bij","2.345,00"\n',
        {"Bedrag (EUR)": [D("23.45"), D("2345.00")]},
        ["Af Bij: its words (Af, Bij) may be the signs of the amounts", "may be days as YYYYMMDD"],
    ),
    "a German ledger, where a letter is the sign": (
        'Umsatz;Soll/Haben;Konto\n1234,56;"S";4400\n99,00;"H";1200\n',
        {"Umsatz": [D("1234.56"), D("99.00")]},
        ["Soll/Haben: its words (H, S) may be the signs of the amounts"],
    ),
    "an American bank, signs in the amounts themselves": (
        "Details,Posting Date,Description,Amount,Check or Slip #\n"
        'DEBIT,01/31/2024,"COFFEE",-4.50,,\nCREDIT,01/30/2024,"PAYROLL",2000.00,1234,\n',
        {"Amount": [D("-4.50"), D("2000.00")], "Check or Slip #": [None, 1234]},
        ["dates read month first"],
    ),
    "a Brazilian bank with the balance of each day among its rows": (
        'Data,Histórico,Valor,Saldo\n31/01/2024,Saldo do dia,,"1.250,00"\n31/01/2024,PIX recebido,"250,00","1.250,00"\n'
        '30/01/2024,Boleto,"-100,00","1.000,00"\n30/01/2024,Saldo do dia,,"1.100,00"\n',
        {"Valor": [D("250.00"), D("-100.00")]},
        ["2 balance rows kept apart, not counted as rows: line 2: 31/01/2024 | Saldo do dia | 1.250,00"],
    ),
    "a Polish bank, signs before the names, the currency behind": (
        "#Data operacji;#Kwota;#Saldo po operacji;\n2024-01-31;-1 250,00 PLN;2 000,00 PLN;\n"
        "2024-01-30;3 250,00 PLN;3 250,00 PLN;\n",
        {"#Kwota": [D("-1250.00"), D("3250.00")]},
        ["currency PLN taken off 2 values"],
    ),
    "a Hungarian bank": (
        "Dátum;Összeg\n2024-01-31;-1 250 Ft\n2024-01-15;3 250 Ft\n",
        {"Összeg": [-1250, 3250]},
        ["currency Ft taken off 2 values"],
    ),
    "a Swiss bank, apostrophes of both kinds": (
        "Datum;Betrag;Text\n31.01.2024;1'234.50;Lohn\n15.01.2024;-99.05;Migros\n03.01.2024;1'000.00;x\n",
        {"Betrag": [D("1234.50"), D("-99.05"), D("1000.00")]},
        ["thousands marked by apostrophes"],
    ),
    "a Japanese shop, wide signs of the yen": (
        '日付,金額\n2024/01/31,"￥1,234"\n2024/01/15,￥500\n',
        {"日付": [date(2024, 1, 31), date(2024, 1, 15)], "金額": [1234, 500]},
        ["currency JPY (￥) taken off 2 values"],
    ),
    "a Japanese bank, the word for yen behind": (
        '日付,金額\n2024-01-31,"1,234円"\n2024-01-15,500円\n',
        {"金額": [1234, 500]},
        ["currency JPY (円) taken off 2 values"],
    ),
    "dollars of a named country": (
        "shop,price\na,US$ 5.00\nb,US$12.50\n",
        {"price": [D("5.00"), D("12.50")]},
        ["currency USD (US$) taken off 2 values"],
    ),
    "an Indian shop, its currency with a point": (
        'k,amt\na,"Rs. 1,05,000"\nb,Rs 99.50\nc,-Rs. 5\n',
        {"amt": [D("105000"), D("99.50"), D("-5")]},
        ["currency INR (Rs", "lakh grouping"],
    ),
    "a spreadsheet's accounting format, a dash for nothing": (
        'k,v\na,"$1,234.50"\nb,$ -\nc,($200.00)\n',
        {"v": [D("1234.50"), None, D("-200.00")]},
        ["1 value '$ -' is read as missing", "parentheses read as negative"],
    ),
    "a comment between the rows": (
        "id,qty\n1,5\n# checked by Ann\n2,6\n",
        {"id": [1, 2]},
        ["1 comment line (#, first in line 3) skipped"],
    ),
    "a title as wide as the table": (
        "Report,Sales,2025\ncity,year,sold\nOslo,2021,10\nRome,2022,25\n",
        {"city": ["Oslo", "Rome"], "year": [2021, 2022]},
        ["1 line above the header skipped, not rows of the table: 'Report Sales 2025'"],
    ),
    "an SAP list between pipes, minus signs behind": (
        "----------------------------------------\n|Material  |Plant|   Stock|Unit|Value     |\n"
        "----------------------------------------\n|100-100   |1000 |   1,200|PC  | 24,000.00|\n"
        "|100-200   |1000 |      50|PC  |  1,000.50-|\n----------------------------------------\n",
        {
            "Material": ["100-100", "100-200"],
            "Stock": [1200, 50],
            "Unit": ["PC", "PC"],
            "Value": [D("24000.00"), D("-1000.50")],
        },
        ["each line stands between two pipes", "3 ruling lines", "blanks around the values taken off"],
    ),
    "what psql shows": (
        " id | name | amount\n----+------+--------\n  1 | Ann  |  10.50\n  2 | Bob  |   7.25\n(2 rows)\n",
        {"id": [1, 2], "name": ["Ann", "Bob"], "amount": [D("10.50"), D("7.25")]},
        ["1 ruling line", "footer of 1 line below the table skipped (line 5): '(2 rows)'"],
    ),
    "what mysql shows": (
        "+----+------+--------+\n| id | name | amount |\n+----+------+--------+\n|  1 | Ann  |  10.50 |\n"
        "|  2 | Bob  |   7.25 |\n+----+------+--------+\n2 rows in set (0.00 sec)\n",
        {"id": [1, 2], "name": ["Ann", "Bob"], "amount": [D("10.50"), D("7.25")]},
        ["each line stands between two pipes", "'2 rows in set (0.00 sec)'"],
    ),
    "a table of Markdown": (
        "| id | name | amount |\n|----|------|-------:|\n| 1 | Ann | 10.50 |\n| 2 | | 7.25 |\n",
        {"id": [1, 2], "name": ["Ann", None], "amount": [D("10.50"), D("7.25")]},
        ["each line stands between two pipes"],
    ),
    "a spreadsheet saved with empty columns at its end": (
        "id,name,amount,,,\n1,a,10,,,\n2,b,25,,,\n",
        {"id": [1, 2], "amount": [10, 25]},
        ["3 columns at the end without a name or a value left out"],
    ),
    "a spreadsheet with a remark in a column that has no name": (
        "id,amount,,\n1,10,,\n2,25,checked,\n",
        {"amount": [10, 25], "column_3": [None, "checked"]},
        ["columns without a name are called column_3"],
    ),
    "marks of direction around numbers": (
        "name,amount\n\u200fdan\u200e,\u200e12.50\nmia,\u200e7.25\n",
        {"name": ["dan", "mia"], "amount": [D("12.50"), D("7.25")]},
        ["signs nobody sees", "removed (4)"],
    ),
    "a soft hyphen and a blank of no width inside of words": (
        "city,sku\nDüssel\u00addorf,A\u200b1\nDüsseldorf,A1\n",
        {"city": ["Düsseldorf", "Düsseldorf"], "sku": ["A1", "A1"]},
        ["removed (2)"],
    ),
    "signs that join letters of Persian words": (
        "word,n\nمی\u200cروم,1\nمیروم,2\n",
        {"word": ["می\u200cروم", "میروم"]},
        [],
    ),
    "digits of Arabic": (
        "name,amount\na,١٢٣٫٥٠\nb,٩٩\n",
        {"amount": ["١٢٣٫٥٠", "٩٩"]},
        ["amount: its values are written in digits that are not read, e.g. '١٢٣٫٥٠'; column kept as text"],
    ),
    "digits of Thai dates": (
        "name,day\na,๒๕๖๗-๐๑-๐๒\nb,๒๕๖๗-๐๑-๐๓\n",
        {"name": ["a", "b"]},
        ["day: its values are written in digits that are not read"],
    ),
    "day numbers with times": (
        "Timestamp,amount\n45292.5,10\n45300.75,20\n",
        {"Timestamp": [D("45292.50"), D("45300.75")]},
        ["Timestamp: its numbers may be day numbers of a spreadsheet (45292 = 2024-01-01), e.g. 45292.50"],
    ),
    "units behind the numbers, without a blank": (
        "a,delta,mass\n1,+1.2pp,12kg\n2,-0.3pp,7kg\n",
        {"delta": ["+1.2pp", "-0.3pp"], "mass": ["12kg", "7kg"]},
        ["delta: its values are numbers with other signs or words", "mass: its values are numbers with other signs"],
    ),
    "times over a day and lengths of time": (
        "job,worked,lap,span\na,26:30,1:02.5,PT1H30M\nb,143:00,0:59.9,PT45M\n",
        {"worked": ["26:30", "143:00"], "lap": ["1:02.5", "0:59.9"], "span": ["PT1H30M", "PT45M"]},
        [],
    ),
    "weeks, months and quarters": (
        "week,month,quarter,n\n2024-W01,01/2024,Q1 2024,1\n2024-W53,12/2024,Q4 2024,2\n",
        {"week": ["2024-W01", "2024-W53"], "month": ["01/2024", "12/2024"], "quarter": ["Q1 2024", "Q4 2024"]},
        [],
    ),
    "codes like numbers with exponents": (
        "sku,ean\n1E5,4006381333931\n2E10,4006381333932\n",
        {"sku": ["1E5", "2E10"], "ean": [4006381333931, 4006381333932]},
        [],
    ),
    "accounts, telephones and postcodes": (
        "iban,phone,zip\nDE89370400440532013000,+491701234567,01067\nGB29NWBK60161331926819,+4915123456789,10115\n",
        {"phone": ["+491701234567", "+4915123456789"], "zip": ["01067", "10115"]},
        ["zip: 1 of 2 values begin with a zero that matters"],
    ),
    "dashes for nothing, parentheses for less": (
        "account;jan;feb\nRent; 1,200.00 ; -   \nTravel; -   ; (350.00)\nMeals; 80.00 ; 75.25 \n",
        {"jan": [D("1200.00"), None, D("80.00")], "feb": [None, D("-350.00"), D("75.25")]},
        ["1 value '-' is read as missing", "parentheses read as negative in 1 values"],
    ),
    "percents and two currencies by column": (
        'region,share,revenue,cost\nN,12.5%,"$1,200",€900\nS,50 %,"$2,300",€80\n',
        {"share": [D("0.125"), D("0.500")], "revenue": [1200, 2300], "cost": [900, 80]},
        ["currency USD ($)", "currency EUR (€)", "percent read as a fraction"],
    ),
    "payments of a shop in one column for several currencies": (
        'id,Amount,Currency,Created (UTC)\nt1,"1,000.00",usd,2024-01-05 10:22\nt2,-20.00,eur,2024-01-06 11:00\n',
        {
            "Amount": [D("1000.00"), D("-20.00")],
            "Created (UTC)": [datetime.fromisoformat(f"2024-01-0{each}") for each in ("5 10:22", "6 11:00")],
        },
        ["thousands marked by commas"],
    ),
    "a report of visits, remarks above and a total without a label below": (
        "# ------\n# All Users\n# 20240101-20240131\n# ------\n\nDate,Sessions,Revenue\n"
        '20240101,"1,234",100.50\n20240102,987,80.25\n\n,"2,221",180.75\n',
        {"Sessions": [1234, 987], "Revenue": [D("100.50"), D("80.25")]},
        ["4 comment lines", "1 total row kept apart"],
    ),
    "a pivot table saved as text": (
        "Sum of Amount,Column Labels,,\nRow Labels,East,West,Grand Total\nApples,10,20,30\nPears,5,7,12\n"
        "Grand Total,15,27,42\n",
        {"Column Labels East": [10, 5], "Column Labels West": [20, 7]},
        ["two header lines (1 and 2) joined", "1 total row kept apart"],
    ),
    "profit and loss of a ledger": (
        "Acme Inc,,\nProfit and Loss,,\n,,\n,Jan 2024,Feb 2024\nIncome,,\n"
        '   Sales,"1,000.00","2,000.00"\n   Services,500.00,600.00\nTotal Income,"$1,500.00","$2,600.00"\n'
        "Expenses,,\n   Rent,800.00,800.00\n   Supplies,100.00,50.00\nTotal Expenses,$900.00,$850.00\n",
        {"Jan 2024": [None, D("1000.00"), D("500.00"), None, D("800.00"), D("100.00")]},
        ["line 8 'Total Income' (equal to the sum of the rows", "line 12 'Total Expenses' (equal to the sum"],
    ),
    "an order of several lines, its total on the first only": (
        "Name,Total,Lineitem quantity,Lineitem name\n#1001,38.00,1,Mug\n#1001,,2,Cap\n#1002,22.00,1,Shirt\n",
        {"Total": [D("38.00"), None, D("22.00")], "Lineitem quantity": [1, 2, 1]},
        [],
    ),
    "subtotals that only lack the second label, and the total both": (
        "region,shop,net\nNorth,a,10\nNorth,b,20\nNorth,,30\nSouth,c,5\nSouth,d,6\nSouth,,11\n,,41\n",
        {"shop": ["a", "b", "c", "d"], "net": [10, 20, 5, 6]},
        ["3 total and subtotal rows kept apart", "line 4", "line 7", "line 8"],
    ),
    "subtotals that only lack the second label, without a total": (
        "region,shop,net\nNorth,a,10\nNorth,b,20\nNorth,,30\nSouth,c,5\nSouth,d,6\nSouth,,11\n",
        {"net": [10, 20, 5, 6]},
        ["2 total and subtotal rows kept apart"],
    ),
    "a missing second label, of which not each row adds up others": (
        "region,shop,net\nNorth,a,10\nNorth,b,20\nNorth,,30\nSouth,c,5\nSouth,d,6\nSouth,,12\n",
        {"net": [10, 20, 30, 5, 6, 12]},
        [],
    ),
    "the mark that DOS put behind a text": (
        "id,n\n1,2\n3,4\n\x1a",
        {"id": [1, 3], "n": [2, 4]},
        ["a mark at its end, as DOS put one (Ctrl-Z), removed"],
    ),
    "letters as a web page writes them": (
        "id,name\n1,M&uuml;ller\n2,A &amp; B\n",
        {"name": ["M&uuml;ller", "A &amp; B"]},
        ["name: values hold letters as a web page writes them, e.g. 'A &amp; B'; kept so"],
    ),
    "round prices with dashes for cents, and points in the middle": (
        "id;price;old\n1;5.--;3·50\n2;12.—;4·20\n",
        {"price": ["5.--", "12.—"]},
        ["price: its values are numbers with other signs", "old: its values are numbers with other signs"],
    ),
    "losses in other brackets": (
        "a;b\nx;[350]\ny;<20>\nz;10\n",
        {"b": ["[350]", "<20>", "10"]},
        ["b: its values are numbers with other signs or words"],
    ),
    "indicators of a world bank": (
        '"Data Source","Indicators",\n\n"Last Updated Date","2024-01-01",\n\n'
        '"Country Name","Code","1960","1961",\n"Aruba","ABW","","54608",\n"Africa","AFE","130692579","134169237",\n',
        {"1960": [None, 130692579], "1961": [54608, 134169237]},
        ["2 lines above the header skipped", "1 column at the end without a name or a value left out"],
    ),
    "a report with its parameters above and semicolons": (
        "Bericht;Umsatz\nVon;01.01.2024\n\nFiliale;Umsatz;Kunden\nNord;1.200,50;10\nSüd;2.300,00;12\n"
        "Gesamt;3.500,50;22\n",
        {"Umsatz": [D("1200.50"), D("2300.00")]},
        ["2 lines above the header skipped", "1 total row kept apart"],
    ),
    "pages with their header again and a count at the end": (
        "id,name,amount\n1,a,10\n2,b,20\nid,name,amount\n3,c,35\n(3 rows affected)\n",
        {"id": [1, 2, 3], "amount": [10, 20, 35]},
        ["the header stands again in line 4", "footer of 1 line below the table skipped"],
    ),
    "minus signs of typography, apart from the number or behind it": (
        "a;b;c;d\n1;- 350,00;−3,5;1.234,56-\n2;-1.200,50;4,5;99,00\n",
        {"b": [D("-350.00"), D("-1200.50")], "c": [D("-3.5"), D("4.5")], "d": [D("-1234.56"), D("99.00")]},
        ["a minus behind the number read as negative in 1 values"],
    ),
    "numbers longer than a machine's": (
        "id,v\n12345678901234567890,1\n12345678901234567891,2\n",
        {"id": [D("12345678901234567890"), D("12345678901234567891")]},
        [],
    ),
    "ids that a spreadsheet shortened": (
        "id,v\n1.23457E+17,1\n1.23457E+17,2\n",
        {"v": [1, 2]},
        ["id: 2 values like 1.23457E+17 are shortened as spreadsheets do: their last digits are lost"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_read_as_a_person_reads_it(read: Read, case: str) -> None:
    text, columns, said = CASES[case]
    found = read(text)
    assert {name: found.column(name) for name in columns} == dict(columns)
    assert [each for each in said if each not in found.notes] == [], found.notes


def test_two_words_that_are_no_signs_of_amounts_need_no_word(read: Read) -> None:
    assert "may be the signs" not in read("kind,amount\nD,5.00\nC,-7.00\n").notes
    assert "may be the signs" not in read("kind,amount\ncash,5.00\ncard,7.00\n").notes
