// Builds the page: one script, one style sheet, and the licences of what they contain.
//
//     node build.mjs [--out FOLDER]      by default into dist/

import { build } from 'esbuild';
import { copyFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { out } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } }).values;
const STATIC = 'static';

const built = await build({
    entryPoints: ['src/main.tsx', 'src/style/page.css'].map(file => ({ in: file, out: 'app' })),
    outdir: out,
    bundle: true,
    minify: true,
    target: 'es2022',
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
});

await mkdir(out, { recursive: true });
for (const file of await readdir(STATIC)) {
    await copyFile(path.join(STATIC, file), path.join(out, file));
}
await writeFile(path.join(out, 'LICENSES.txt'), await licences(built.metafile));

/**
 * The licences of the packages in the bundle, in the order of their names.
 * @param {import('esbuild').Metafile} metafile
 */
async function licences(metafile) {
    const parts = [];
    for (const folder of packages(metafile)) {
        const about = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
        const file = (await readdir(folder)).find(name => /^licen[cs]e/i.test(name));
        if (file === undefined) {
            throw new Error(`${about.name} has no file with its licence`);
        }
        const text = (await readFile(path.join(folder, file), 'utf8')).trim();
        parts.push(`${about.name} ${about.version} (${about.license})\n\n${text}\n`);
    }
    return parts.join(`\n${'-'.repeat(80)}\n\n`);
}

/**
 * The folders of the packages in the bundle.
 * @param {import('esbuild').Metafile} metafile
 */
function packages(metafile) {
    const found = new Set();
    for (const input of Object.keys(metafile.inputs)) {
        const folder = /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
        if (folder !== undefined) {
            found.add(folder);
        }
    }
    return [...found].sort();
}
