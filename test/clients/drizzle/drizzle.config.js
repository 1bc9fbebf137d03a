const { PGDATABASE, PGHOST, PGPORT, PGUSER } = process.env;

module.exports = {
	dialect: 'postgresql',
	schema: './schema.js',
	out: './migrations',
	dbCredentials: { url: `postgres://${PGUSER}@${PGHOST}:${PGPORT}/${PGDATABASE}` },
};
