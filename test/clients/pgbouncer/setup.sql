-- What test/clients/setup.sql does not do: a channel, which "client" looks for
-- docs: channel
ALTER ROLE app IN DATABASE pgbouncer SET idgen.channel = 3;
-- docs: end
SELECT FROM idgen.idgen_create('channels', layout => 'prefixed');
