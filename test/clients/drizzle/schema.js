const note = process.env.WITH_NOTE;

// docs: schema
const { sql } = require('drizzle-orm');
const { bigint, integer, pgTable, serial, text } = require('drizzle-orm/pg-core');

const legacyBefore = { id: serial('id').primaryKey(), item: text('item') };

// once idgen_adopt has moved the column
const legacyAfter = {
	id: integer('id').primaryKey().default(sql`idgen.idgen_next('public.legacy.id'::text)`),
	item: text('item'),
};

exports.parts = pgTable('parts', {
	id: bigint('id', { mode: 'number' }).primaryKey().default(sql`idgen.idgen_next('parts'::text)`),
	item: text('item'),
});
// docs: end

exports.legacy = pgTable('legacy', {
	...process.env.ADOPTED ? legacyAfter : legacyBefore,
	...note ? { note: text('note') } : {},
});
