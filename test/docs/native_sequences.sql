-- docs/sources.md, "Native sequences"

-- claim: INCREMENT BY is the block size: v stands for v to v + increment - 1.
CREATE SEQUENCE o_seq INCREMENT BY 20;
SELECT idgen_next('o', 'sequence');
-- gives: 1
SELECT first_id-1, last_id FROM idgen_cache WHERE name = 'o';
-- gives: 1|20

-- claim: A negative increment goes downwards.
CREATE SEQUENCE d_seq INCREMENT BY -10 MINVALUE 1 MAXVALUE 100 START 100;
SELECT idgen_next('d', 'sequence');
-- gives: 100
SELECT idgen_next('d', 'sequence');
-- gives: 99

-- claim: A block ends at MAXVALUE.
CREATE SEQUENCE m_seq INCREMENT BY 20 MAXVALUE 3;
SELECT idgen_next('m', 'sequence') FROM generate_series(1, 3);
-- gives: 1
-- gives: 2
-- gives: 3
SELECT idgen_next('m', 'sequence');
-- gives: ERROR 2200H: id sequence "m" is exhausted

-- claim: To make blocks smaller, start behind the last one.
CREATE SEQUENCE sm_seq INCREMENT BY 20;
SELECT idgen_next('sm', 'sequence');
-- gives: 1
ALTER SEQUENCE sm_seq INCREMENT BY 5 RESTART WITH 21;
SELECT idgen_next('sm', 'sequence');
-- gives: 21
SELECT max(idgen_next('sm', 'sequence')) FROM generate_series(1, 4);
-- gives: 25
SELECT idgen_next('sm', 'sequence');
-- gives: 26

-- claim: To make them larger, INCREMENT BY alone will do.
CREATE SEQUENCE la_seq INCREMENT BY 5;
SELECT idgen_next('la', 'sequence');
-- gives: 1
ALTER SEQUENCE la_seq INCREMENT BY 20;
SELECT idgen_next('la', 'sequence');
-- gives: 21
SELECT max(idgen_next('la', 'sequence')) FROM generate_series(1, 19);
-- gives: 40

-- claim: With INCREMENT BY 1, a refill calls nextval block_size times.
CREATE SEQUENCE i1_seq;
SELECT idgen_create('i1', source => 'sequence', source_name => 'i1_seq');
SELECT idgen_next('i1');
-- gives: 1
SELECT last_value FROM i1_seq;
-- gives: 20

-- claim: So with INCREMENT BY -1.
CREATE SEQUENCE i2_seq INCREMENT -1;
SELECT idgen_create('i2', source => 'sequence', source_name => 'i2_seq');
SELECT idgen_next('i2');
-- gives: -1
SELECT last_value FROM i2_seq;
-- gives: -20

-- claim: Others may call nextval meanwhile: their values are theirs.
SELECT nextval('i1_seq');
-- gives: 21
SELECT max(idgen_next('i1')) FROM generate_series(1, 19);
-- gives: 20
SELECT idgen_next('i1');
-- gives: 22

-- claim: Without a row, block_size is 1.
CREATE SEQUENCE nr_seq;
SELECT idgen_next('nr', 'sequence');
-- gives: 1
SELECT last_value FROM nr_seq;
-- gives: 1

-- claim: A refill takes at most 100,000 values.
CREATE SEQUENCE big_seq;
SELECT idgen_create('big', source => 'sequence', source_name => 'big_seq', block_size => 1000000);
SELECT idgen_next('big');
-- gives: 1
SELECT last_value FROM big_seq;
-- gives: 100000

-- claim: The row's next_block_start, max_value and exhausted are not used.
CREATE SEQUENCE nu_seq;
INSERT INTO id_sequences(name, next_block_start, max_value, exhausted, source, source_name) VALUES ('nu', 500, 2, 1, 'sequence', 'public.nu_seq');
SELECT idgen_next('nu');
-- gives: 1

