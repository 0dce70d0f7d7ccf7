// Where the extension looks for `qp`.

'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const { fileOf, ownProgram } = require('../src/program');

test('a program is the own one, one of the path, or a file', t => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'querypoint-'));
    t.after(() => fs.rmSync(folder, { recursive: true }));
    assert.equal(ownProgram(folder), undefined);
    const own = path.join(folder, 'bin', 'qp');
    fs.mkdirSync(path.dirname(own));
    fs.writeFileSync(own, '');
    assert.equal(ownProgram(folder), own);
    assert.equal(fileOf(own), own);
    assert.equal(fileOf(path.join(folder, 'qp')), undefined);

    const before = process.env.PATH;
    t.after(() => (process.env.PATH = before));
    process.env.PATH = [folder, path.dirname(own)].join(path.delimiter);
    assert.equal(fileOf('qp'), own);
    assert.equal(fileOf('no-such-program'), undefined);
});
