// What the server serves, and whether it still does.

import { batch, computed, effect, signal } from '@preact/signals';
import { get, post, watchAnswers } from '../api/client';
import type { Session } from '../api/types';
import { resource, type Resource } from './resource';
import { begin, selectedTrace } from './selection';

/** Why the page has no server; `undefined` while it has one. */
export const lost = signal<string | undefined>(undefined);

const ENDED = 'The server has ended. Start `qp serve` again and open the address it prints.';

/** Rises when everything must be loaded again. */
export const generation = signal(0);
/** Rises when the server was started again: then it can have other recordings. */
export const restarts = signal(0);

/** The server cannot be reached, or it does not know this page. */
export function lose(): void {
    lost.value = ENDED;
}

/** The server is there, perhaps again. */
export function find(): void {
    if (lost.value !== undefined) {
        batch(() => {
            lost.value = undefined;
            restarts.value += 1;
            reloadEverything();
        });
    }
}

export function reloadEverything(): void {
    generation.value = generation.peek() + 1;
}

watchAnswers(status => {
    if (status === 0 || status === 401) {
        lose();
    } else {
        find();
    }
});

const loaded = resource(
    () => `${generation.value}`,
    signal => get<Session>('session', {}, signal),
);

export const session = computed(() => loaded.state.value.value);
export const sessionError = computed(() => loaded.state.value.error);
export const reloadSession = loaded.reload;

/** The recording that is shown. */
export const recording = computed(() =>
    session.value?.recordings.find(({ trace }) => trace === selectedTrace.value),
);

effect(() => {
    const start = recording.value?.start;
    if (start !== undefined) {
        begin(start);
    }
});

/** How far the shown recording was, when the server told it last. */
let known: string | undefined;

effect(() => {
    const state = recording.value?.state;
    if (state !== undefined) {
        // What was not recorded yet when a view asked for it may be there at the end of the program.
        if (known === 'recording' && state !== 'recording') {
            reloadEverything();
        }
        known = state;
    }
});

/** How long to wait before a failed answer is asked for again while the program runs, in milliseconds. */
const RETRY = 1000;

/** Asks again after a failure while the program runs: what is missing may be recorded by then. */
export function retryWhileRecording({ state, reload }: Pick<Resource<unknown>, 'state' | 'reload'>): void {
    // The program can end between a view's failure and the first answer about the session.
    let last: { of: number; wasRecording: boolean } | undefined;
    effect(() => {
        const { error, loading } = state.value;
        const now = recording.value?.state;
        const of = restarts.value;
        if (loading || error === undefined || now === undefined) {
            return undefined;
        }
        const isRecording = now === 'recording';
        if (!isRecording && last?.of === of && !last.wasRecording) {
            return undefined;
        }
        last = { of, wasRecording: isRecording };
        const timer = setTimeout(reload, isRecording ? RETRY : 0);
        return () => clearTimeout(timer);
    });
}

/** What the server is doing, in words; empty if nothing. */
const told = signal<string | undefined>(undefined);
export const doing = computed(() => told.value ?? session.value?.doing ?? '');

export function setDoing(text: string): void {
    told.value = text;
}

export interface Line {
    kind: 'output' | 'said' | 'failed';
    text: string;
}

/** Maximum number of lines that are kept of what was said and printed. */
const KEPT = 500;

/** What the server said and the program printed, newest last. */
export const lines = signal<Line[]>([]);

export function say(kind: Line['kind'], text: string): void {
    lines.value = [...lines.value, { kind, text }].slice(-KEPT);
}

export async function cancel(): Promise<void> {
    await attempt(() => post('cancel', {}));
}

/** Does what the user asked for. A failure is said where the user sees it. */
export async function attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
        // The answer to something that was cleared meanwhile is `null`.
        return (await action()) ?? undefined;
    } catch (error) {
        say('failed', error instanceof Error ? error.message : String(error));
        return undefined;
    }
}