-- claim: CYCLE is used.
CREATE SEQUENCE cy_seq MAXVALUE 3 CYCLE;
SELECT idgen_next('cy', 'sequence') FROM generate_series(1, 4);
-- gives: 1
-- gives: 2
-- gives: 3
-- gives: 1

-- claim: The type of the sequence is used.
CREATE SEQUENCE ty_seq AS smallint START 32767;
SELECT idgen_next('ty', 'sequence');
-- gives: 32767
SELECT idgen_next('ty', 'sequence');
-- gives: ERROR 2200H: id sequence "ty" is exhausted

-- claim: With CACHE n, a refill takes all n values.
CREATE SEQUENCE ca_seq INCREMENT BY 20 CACHE 20;
SELECT idgen_next('ca', 'sequence');
-- gives: 1
SELECT first_id, last_id FROM idgen_cache WHERE name = 'ca';
-- gives: 2|400

-- claim: They are in the cache for every session, also after DISCARD SEQUENCES.
DISCARD SEQUENCES;
SELECT idgen_next('ca', 'sequence');
-- gives: 2
\other SELECT idgen_next('ca', 'sequence');
-- gives: 3
SELECT last_value FROM ca_seq;
-- gives: 381

-- claim: A session that has called nextval itself leaves the rest of its values to its next refill.
CREATE SEQUENCE cn_seq CACHE 10;
SELECT nextval('cn_seq');
-- gives: 1
SELECT idgen_next('cn', 'sequence');
-- gives: 2
SELECT first_id, last_id FROM idgen_cache WHERE name = 'cn';
-- gives: 3|10

-- claim: The name is folded, or quoted, or qualified, as for nextval.
CREATE SEQUENCE fo_seq;
SELECT idgen_next('FO', 'sequence');
-- gives: 1
SELECT idgen_next('fo', 'sequence');
-- gives: 2
SELECT idgen_next('public.fo', 'sequence');
-- gives: 3
CREATE SEQUENCE "Fo_seq";
SELECT idgen_next('"Fo"', 'sequence');
-- gives: 1

-- claim: <name>_seq is looked for along the search_path at every call; each has its own cached ids.
CREATE SCHEMA t1;
CREATE SCHEMA t2;
CREATE SEQUENCE t1.pp_seq INCREMENT 20;
CREATE SEQUENCE t2.pp_seq INCREMENT 20 START 1001;
SET search_path = t1, public;
SELECT idgen_next('pp', 'sequence');
-- gives: 1
SET search_path = t2, public;
SELECT idgen_next('pp', 'sequence');
-- gives: 1001
SET search_path = t1, public;
SELECT idgen_next('pp', 'sequence');
-- gives: 2
RESET search_path;

-- claim: A row without source_name draws from <name>_seq.
CREATE SEQUENCE ws_seq;
SELECT idgen_create('ws', source => 'sequence');
SELECT idgen_next('ws');
-- gives: 1

-- claim: Drawing takes USAGE or UPDATE on the sequence.
CREATE ROLE r1;
CREATE SEQUENCE pr_seq INCREMENT 20;
SET ROLE r1;
SELECT idgen_next('pr', 'sequence');
-- gives: ERROR 42501
RESET ROLE;
GRANT SELECT ON pr_seq TO r1;
SET ROLE r1;
SELECT idgen_next('pr', 'sequence');
-- gives: ERROR 42501
RESET ROLE;
GRANT USAGE ON pr_seq TO r1;
SET ROLE r1;
SELECT idgen_next('pr', 'sequence');
-- gives: 1
RESET ROLE;
REVOKE ALL ON pr_seq FROM r1;
GRANT UPDATE ON pr_seq TO r1;
SET ROLE r1;
SELECT idgen_next('pr', 'sequence');
-- gives: 2
RESET ROLE;

-- claim: Drawing takes SELECT on id_sequences, too.
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE r1;
SELECT idgen_next('pr', 'sequence');
-- gives: ERROR 42501
RESET ROLE;
GRANT SELECT ON id_sequences TO PUBLIC;

