import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageCache } from '../../src/model/page-cache';

test('the page that was used longest ago goes', () => {
    const cache = new PageCache<string>(2);
    cache.set(1, 'one');
    cache.set(2, 'two');
    cache.get(1);
    cache.set(3, 'three');
    assert.equal(cache.get(2), undefined);
    assert.equal(cache.get(1), 'one');
    assert.equal(cache.size, 2);
});
