// Bundles each unit test and runs them all with node's test runner.

import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const UNIT = 'test/unit';

const files = (await readdir(UNIT)).filter(name => name.endsWith('.test.ts'));
const folder = await mkdtemp(path.join(tmpdir(), 'querypoint-ui-'));
try {
    await build({
        entryPoints: files.map(name => path.join(UNIT, name)),
        outdir: folder,
        outExtension: { '.js': '.mjs' },
        bundle: true,
        platform: 'node',
        format: 'esm',
        logLevel: 'warning',
    });
    const tests = files.map(name => path.join(folder, name.replace(/\.ts$/, '.mjs')));
    // Node.js 20 parses the last digits of a long only when asked; later ones do so always.
    const options = 'rawJSON' in JSON ? [] : ['--harmony-json-parse-with-source'];
    process.exitCode = spawnSync(process.execPath, [...options, '--test', ...tests], { stdio: 'inherit' }).status ?? 1;
} finally {
    await rm(folder, { recursive: true });
}
