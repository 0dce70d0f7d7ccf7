// Brings package-lock.json up to date, and takes out of it where packages come from and who pays for them.
// The hashes stay: npm checks them, whatever registry it asks.

import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';

const LOCK = 'package-lock.json';

const { status } = spawnSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], {
    stdio: 'inherit',
});
if (status !== 0) {
    process.exit(status ?? 1);
}
const lock = JSON.parse(await readFile(LOCK, 'utf8'));
for (const about of Object.values(lock.packages)) {
    delete about.resolved;
    delete about.funding;
}
await writeFile(LOCK, `${JSON.stringify(lock, undefined, 2)}\n`);
