-- Ways out of a workspace; {outside} is a folder beside it.
SELECT * FROM read_csv('{outside}/one/salaries.csv')
FROM '{outside}/two/salaries.csv'
SELECT * FROM glob('{outside}/*')
SELECT * FROM query('FROM salaries')
SUMMARIZE customers
FROM duckdb_tables()
SELECT getenv('PATH')
SELECT content FROM read_text('{outside}/one/salaries.csv')
SELECT count(*) FROM salaries
SELECT rowid FROM customers
