module.exports = { ...require('./drizzle.config.js'), out: './pulled' };
