// What the programs for npm's packages have in common.

exports.ROWS = 1000;

// Eight at once, each 25 times; all that they answer
exports.eightAtOnce = async insert => {
	const many = async () => {
		const ids = [];
		for (let i = 0; i < 25; i++)
			ids.push(await insert());
		return ids;
	};
	return (await Promise.all(Array.from({ length: 8 }, many))).flat();
};

// The version of a package, which package.json says exactly
exports.versionOf = name => require('./package.json').dependencies[name];

// The migration that moves a column, or moves it back, in the words of SQL
exports.adopt = "SELECT idgen.idgen_adopt('legacy', 'id')";
exports.release = "SELECT idgen.idgen_release('legacy', 'id', 'serial')";

// Runs the stage that the command line names; prints what it answers.
exports.run = async stages => {
	const [stage, ...args] = process.argv.slice(2);
	const answer = stages[stage] && await stages[stage](...args);

	if (answer !== undefined)
		console.log([answer].flat().join('\n'));
	process.exit(0);
};

process.on('unhandledRejection', error => {
	console.error(error);
	process.exit(1);
});
