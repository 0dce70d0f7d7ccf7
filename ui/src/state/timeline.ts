// The timeline of all runs, and the part of it that is shown.

import { computed, effect, signal } from '@preact/signals';
import { get } from '../api/client';
import type { TimelineData } from '../api/tools';
import { resource } from './resource';
import { generation } from './session';
import { selection } from './selection';

export interface Span {
    from: number;
    to: number;
}

/** The shown part, as fractions of the whole run. */
export const span = signal<Span>({ from: 0, to: 1 });
/** The width of the picture in pixels: the server leaves out what is narrower than one. */
export const pictureWidth = signal(500);

/**
 * The timeline follows the other views a little later, so that steps stay fast. In milliseconds: longer than
 * the time between two steps of a held key, so that it is asked for when the key is let go.
 */
const DELAY = 40;

const loaded = resource(
    () => {
        const { trace, call, event } = selection.value;
        const { from, to } = span.value;
        return [generation.value, trace, call, event, from, to, pictureWidth.value].join(' ');
    },
    signal => {
        const { trace, call, event } = selection.peek();
        const { from, to } = span.peek();
        return get<TimelineData>(
            'timeline',
            {
                trace,
                from,
                to,
                width: pictureWidth.peek(),
                ...(call !== undefined && { call, event }),
            },
            signal,
        );
    },
    DELAY,
);

export const timeline = loaded.state;
export const reloadTimeline = loaded.reload;
export const selectionAt = computed(() => timeline.value.value?.selection_at);

/** Where points of a replay are in the recording is known a little after both; asked for again, in milliseconds. */
const AGAIN = 300;
/** How often at most: of a point that the recording does not have it is never known. */
const ATTEMPTS = 10;
let attempts = ATTEMPTS;

function hasUnknownPoints({ runs }: TimelineData): boolean {
    const isRecorded = runs.some(({ kind }) => kind === 'recording');
    return (
        isRecorded && runs.some(({ points }) => points.some(point => point.located && point.selection === undefined))
    );
}

effect(() => {
    const { value, loading } = loaded.state.value;
    if (loading || value === undefined) {
        return undefined;
    }
    if (!hasUnknownPoints(value)) {
        attempts = ATTEMPTS;
        return undefined;
    }
    attempts -= 1;
    if (attempts < 0) {
        return undefined;
    }
    const timer = setTimeout(loaded.reload, AGAIN);
    return () => clearTimeout(timer);
});

/** The narrowest part that can be shown. */
const NARROWEST = 1e-9;

function show(from: number, width: number): void {
    const bounded = Math.min(1, Math.max(NARROWEST, width));
    const start = Math.min(1 - bounded, Math.max(0, from));
    span.value = { from: start, to: start + bounded };
}

/** Zooms by a factor below 1 to come nearer; `at` keeps its place in the picture. */
export function zoom(factor: number, at?: number): void {
    const { from, to } = span.value;
    const fixed = at ?? selectionInside() ?? (from + to) / 2;
    show(fixed - (fixed - from) * factor, (to - from) * factor);
}

function selectionInside(): number | undefined {
    const at = selectionAt.value;
    const { from, to } = span.value;
    return at !== undefined && at >= from && at <= to ? at : undefined;
}

/** Moves the shown part by a fraction of its width. */
export function pan(by: number): void {
    const { from, to } = span.value;
    show(from + by * (to - from), to - from);
}

export function showWholeRun(): void {
    span.value = { from: 0, to: 1 };
}

export function showSpan({ from, to }: Span): void {
    show(Math.min(from, to), Math.abs(to - from));
}

/** Brings the selection into the middle, nearer than before. */
export function showSelection(): void {
    const at = selectionAt.value;
    if (at !== undefined) {
        const { from, to } = span.value;
        const width = Math.min(to - from, 1) / 4;
        show(at - width / 2, width);
    }
}
