// Programs to debug: copied into folders of their own, compiled and recorded.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { toEnd } from './ends.mjs';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The binary under test. */
export const QP = path.resolve(process.env.QP ?? path.join(ROOT, 'target/debug/qp'));

/** Longer than any run of these programs on a slow machine, in milliseconds. */
const PATIENCE = 120_000;

/** A folder that is deleted at the end. */
export function folder() {
    const made = mkdtempSync(path.join(process.env.QP_WEB_FOLDER ?? tmpdir(), 'querypoint-web-'));
    toEnd(() => rmSync(made, { recursive: true, force: true }));
    return made;
}

/**
 * Copies a folder of the repository, such as `examples/intro`, and compiles its Java files with debug
 * information into `classes`.
 * @param {string} from
 * @param {string} [into] where to put the copy
 */
export async function compiled(from, into = path.join(folder(), path.basename(from))) {
    cpSync(path.join(ROOT, from), into, { recursive: true });
    mkdirSync(path.join(into, 'classes'), { recursive: true });
    const sources = readdirSync(into).filter(name => name.endsWith('.java'));
    await run('javac', ['-g', '-encoding', 'UTF-8', '-d', 'classes', ...sources], {
        cwd: into,
        timeout: PATIENCE,
    });
    return into;
}

/**
 * Copies a file of the repository.
 * @param {string} from
 * @param {string} to
 */
export function copied(from, to) {
    mkdirSync(path.dirname(to), { recursive: true });
    cpSync(path.join(ROOT, from), to);
}

/**
 * Records a program at level `all` and returns the folder of its recording, below `cwd`.
 * @param {string} cwd a folder that `compiled` has made
 * @param {string[]} command main class and arguments
 */
export async function recorded(cwd, command) {
    const trace = `${command[0]}.trace`;
    const java = ['java', '-cp', 'classes', ...command];
    await run(QP, ['trace', 'record', '--level', 'all', '-o', trace, '--', ...java], {
        cwd,
        timeout: PATIENCE,
    });
    return trace;
}
