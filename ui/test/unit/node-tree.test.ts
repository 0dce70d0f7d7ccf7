import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Question, Shape } from '../../src/api/types';
import { NodeTree, type NodePart } from '../../src/model/node-tree';

const int = (value: number): Shape => ({ type: 'int', value });
const array = (object: number, ...elements: Shape[]): Shape => ({
    type: 'int[]',
    object,
    elements,
    truncated: false,
});
const object = (number: number, fields: Record<string, Shape>, truncated = false): Shape => ({
    type: 'Rec',
    object: number,
    fields,
    truncated,
});

function tree(
    entry: Record<string, Shape>,
    exit: Record<string, Shape>,
    more: Partial<Question> = {},
): NodeTree {
    return new NodeTree({
        question: 1,
        node: 6,
        class: 'A',
        method: 'm',
        descriptor: '()V',
        entry,
        exit,
        changed: [],
        ...more,
    });
}

function marks(parts: NodePart[]): Record<string, string> {
    return Object.fromEntries(parts.map(({ path, mark }) => [path, mark]));
}

test('a variable with another value is changed, and a reference to changed parts is marked as such', () => {
    const known = tree(
        { a: array(5, int(1)), la: int(0), c: array(4, int(1), int(2)) },
        { a: array(5, int(1)), la: int(2), c: array(4, int(1), int(9)) },
    );
    const variables = known.variables();
    assert.deepEqual(marks(variables), { a: 'same', la: 'changed', c: 'inside' });
    const elements = known.children(variables[2] as NodePart);
    assert.deepEqual(marks(elements), { 'c[0]': 'same', 'c[1]': 'changed' });
    assert.deepEqual(
        elements.map(({ address }) => address),
        ['@4[0]', '@4[1]'],
    );
});

test('the server knows parts by their names, and below a collection by their objects', () => {
    const account = object(42, { balance: int(5) });
    const map: Shape = {
        type: 'java.util.TreeMap',
        object: 25,
        elements: [{ key: { type: 'java.lang.String', value: 'bob' }, value: account }],
    };
    const self = { this: object(7, { accounts: map, sums: array(9, int(1)) }) };
    const known = tree(self, self, {
        changed: [
            { path: 'shop.Shop.open', old: null, new: int(1) },
            { path: 'System.out', old: null, new: int(1) },
        ],
    });
    const places: Record<string, string | undefined> = {};
    const add = (part: NodePart): void => {
        places[part.path] = part.place;
        known.children(part).forEach(add);
    };
    known.variables().forEach(add);
    assert.deepEqual(places, {
        'shop.Shop.open': 'shop.Shop.open',
        'System.out': undefined,
        this: undefined,
        'this.accounts': 'this.accounts',
        'this.accounts{"bob"}': '@25',
        'this.accounts{"bob"}.balance': '@42.balance',
        'this.sums': 'this.sums',
        'this.sums[0]': 'this.sums[0]',
    });
});

test('parts of two different objects are not compared', () => {
    const known = tree({ c: array(4, int(1)) }, { c: array(5, int(2)) });
    const [c] = known.variables();
    assert.equal(c?.mark, 'changed');
    assert.deepEqual(marks(known.children(c as NodePart)), { 'c[0]': 'same' });
});

test('what the question lists as changed is changed, also where values were cut', () => {
    const cut = object(7, {}, true);
    const known = tree(
        { this: cut },
        { this: cut },
        {
            changed: [{ path: 'this.root.left', old: null, new: int(1) }],
        },
    );
    const [self] = known.variables();
    assert.equal(self?.mark, 'inside');
    assert.equal(known.hasParts(self as NodePart), true);
    assert.equal(known.cutObject(self as NodePart)?.object, 7);
});

test('an object that occurs again has the parts of its first mention', () => {
    const again: Shape = { type: 'Rec', object: 7 };
    const known = tree(
        { r: object(7, { bar: int(1), self: again }) },
        { r: object(7, { bar: int(2), self: again }) },
    );
    const [r] = known.variables();
    const self = known.children(r as NodePart).find(({ name }) => name === 'self');
    assert.equal(self?.mark, 'inside');
    assert.deepEqual(marks(known.children(self as NodePart)), {
        'r.self.bar': 'changed',
        'r.self.self': 'inside',
    });
});

test('entries of maps are matched by their keys', () => {
    const pair = (key: string, value: number): Shape => ({
        key: { type: 'java.lang.String', value: key },
        value: int(value),
    });
    const known = tree(
        { m: array(3, pair('a', 1), pair('b', 2)) },
        { m: array(3, pair('b', 5), pair('a', 1)) },
    );
    const [m] = known.variables();
    assert.deepEqual(marks(known.children(m as NodePart)), { 'm{"a"}': 'same', 'm{"b"}': 'changed' });
});

test('the outcome and what was printed come first', () => {
    const known = tree(
        {},
        { i: int(1) },
        {
            result: int(3),
            changed: [{ path: 'System.out', old: { absent: true }, new: int(1) }],
        },
    );
    assert.deepEqual(
        known.variables().map(({ path, mark }) => `${path} ${mark}`),
        ['result same', 'System.out changed', 'i created'],
    );
});

test('what only class initialisers changed comes last, without its package', () => {
    const changed = [
        { path: 'org.acme.Shop.MAX', old: int(0), new: int(9), by_initialiser: true },
        { path: 'org.acme.Shop.open', old: int(0), new: int(1) },
    ];
    const parts = tree({ x: int(1) }, { x: int(1) }, { changed }).variables();
    assert.deepEqual(
        parts.map(({ name }) => name),
        ['Shop.open', 'x', 'Shop.MAX'],
    );
});

test('a static field has dots in its name', () => {
    const known = tree(
        { 'com.acme.Shop.open': int(0) },
        { 'com.acme.Shop.open': int(1) },
        {
            changed: [{ path: 'com.acme.Shop.open', old: int(0), new: int(1) }],
        },
    );
    assert.deepEqual(marks(known.variables()), { 'com.acme.Shop.open': 'changed' });
});

test('parts of the outcome are asked about by their object, since the outcome is no variable', () => {
    const known = tree({}, { label: object(6, { g: int(1) }) }, { result: object(6, { g: int(1) }) });
    const [result, label] = known.variables();
    assert.equal(result?.place, undefined);
    assert.deepEqual(
        known.children(result as NodePart).map(({ path, place }) => [path, place]),
        [['result.g', '@6.g']],
    );
    assert.deepEqual(
        known.children(label as NodePart).map(({ place }) => place),
        ['label.g'],
    );
});
