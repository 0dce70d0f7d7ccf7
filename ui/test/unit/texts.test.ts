import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../../src/api/client';
import type { EventRow } from '../../src/api/types';
import { queryOf, selectionOf } from '../../src/model/address';
import { addressOf, eventText, outcomeText } from '../../src/model/event-text';
import { cut, shapeText } from '../../src/model/shape';

const row = (kind: string, text: string): EventRow => ({ event: 1, kind, text });

test('events have the words of the server, with the names of the call', () => {
    const names = new Map([[4, 'c']]);
    assert.equal(eventText(row('element', 'int[]@4[2]: 7 → 9'), names), 'c[2]: 7 → 9');
    assert.equal(eventText(row('element', 'int[]@5[2]: 7 → 9'), names), 'int[]@5[2]: 7 → 9');
    assert.equal(eventText(row('contents', 'ArrayList@4: 7 put in at [1]'), names), 'c: 7 put in at [1]');
    assert.equal(eventText(row('contents', 'HashMap@4 holds []'), names), 'c holds []');
    assert.equal(eventText(row('local', 's = "x@4 y"'), names), 's = "x@4 y"');
    assert.match(eventText(row('local', `s = "${'x'.repeat(900)}"`)), /^s = "x{200,300}…$/);
    const call = { node: 3, class: 'a.B', method: '<init>', descriptor: '()V', arguments: ['1'], below: 0 };
    assert.equal(eventText({ ...row('call', 'call'), call }), 'call new B(1)');
    assert.equal(outcomeText({ ...call, exception: 'E@7' }), 'threw E@7');
});

test('the place of a write needs no variable', () => {
    const write = { method: 'm', thread: 'main', event: 'element', text: 'int[]@4[2]: 9' };
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
