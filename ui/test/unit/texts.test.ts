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
    assert.equal(eventText(row('throw', { object: 'E@7' })), 'throw E@7');
    assert.equal(
        eventText(row('text', { stream: 'System.out', name: 'print', new: '"a"' })),
        'System.out prints "a"',
    );
    const call = { node: 3, class: 'a.B', method: '<init>', descriptor: '()V', arguments: ['1'], below: 0 };
    assert.equal(eventText(row('call', { call })), 'call new B(1)');
    assert.equal(outcomeText({ ...call, exception: 'E@7' }), 'threw E@7');
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

test('a selection survives its address', () => {
    const selection = { trace: 1, call: 12, event: 4, path: 'm{"a&b"}' };
    assert.deepEqual(selectionOf(queryOf(selection)), selection);
    assert.deepEqual(selectionOf('?call=x&event=4'), { trace: 0 });
});

test('a long keeps its last digits', { skip: !('rawJSON' in JSON) }, () => {
    assert.deepEqual(parse('{"value":9223372036854775807,"small":3}'), {
        value: '9223372036854775807',
        small: 3,
    });
});