-- claim: Two id sequences on one native sequence never get the same id.
CREATE SEQUENCE sh_seq INCREMENT 20;
SELECT idgen_create('sh1', source => 'sequence', source_name => 'sh_seq');
SELECT idgen_create('sh2', source => 'sequence', source_name => 'sh_seq');
SELECT idgen_next('sh1');
-- gives: 1
SELECT idgen_next('sh2');
-- gives: 21
SELECT idgen_next('sh1');
-- gives: 2

-- claim: ALTER SEQUENCE RESTART works at once in its transaction, for others at the commit.
CREATE SEQUENCE al_seq INCREMENT 20;
SELECT idgen_next('al', 'sequence');
-- gives: 1
BEGIN;
ALTER SEQUENCE al_seq RESTART 500;
SELECT idgen_next('al', 'sequence');
-- gives: 500
\other SET lock_timeout = '500ms'; SELECT idgen_next('al', 'sequence');
-- gives: ERROR 55P03
COMMIT;
SELECT idgen_next('al', 'sequence');
-- gives: 501

-- claim: DROP SEQUENCE drops what is cached.
CREATE SEQUENCE ds_seq INCREMENT 20;
SELECT idgen_next('ds', 'sequence');
-- gives: 1
DROP SEQUENCE ds_seq;
SELECT count(*) FROM idgen_cache WHERE name = 'ds';
-- gives: 0

-- claim: TRUNCATE RESTART IDENTITY drops what is cached.
CREATE TABLE ti(id bigint GENERATED BY DEFAULT AS IDENTITY (INCREMENT BY 20));
SELECT idgen_create('ti', source => 'sequence', source_name => 'ti_id_seq');
SELECT idgen_next('ti');
-- gives: 1
TRUNCATE ti RESTART IDENTITY;
SELECT idgen_next('ti');
-- gives: 1

-- claim: idgen_restart of a native sequence takes no more than setval does.
CREATE SEQUENCE ir_seq INCREMENT 20;
SELECT idgen_create('ir', source => 'sequence');
GRANT UPDATE ON ir_seq TO r1;
SET ROLE r1;
SELECT idgen_restart('ir', 9);
SELECT idgen_next('ir', 'sequence');
-- gives: 9
RESET ROLE;

-- claim: After RENAME, sessions look again.
CREATE SEQUENCE rn_seq INCREMENT 20;
SELECT idgen_next('rn', 'sequence');
-- gives: 1
ALTER SEQUENCE rn_seq RENAME TO rn2_seq;
SELECT idgen_next('rn', 'sequence');
-- gives: ERROR 42704

-- claim: A row whose sequence was renamed fails.
CREATE SEQUENCE rr_seq INCREMENT 20;
SELECT idgen_create('rr', source => 'sequence', source_name => 'rr_seq');
SELECT idgen_next('rr');
-- gives: 1
ALTER SEQUENCE rr_seq RENAME TO rr2_seq;
SELECT idgen_next('rr');
-- gives: ERROR 42P01

-- claim: Changing or deleting the row drops what is cached.
CREATE SEQUENCE kl_seq INCREMENT 20;
SELECT idgen_create('kl', source => 'sequence', source_name => 'kl_seq');
SELECT idgen_next('kl');
-- gives: 1
UPDATE id_sequences SET next_block_start = -5 WHERE name = 'kl';
SELECT count(*) FROM idgen_cache WHERE name = 'kl';
-- gives: 0
SELECT idgen_next('kl');
-- gives: 21
DELETE FROM id_sequences WHERE name = 'kl';
SELECT count(*) FROM idgen_cache WHERE name = 'kl';
-- gives: 0
SELECT idgen_create('kl', source => 'sequence', source_name => 'kl_seq');
SELECT idgen_next('kl');
-- gives: 41

-- claim: A plain setval is not noticed: what is cached goes out first.
CREATE SEQUENCE sv_seq INCREMENT 20;
SELECT idgen_next('sv', 'sequence');
-- gives: 1
SELECT idgen_next('sv', 'sequence');
-- gives: 2
DO $$ BEGIN PERFORM setval('sv_seq', 81); END $$;
SELECT max(idgen_next('sv', 'sequence')) FROM generate_series(1, 18);
-- gives: 20
SELECT idgen_next('sv', 'sequence');
-- gives: 101

