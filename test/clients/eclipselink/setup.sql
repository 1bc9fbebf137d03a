-- What a superuser does besides test/clients/setup.sql
-- docs: setup
GRANT SELECT, UPDATE ON idgen.id_sequences_by_last_id TO app;
-- docs: end
