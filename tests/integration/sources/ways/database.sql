-- Ways to values that aren't admitted, or are masked, in any database: one statement a line.
SELECT rowid FROM customers
SELECT customers FROM customers
SELECT * FROM customers ORDER BY email LIMIT 1
SELECT name FROM customers WHERE email < 'm'
SELECT name FROM customers WHERE pin = 700000003
SELECT min(email) AS m FROM customers
SELECT name, email AS region FROM customers
SELECT group_concat(email) FROM customers
SELECT CAST(email AS INTEGER) FROM customers
SELECT name FROM customers ORDER BY pin LIMIT 1
SELECT region, max(pin) OVER () FROM customers
SELECT a.name FROM customers a JOIN customers b ON a.pin < b.pin
SELECT count(DISTINCT email) FROM customers
SELECT x FROM (SELECT email AS x FROM customers) ORDER BY x LIMIT 1
SELECT typeof(ssn) FROM customers
WITH c AS (SELECT email e FROM customers) SELECT e || '' FROM c
SELECT address FROM addresses ORDER BY 1
SELECT email FROM customers UNION SELECT name FROM customers
SELECT sum(pin) FROM customers
SELECT name FROM customers WHERE email IN (SELECT 'x')
SELECT * FROM order_notes
SELECT * FROM paid
SELECT json_object('a', email) FROM customers
SELECT * FROM orders WHERE secret_amount > 0
SELECT * FROM (SELECT *, 1 FROM orders)
SELECT orders.* FROM orders
SELECT count(*) FROM salaries
SELECT name FROM customers WHERE pin BETWEEN 700000001 AND 700000003
SELECT -pin FROM customers
SELECT name FROM customers LIMIT (SELECT count(*) FROM salaries)
SELECT name FROM customers LIMIT (SELECT max(pin) - 700000003 FROM customers)
SELECT name FROM customers GROUP BY email ORDER BY 1
SELECT DISTINCT pin % 2 FROM customers
SELECT CASE email WHEN 'a' THEN 1 END FROM customers
SELECT coalesce(email, 'x') FROM customers
SELECT name FROM customers c WHERE (SELECT email FROM customers WHERE id = c.id) > 'a'
SELECT name, row_number() OVER (ORDER BY email) FROM customers
SELECT (email, 1) = ('a', 1) FROM customers
