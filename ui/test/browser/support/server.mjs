// `qp serve`, on a free port.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { toEnd } from './ends.mjs';
import { QP } from './programs.mjs';

/** Longer than a server needs to begin on a slow machine, in milliseconds. */
const PATIENCE = 60_000;

/**
 * Starts a server and waits for the address that it prints.
 * @param {string[]} args of `qp serve`
 * @param {string} cwd
 */
export async function serve(args, cwd) {
    const child = spawn(QP, ['serve', ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    const end = toEnd(() => {
        child.kill('SIGTERM');
    });
    let said = '';
    const address = await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no address:\n${said}`)), PATIENCE);
        const hear = text => {
            said += text;
            const found = /http:\/\/\S+token=\w+/.exec(said);
            if (found !== null) {
                clearTimeout(timer);
                resolve(found[0]);
            }
        };
        child.stdout.setEncoding('utf8').on('data', hear);
        child.stderr.setEncoding('utf8').on('data', hear);
        child.on('exit', () => reject(new Error(`qp serve has ended:\n${said}`)));
    });
    const { origin, port } = new URL(address);
    return {
        address,
        origin,
        port,
        /** Ends it and waits until its port is free. */
        async end() {
            await end();
            await ended;
        },
    };
}