-- claim: Temporary sequences work in read-only transactions; their ids are cached in the session.
CREATE TEMP SEQUENCE tmp_seq;
BEGIN READ ONLY;
SELECT idgen_next('tmp', 'sequence');
-- gives: 1
COMMIT;
SELECT cache FROM idgen_stats WHERE name = 'tmp';
-- gives: session

-- claim: lastval and currval see the values that refills draw, not the ids.
CREATE SEQUENCE lv_seq INCREMENT 20;
SELECT idgen_next('lv', 'sequence');
-- gives: 1
SELECT lastval();
-- gives: 1
SELECT currval('lv_seq');
-- gives: 1
SELECT idgen_next('lv', 'sequence');
-- gives: 2
SELECT currval('lv_seq');
-- gives: 1

-- claim: Without a row, idgen_last answers; idgen_peek and idgen_restart need the row.
SELECT idgen_last('lv');
-- gives: 2
SELECT idgen_peek('lv');
-- gives: ERROR 42704
SELECT idgen_restart('lv', 77);
-- gives: ERROR 42704
ALTER SEQUENCE lv_seq RESTART WITH 77;
SELECT idgen_next('lv', 'sequence');
-- gives: 77

-- claim: With CACHE above 1, idgen_peek cannot tell what comes next ...
CREATE SEQUENCE cp_seq CACHE 5;
SELECT idgen_create('cp', source => 'sequence', block_size => 1);
SELECT idgen_peek('cp');
-- gives: ERROR 55000

-- claim: ... but while ids are cached.
CREATE SEQUENCE cp2_seq CACHE 5 INCREMENT 20;
SELECT idgen_create('cp2', source => 'sequence');
SELECT idgen_next('cp2', 'sequence');
-- gives: 1
SELECT idgen_peek('cp2');
-- gives: 2

-- claim: At the end of a sequence that does not cycle, drawing fails.
CREATE SEQUENCE en_seq MAXVALUE 2;
SELECT idgen_next('en', 'sequence') FROM generate_series(1, 2);
-- gives: 1
-- gives: 2
SELECT idgen_next('en', 'sequence');
-- gives: ERROR 2200H: id sequence "en" is exhausted

-- claim: If the transaction rolls back, its ids are not given again.
CREATE SEQUENCE rb_seq INCREMENT 20;
BEGIN;
SELECT idgen_next('rb', 'sequence');
-- gives: 1
ROLLBACK;
SELECT idgen_next('rb', 'sequence');
-- gives: 2

-- claim: A row whose native sequence does not exist.
INSERT INTO id_sequences(name, next_block_start, source, source_name) VALUES ('nx', 1, 'sequence', 'nonex');
SELECT idgen_next('nx');
-- gives: ERROR 42P01

-- claim: A row whose source_name is no sequence.
CREATE TABLE notseq(i int);
INSERT INTO id_sequences(name, next_block_start, source, source_name) VALUES ('nx2', 1, 'sequence', 'notseq');
SELECT idgen_next('nx2');
-- gives: ERROR 42809

-- claim: idgen_create refuses a native sequence that does not exist.
SELECT idgen_create('nx3', source => 'sequence', source_name => 'nonex');
-- gives: ERROR 42P01

-- claim: A source_name with too many dots.
INSERT INTO id_sequences(name, next_block_start, source, source_name) VALUES ('nx4', 1, 'sequence', 'a.b.c.d.e');
-- gives: ERROR 42601

-- claim: A source_name that is no name.
INSERT INTO id_sequences(name, next_block_start, source, source_name) VALUES ('nx5', 1, 'sequence', '"abc');
-- gives: ERROR 42602

-- claim: Neither row nor sequence.
SELECT idgen_next('nowhere', 'sequence');
-- gives: ERROR 42704

-- claim: idgen_create stores the name of a sequence as it is given.
SELECT idgen_create('q1', source => 'sequence', source_name => 'o_seq');
SELECT source_name FROM id_sequences WHERE name = 'q1';
-- gives: o_seq

