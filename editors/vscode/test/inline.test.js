// The names that the editor looks up behind the lines of a method.

'use strict';

const assert = require('node:assert');
const Module = require('node:module');
const { test } = require('node:test');

/** What the provider uses of the editor. */
const editor = {
    debug: { activeDebugSession: { type: 'querypoint' } },
    Range: class {
        constructor(line, from, _line, to) {
            Object.assign(this, { line, from, to });
        }
    },
    InlineValueVariableLookup: class {
        constructor(range, name) {
            Object.assign(this, { range, name });
        }
    },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? editor : load(name, ...rest));
const { InlineValues } = require('../src/inline');

const lines = [
    'int far = 1;',
    'int cost = price(n) + this.total; // not total',
    'names.add("item " + n + \'x\');',
    'later = cost;',
];

function names(first, stoppedAt) {
    const document = { lineAt: number => ({ text: lines[number] }) };
    const context = { stoppedLocation: { end: { line: stoppedAt } } };
    const values = new InlineValues().provideInlineValues(document, { start: { line: first } }, context);
    return values.map(({ range, name }) => {
        assert.strictEqual(lines[range.line].slice(range.from, range.to), name);
        return `${range.line} ${name}`;
    });
}

test('variables of the visible lines up to the current one are looked up', () => {
    assert.deepStrictEqual(names(1, 2), ['1 cost', '1 n', '2 names', '2 n']);
});

test('sessions of other debuggers are left alone', () => {
    editor.debug.activeDebugSession = { type: 'java' };
    assert.deepStrictEqual(names(0, 3), []);
});
