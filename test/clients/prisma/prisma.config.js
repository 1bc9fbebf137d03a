// docs: config
const { defineConfig } = require('prisma/config');
const { PrismaPg } = require('@prisma/adapter-pg');

module.exports = defineConfig({
	schema: './current.prisma',
	experimental: { adapter: true },
	engine: 'js',
	adapter: async () => new PrismaPg({ connectionString: process.env.DATABASE_URL }),
});
// docs: end
