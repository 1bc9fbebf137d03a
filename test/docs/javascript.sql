-- docs/id-formats.md, "JavaScript and JSON"

-- claim: id_type "javascript" sets max_value to 2^53 - 1.
SELECT idgen_create('js', id_type => 'javascript');
SELECT max_value, max_value = 2::numeric ^ 53 - 1 FROM id_sequences WHERE name = 'js';
-- gives: 9007199254740991|t

-- claim: Scrambled ids are exact with id_type "javascript".
SELECT idgen_create('scrambled', layout => 'scrambled', id_type => 'javascript');
SELECT bool_and(idgen_next('scrambled') BETWEEN 1 AND 9007199254740991) FROM generate_series(1, 1000);
-- gives: t

-- claim: Composed ids are never exact.
SELECT idgen_create('composed', layout => 'prefixed');
SELECT length(id::text), id::float8::numeric = id FROM (SELECT idgen_next('composed') AS id) AS s WHERE id % 2 = 1;
-- gives: 19|f

-- claim: Time-ordered ids are exact in the first 24 days of 2024.
SELECT idgen_unique_id_min('2024-01-25 00:00+00') < 2::numeric ^ 53, idgen_unique_id_min('2024-01-26 00:00+00') < 2::numeric ^ 53;
-- gives: t|f

-- claim: json_agg writes numbers.
SELECT json_agg(9007199254740993);
-- gives: [9007199254740993]

-- claim: Text stays exact.
SELECT json_build_object('id', 9007199254740993::text);
-- gives: {"id" : "9007199254740993"}

-- claim: idgen_create refuses what max_value cannot hold to.
SELECT idgen_create('x', id_type => 'javascript', layout => 'session');
CREATE SEQUENCE s;
SELECT idgen_create('x', id_type => 'javascript', source => 'sequence', source_name => 's');
-- gives: ERROR 22023: ids with layout "session" do not fit id_type "javascript"
-- gives: ERROR 22023: id_type "javascript" needs source "table"

-- claim: It cannot be given together with max_value.
SELECT idgen_create('x', id_type => 'javascript', max_value => 5);
-- gives: ERROR 22023: max_value and id_type cannot be given both

-- claim: UPDATE does the same for an id sequence that exists.
SELECT idgen_create('old');
UPDATE id_sequences SET max_value = 9007199254740991 WHERE name = 'old' RETURNING max_value;
-- gives: 9007199254740991
