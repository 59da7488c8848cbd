-- Further ways in PostgreSQL.
SELECT row_to_json(customers) FROM customers
SELECT customers::text FROM customers
SELECT (customers).ssn FROM customers
SELECT (customers).email FROM customers
SELECT customers.* FROM customers
SELECT c FROM (SELECT * FROM customers) c
SELECT to_jsonb(c) FROM customers c
SELECT ctid, xmin FROM customers
SELECT email::int FROM customers
SELECT array_agg(email) FROM customers
TABLE salaries
TABLE customers
SELECT * FROM customers TABLESAMPLE SYSTEM (100)
SELECT * FROM ONLY customers
VALUES ((SELECT max(ssn) FROM customers))
SELECT name FROM customers c JOIN LATERAL (SELECT c.email AS e) x ON x.e > 'a'
SELECT 1/(pin - 700000003) FROM customers
SELECT string_agg(name, ',' ORDER BY pin) FROM customers
SELECT count(*) FILTER (WHERE email > 'a') FROM customers
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY pin) FROM customers
SELECT name FROM customers ORDER BY (pin) LIMIT 1
SELECT DISTINCT ON (email) name FROM customers
SELECT name FROM customers FETCH FIRST (SELECT count(*) FROM salaries) ROWS ONLY
SELECT mode() WITHIN GROUP (ORDER BY ssn) FROM customers
SELECT pg_typeof(c) FROM customers c
SELECT customers IS NULL FROM customers
SELECT c = c FROM customers c
SELECT count(c) FROM customers c
