#!/usr/bin/env node
// Runs the program `qp` of the package for this platform.
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const name = `@querypoint/${process.platform}-${process.arch}`;

function program() {
    try {
        return require.resolve(`${name}/bin/qp`);
    } catch {
        console.error(
            `querypoint: the package ${name} is not installed. Either npm left optional packages out, and ` +
                '`npm install --include=optional querypoint` installs it, or there is none for this platform; ' +
                'docs/install.md says how to build `qp` from source.',
        );
        process.exit(4);
    }
}

const child = spawn(program(), process.argv.slice(2), { stdio: 'inherit' });
// The terminal sends its signals to `qp` as well; this process waits for what `qp` makes of them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
        if (signal !== 'SIGINT') {
            child.kill(signal);
        }
    });
}
child.on('error', error => {
    console.error(`querypoint: ${error.message}`);
    process.exit(4);
});
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
