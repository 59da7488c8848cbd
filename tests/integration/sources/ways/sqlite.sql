-- Further ways in SQLite.
SELECT _rowid_, oid FROM customers
SELECT * FROM sqlite_master
SELECT * FROM pragma_table_info('salaries')
SELECT name FROM customers WHERE customers MATCH 'a'
SELECT sql FROM sqlite_schema
SELECT load_extension('x')
SELECT name FROM customers INDEXED BY x
SELECT [ssn] FROM customers
SELECT `secret` FROM salaries
SELECT name FROM customers ORDER BY 1, rowid LIMIT 2
SELECT "ssn" FROM customers
SELECT 'ssn', name FROM customers
SELECT likely(email) FROM customers
SELECT name FROM customers WHERE email GLOB 'a*'
SELECT name FROM customers WHERE pin IS 700000003
SELECT max(email), name FROM customers
SELECT printf('%s', email) FROM customers
SELECT name FROM customers ORDER BY email COLLATE NOCASE LIMIT 1
