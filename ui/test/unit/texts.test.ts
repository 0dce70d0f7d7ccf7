import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../../src/api/client';
import type { EventRow } from '../../src/api/types';
import { queryOf, selectionOf } from '../../src/model/address';
import { addressOf, eventText, outcomeText } from '../../src/model/event-text';
import { cut, shapeText } from '../../src/model/shape';

const row = (kind: string, more: Partial<EventRow>): EventRow => ({ event: 1, kind, ...more });

test('events read as in Java', () => {
    const names = new Map([[4, 'c']]);
    assert.equal(
        eventText(row('element', { object: 'int[4]@4', index: 2, old: '7', new: '9' }), names),
        'c[2] = 9 (was 7)',
    );
    assert.equal(
        eventText(row('field', { object: 'Rec@7', name: 'bar', new: '1', by: 'Unsafe.putInt' })),
        'Rec@7.bar = 1 by Unsafe.putInt',
    );
    assert.equal(
        eventText(row('field', { declared_by: 'com.acme.Shop', name: 'open', new: 'true' })),
        'Shop.open = true',
    );
    assert.equal(eventText(row('branch', { line: 10, to_line: 12 })), '→ line 12');
    assert.equal(eventText(row('throw', { object: 'E@7' })), 'throws E@7');
    assert.equal(eventText(row('start', { object: 'Thread@7', name: 'a' })), 'starts thread a (Thread@7)');
    const call = { node: 3, class: 'a.B', method: '<init>', descriptor: '()V', arguments: ['1'], below: 0 };
    assert.equal(eventText(row('call', { call })), 'call new B(1)');
    assert.equal(outcomeText({ ...call, exception: 'E@7' }), 'threw E@7');
});

test('changes of collections and texts are in the words of the command line', () => {
    const names = new Map([[4, 'seen']]);
    const contents = (name: string, more: Partial<EventRow>): string =>
        eventText(row('contents', { object: 'HashMap@4', name, ...more }), names);
    assert.equal(contents('all', { index: 0, items: [] }), 'seen holds []');
    assert.equal(contents('all', { index: 2, items: ['1'], keys: ['"a"'] }), 'seen holds too ["a" = 1]');
    assert.equal(contents('backed', { new: 'List@5' }), 'seen holds what List@5 holds');
    assert.equal(contents('insert', { index: 1, new: '7' }), 'seen: 7 put in at [1]');
    assert.equal(contents('set', { index: 1, new: '7' }), 'seen[1] = 7');
    assert.equal(contents('put', { key: '"a"', new: '7', by: 'Map.merge' }), 'seen["a"] = 7 by Map.merge');
    assert.equal(contents('last', { key: '"a"', new: '7' }), 'seen["a"] = 7, now the last one');
    assert.equal(contents('remove', { key: '"a"' }), 'seen: key "a" removed');
    assert.equal(contents('remove', { index: 0 }), 'seen: [0] removed');
    assert.equal(contents('remove', { old: '3' }), 'seen: 3 removed');
    assert.equal(contents('clear', {}), 'seen: all removed');
    const many = Array.from({ length: 14 }, (_, at) => String(at));
    assert.match(contents('all', { items: many }), /10, 11, … 2 more]$/);
    const text = (name: string, more: Partial<EventRow>): string =>
        eventText(row('text', { object: 'StringBuilder@4', name, ...more }), new Map([[4, 'out']]));
    assert.equal(text('print', { stream: 'System.out', new: '"a"' }), 'System.out printed "a"');
    assert.equal(text('whole', { new: '"a"' }), 'out holds "a"');
    assert.equal(text('same', { new: 'S@5' }), 'out has the text of S@5');
    assert.equal(text('change', { index: 2, inserted: 1, new: '"a"' }), 'out: "a" put in at [2]');
    assert.equal(text('change', { index: 2, removed: 3 }), 'out: 3 removed at [2]');
    assert.equal(text('change', { index: 2, removed: 3, inserted: 1, new: '"a"' }), 'out: 3 replaced by "a" at [2]');
});

test('the place of a write needs no variable', () => {
    const write = { method: 'm', thread: 'main', event: 'element' };
    assert.equal(addressOf({ ...write, object: 'int[4]@4', index: 2 }), '@4[2]');
    assert.equal(addressOf({ ...write, object: 'Rec@7', name: 'bar' }), '@7.bar');
    assert.equal(addressOf({ ...write, name: 'open' }), undefined);
});

test('values are cut', () => {
    assert.equal(cut('abcdef', 4), 'abc…');
    assert.equal(shapeText({ type: 'java.lang.String', value: 'a"b' }), '"a\\"b"');
    assert.equal(
        shapeText({ type: 'shop.Parcel$Label', object: 6, fields: { g: { type: 'int', value: 1 } } }),
        'Parcel.Label@6 {g: 1}',
    );
    assert.equal(
        shapeText({ type: 'int[][]', object: 9, elements: [], truncated: false }),
        'int[0][]@9 []',
    );
});

test('numbers read as in Java', () => {
    const read = (text: string): string => shapeText(parse(text) as Parameters<typeof shapeText>[0]);
    assert.equal(read('{"type": "long", "value": 5}'), '5L');
    if ('rawJSON' in JSON) {
        assert.equal(read('{"type":"double","value":-0.0}'), '-0.0');
        assert.equal(read('{"type":"java.lang.Float","value":3.0}'), '3.0f');
    }
    assert.equal(read('{"type":"float","value":"NaN"}'), 'NaN');
});

test('a selection survives its address', () => {
    const selection = { trace: 1, call: 12, event: 4, path: 'm{"a&b"}' };
    assert.deepEqual(selectionOf(queryOf(selection)), selection);
    assert.deepEqual(selectionOf('?call=x&event=4'), { trace: 0 });
});

test('a long keeps its last digits', () => {
    assert.deepEqual(parse('{"value":9223372036854775807,"small":3}'), {
        value: '9223372036854775807',
        small: 3,
    });
});
