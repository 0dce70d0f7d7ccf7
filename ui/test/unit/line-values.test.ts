import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedValues } from '../../src/model/line-values';

const value = (name: string): { name: string; value: string } => ({ name, value: '1' });

test('objects have the names of variables', () => {
    assert.deepEqual(
        namedValues([value('Rec@13.bar'), value('Rec@17.bar'), value('i')], new Map([[17, 'record']])),
        [value('record.bar'), value('i')],
    );
});

test('without a name, the last values stay', () => {
    const values = Array.from({ length: 9 }, (_, index) => value(`int[9]@4[${index}]`));
    assert.deepEqual(namedValues(values, new Map()), values.slice(-6));
});