-- claim: idgen_peek at the end of a sequence.
CREATE SEQUENCE e_seq MAXVALUE 2;
SELECT idgen_create('e', source => 'sequence', block_size => 1);
SELECT idgen_next('e', 'sequence');
-- gives: 1
SELECT idgen_next('e', 'sequence');
-- gives: 2
SELECT idgen_peek('e');
-- gives: ERROR 2200H: id sequence "e" is exhausted

-- claim: idgen_restart revives a native sequence that is at its end.
SELECT idgen_restart('e', 1);
SELECT idgen_next('e', 'sequence');
-- gives: 1

-- claim: idgen_restart out of a native sequence's range.
SELECT idgen_restart('e', 77);
-- gives: ERROR 22003

-- claim: block_size does not count unless INCREMENT BY is 1.
CREATE SEQUENCE ib_seq INCREMENT 10;
SELECT idgen_create('ib', source => 'sequence', source_name => 'ib_seq', block_size => 500);
SELECT idgen_next('ib');
-- gives: 1
SELECT last_id FROM idgen_cache WHERE name = 'ib';
-- gives: 10

-- claim: idgen_create of a sequence that is not there.
SELECT idgen_create('ns', source => 'sequence', source_name => 'not_there');
-- gives: ERROR 42P01

-- claim: idgen_create without source_name, of a sequence that is not there yet.
SELECT idgen_create('ns2', source => 'sequence');
-- gives: ERROR 42P01
-- claim: Source table: if the transaction rolls back, its ids are issued a second time.
SELECT idgen_create('tb');
BEGIN;
SELECT idgen_next('tb');
-- gives: 1
ROLLBACK;
SELECT idgen_next('tb');
-- gives: 1

-- claim: The source of a row can be changed; cached ids of the old one are dropped.
CREATE SEQUENCE chs_seq;
SELECT idgen_create('chs');
SELECT idgen_next('chs');
-- gives: 1
UPDATE id_sequences SET source = 'sequence', source_name = 'chs_seq' WHERE name = 'chs';
SELECT count(*) FROM idgen_cache WHERE name = 'chs';
-- gives: 0

-- claim: Pooling pooled_lo: v stands for v to v + n - 1. It is the default, also where there is no row.
CREATE SEQUENCE p_lo_seq INCREMENT BY 50;
SELECT idgen_create('p_lo', source => 'sequence');
SELECT nextval('p_lo_seq');
-- gives: 1
SELECT idgen_next('p_lo');
-- gives: 51
DELETE FROM id_sequences WHERE name = 'p_lo';
SELECT idgen_next('p_lo', 'sequence');
-- gives: 101

-- claim: pooled: v stands for v - n + 1 to v; the first value stands for itself alone.
CREATE SEQUENCE p_hi_seq INCREMENT BY 50;
SELECT idgen_create('p_hi', source => 'sequence', pooling => 'pooled');
SELECT idgen_peek('p_hi'), idgen_next('p_hi');
-- gives: 1|1
SELECT idgen_next('p_hi');
-- gives: 2
SELECT last_value FROM p_hi_seq;
-- gives: 51
SELECT max(idgen_next('p_hi')) FROM generate_series(1, 49);
-- gives: 51
SELECT nextval('p_hi_seq');
-- gives: 101
SELECT idgen_next('p_hi');
-- gives: 102

-- claim: So does the first one after START WITH or RESTART WITH.
CREATE SEQUENCE p_st_seq START WITH 1000 INCREMENT BY 50;
SELECT idgen_create('p_st', source => 'sequence', pooling => 'pooled');
SELECT idgen_next('p_st'), idgen_next('p_st');
-- gives: 1000|1001
ALTER SEQUENCE p_st_seq RESTART WITH 5000;
SELECT idgen_next('p_st'), idgen_next('p_st');
-- gives: 5000|5001

