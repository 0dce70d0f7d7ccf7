import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    closeBelow,
    indexOf,
    locate,
    newList,
    openBelow,
    visibleCount,
    type OpenList,
} from '../../src/model/tree-rows';

/** A tree with lists open in the middle, at the end and inside each other. */
function example(): OpenList<string> {
    const root = newList('root', 5);
    const first = newList('first', 3);
    const inner = newList('inner', 2);
    openBelow(root, 4, newList('last', 1));
    openBelow(root, 1, first);
    openBelow(first, 2, inner);
    return root;
}

test('open lists add their rows', () => {
    assert.equal(visibleCount(example()), 5 + 3 + 2 + 1);
});

test('each visible row is found', () => {
    const root = example();
    const found = Array.from({ length: visibleCount(root) }, (_, index) => {
        const at = locate(root, index);
        return `${at?.list.key} ${at?.row} ${at?.depth} ${at?.parent ?? '-'}`;
    });
    assert.deepEqual(found, [
        'root 0 0 -',
        'root 1 0 -',
        'first 0 1 1',
        'first 1 1 1',
        'first 2 1 1',
        'inner 0 2 4',
        'inner 1 2 4',
        'root 2 0 -',
        'root 3 0 -',
        'root 4 0 -',
        'last 0 1 9',
    ]);
    assert.equal(locate(root, visibleCount(root)), undefined);
});

test('the row of a path is where the path is found', () => {
    const root = example();
    assert.equal(indexOf(root, [1, 2, 1]), 6);
    assert.equal(indexOf(root, [3]), 8);
    assert.equal(indexOf(root, [4, 0]), 10);
    assert.equal(indexOf(root, [2, 0]), undefined);
});

test('closing takes the rows of lists inside too', () => {
    const root = example();
    closeBelow(root, 1);
    assert.equal(visibleCount(root), 6);
    assert.equal(locate(root, 2)?.row, 2);
});

test('ten million rows below one call cost nothing', () => {
    const root = newList('root', 1);
    const calls = newList('calls', 10_000_000);
    openBelow(root, 0, calls);
    openBelow(calls, 9_999_998, newList('below', 3));
    assert.equal(visibleCount(root), 10_000_004);
    assert.equal(locate(root, 10_000_003)?.row, 9_999_999);
    assert.equal(indexOf(root, [0, 9_999_998, 2]), 10_000_002);
});

test('a list that is open already is replaced', () => {
    const root = newList('root', 2);
    openBelow(root, 0, newList('old', 5));
    openBelow(root, 0, newList('new', 1));
    assert.equal(visibleCount(root), 3);
    assert.equal(locate(root, 0)?.below?.key, 'new');
});
