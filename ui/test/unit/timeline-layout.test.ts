import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '../../src/api/tools';
import { BAR, layOut, RUN_HEAD, STRIP } from '../../src/model/timeline-layout';

const run = (more: Partial<Run>): Run => ({
    run: 0,
    name: 'recording',
    kind: 'recording',
    lanes: [],
    points: [],
    rejected: [],
    arrows: [],
    ...more,
});

test('runs and lanes do not overlap', () => {
    const bar = { call: 1, method: 'A.m', from: 0, to: 1, calls: 1 };
    const { runs, height } = layOut(
        [
            run({
                lanes: [
                    {
                        thread: 'main',
                        bars: [
                            { ...bar, depth: 0 },
                            { ...bar, depth: 2 },
                        ],
                    },
                    { thread: 'other' },
                ],
            }),
            run({
                lanes: [{ thread: 'main' }],
                rejected: [{ of: 'A', lane: 0, at: 0, place: '', hit: 1, reason: '' }],
            }),
        ],
        at => at * 500,
    );
    const [first, second] = runs;
    assert.equal(first?.lanes[0]?.top, RUN_HEAD);
    assert.ok((first?.lanes[1]?.top ?? 0) >= RUN_HEAD + 3 * BAR);
    assert.ok((second?.top ?? 0) >= (first?.lanes[1]?.top ?? 0) + BAR);
    assert.ok((second?.lanes[0]?.top ?? 0) - (second?.top ?? 0) === RUN_HEAD + STRIP);
    assert.ok(height >= (second?.lanes[0]?.top ?? 0));
});

test('points that are close to each other stand above each other', () => {
    const point = (id: string, at: number): Run['points'][number] => ({
        id,
        at,
        lane: 0,
        question: '',
        located: true,
        kind: 'cause',
        label: id,
    });
    const { runs } = layOut(
        [
            run({
                lanes: [{ thread: 'main' }],
                points: [point('A', 0.5), point('B', 0.51), point('C', 0.9)],
            }),
        ],
        at => at * 500,
    );
    const places = runs[0]?.points;
    assert.notEqual(places?.get('A'), places?.get('B'));
    assert.equal(places?.get('A'), places?.get('C'));
});