-- claim: If idgen draws the first value of EclipseLink's START WITH 50 INCREMENT BY 50, 1 to 49 are a gap.
CREATE SEQUENCE p_el_seq START WITH 50 INCREMENT BY 50;
SELECT idgen_create('p_el', source => 'sequence', pooling => 'pooled');
SELECT idgen_next('p_el'), idgen_next('p_el');
-- gives: 50|51

-- claim: hilo: v stands for (v - 1) · n + 1 to v · n; n is INCREMENT BY, or the row's block_size if that is 1.
CREATE SEQUENCE p_no_seq;
SELECT idgen_create('p_no', source => 'sequence', pooling => 'hilo', block_size => 50);
SELECT nextval('p_no_seq');
-- gives: 1
SELECT idgen_next('p_no');
-- gives: 51
CREATE SEQUENCE p_wide_seq INCREMENT BY 50;
SELECT idgen_create('p_wide', source => 'sequence', pooling => 'hilo');
SELECT nextval('p_wide_seq'), nextval('p_wide_seq');
-- gives: 1|51
SELECT idgen_next('p_wide');
-- gives: 5001

-- claim: With hilo, max_value bounds the ids; ranges are no longer than n unless INCREMENT BY is 1.
SELECT idgen_next_range('p_wide', 51);
-- gives: ERROR 22023
SELECT idgen_next_range('p_no', 51);
-- gives: (52,102)
UPDATE id_sequences SET max_value = 210 WHERE name = 'p_no';
SELECT max(idgen_next('p_no')) FROM generate_series(1, 10);
-- gives: 210
SELECT idgen_next('p_no');
-- gives: ERROR 2200H: id sequence "p_no" is exhausted

-- claim: No id is below MINVALUE or above MAXVALUE; pooled ends with the last value up to MAXVALUE.
CREATE SEQUENCE p_max_seq INCREMENT BY 50 MAXVALUE 110;
SELECT idgen_create('p_max', source => 'sequence', pooling => 'pooled');
SELECT max(idgen_next('p_max')) FROM generate_series(1, 101);
-- gives: 101
SELECT idgen_next('p_max');
-- gives: ERROR 2200H

-- claim: A descending sequence can have no other pooling than pooled_lo.
CREATE SEQUENCE p_down_seq INCREMENT BY -50 START -1;
SELECT idgen_create('p_down', source => 'sequence', pooling => 'pooled');
SELECT idgen_next('p_down');
-- gives: ERROR 0A000

-- claim: idgen_restart makes its argument the next id, for other programs as well: with pooled, 1000 to 1049 belong to the next value.
SELECT idgen_restart('p_hi', 1000);
SELECT nextval('p_hi_seq');
-- gives: 1049
SELECT idgen_next('p_hi');
-- gives: 1050

-- claim: With hilo, it goes on where the next block begins, and a NOTICE says where.
UPDATE id_sequences SET max_value = 10000 WHERE name = 'p_no';
SELECT idgen_restart('p_no', 1000);
-- gives: NOTICE: the next id is 1001, where a block of sequence "p_no_seq" begins
SELECT idgen_next('p_no');
-- gives: 1001

-- claim: A change of pooling, or of block_size with hilo, drops what is cached.
UPDATE id_sequences SET block_size = 60 WHERE name = 'p_no';
SELECT count(*) FROM idgen_cache WHERE name = 'p_no';
-- gives: 0
UPDATE id_sequences SET pooling = 'pooled_lo' WHERE name = 'p_hi';
SELECT count(*) FROM idgen_cache WHERE name = 'p_hi';
-- gives: 0

-- claim: From pooled_lo to pooled, ids may be issued a second time; an UPDATE says so in a NOTICE.
UPDATE id_sequences SET pooling = 'pooled' WHERE name = 'p_hi';
-- gives: NOTICE: id sequence "p_hi" may issue ids a second time

-- claim: pooling is for source sequence only.
SELECT idgen_create('p_table', pooling => 'pooled');
-- gives: ERROR 0A000
INSERT INTO id_sequences(name, next_block_start, source, pooling) VALUES ('p_bad', 1, 'sequence', 'lo');
-- gives: ERROR 22023: invalid pooling "lo"
