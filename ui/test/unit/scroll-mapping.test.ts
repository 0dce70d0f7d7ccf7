import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    elementHeight,
    isMapped,
    lastOffset,
    offsetAt,
    offsetShowing,
    scrollTopAt,
    visibleRows,
} from '../../src/model/scroll-mapping';

const SHORT = { count: 1000, rowHeight: 24, view: 240 };
const LONG = { count: 10_000_000, rowHeight: 24, view: 240 };

test('a short list scrolls by pixels', () => {
    assert.equal(isMapped(SHORT), false);
    assert.equal(elementHeight(SHORT), 24_000);
    assert.equal(offsetAt(SHORT, 123), 123);
    assert.equal(scrollTopAt(SHORT, 123), 123);
});

test('a long list stays below the height that browsers allow', () => {
    assert.equal(isMapped(LONG), true);
    assert.ok(elementHeight(LONG) < 33_554_428);
});

test('both ends of a long list are reached', () => {
    assert.equal(offsetAt(LONG, 0), 0);
    const bottom = elementHeight(LONG) - LONG.view;
    assert.equal(offsetAt(LONG, bottom), lastOffset(LONG));
    assert.equal(visibleRows(LONG, offsetAt(LONG, bottom)).end, LONG.count);
});

test('a position of the scroll bar and its offset belong together', () => {
    for (const offset of [0, 24, 1_000_000, 120_000_007, lastOffset(LONG)]) {
        const again = offsetAt(LONG, scrollTopAt(LONG, offset));
        assert.ok(Math.abs(again - offset) <= 1, `${offset} became ${again}`);
    }
});

test('a row is shown with the least movement', () => {
    assert.equal(offsetShowing(SHORT, 240, 9), 216);
    assert.equal(offsetShowing(SHORT, 240, 12), 240);
    assert.equal(offsetShowing(SHORT, 240, 20), 264);
});

test('visible rows end with the list', () => {
    assert.deepEqual(visibleRows(SHORT, 0), { first: 0, end: 10 });
    assert.deepEqual(visibleRows(SHORT, 12), { first: 0, end: 11 });
    assert.deepEqual(visibleRows({ ...SHORT, count: 3 }, 0), { first: 0, end: 3 });
});
