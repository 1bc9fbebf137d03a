// Prisma Migrate in WebAssembly reads catalogs, and does not know two types
// that they have, "char" and name, as the driver tells of them. So they are text.
const TEXT = 25;
const likeText = [18, 19];
const result = require('pg/lib/result').prototype;
const { addFields } = result;
result.addFields = function (fields) {
	for (const field of fields)
		if (likeText.includes(field.dataTypeID))
			field.dataTypeID = TEXT;
	return addFields.call(this, fields);
};

// docs: config
const { defineConfig } = require('prisma/config');
const { PrismaPg } = require('@prisma/adapter-pg');

module.exports = defineConfig({
	schema: './current.prisma',
	migrations: { path: './migrations' },
	experimental: { adapter: true },
	engine: 'js',
	adapter: async () => new PrismaPg({ connectionString: process.env.DATABASE_URL }),
});
// docs: end
