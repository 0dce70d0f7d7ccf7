// What the server says about a part of the selection, asked again whenever that part changes.

import { computed, effect, signal, untracked, type ReadonlySignal } from '@preact/signals';
import { isAborted, messageOf } from '../api/client';

export interface Loaded<T> {
    /** The newest answer. While another one is on its way, it is the one before. */
    value?: T;
    /** What `value` is the answer to. */
    key?: string;
    error?: string;
    loading: boolean;
}

export interface Resource<T> {
    state: ReadonlySignal<Loaded<T>>;
    /** Asks again for the same. */
    reload: () => void;
    /** Takes the answer to an action, which is newer than what is on its way. */
    set: (value: T) => void;
}

/**
 * Loads `load()` whenever `key()` changes, which reads signals; nothing if the key is `undefined`.
 * With a `delay` in milliseconds, keys that follow each other faster are one request.
 */
export function resource<T>(
    key: () => string | undefined,
    load: (signal: AbortSignal) => Promise<T>,
    delay = 0,
): Resource<T> {
    const state = signal<Loaded<T>>({ loading: false });
    const round = signal(0);
    const wantedKey = computed(key);
    let asked: string | undefined;
    let current: AbortController | undefined;
    effect(() => {
        const wanted = wantedKey.value;
        void round.value;
        asked = wanted;
        if (wanted === undefined) {
            state.value = { loading: false };
            return;
        }
        const before = state.peek();
        state.value = { ...before, loading: true };
        const abort = new AbortController();
        current = abort;
        const start = (): void =>
            void load(abort.signal).then(
                value => {
                    if (!abort.signal.aborted) {
                        state.value = { value, key: wanted, loading: false };
                    }
                },
                (error: unknown) => {
                    if (!abort.signal.aborted && !isAborted(error)) {
                        state.value = { error: messageOf(error), key: wanted, loading: false };
                    }
                },
            );
        // The first answer is wanted at once.
        const timer = delay === 0 || before.value === undefined ? undefined : setTimeout(start, delay);
        if (timer === undefined) {
            untracked(start);
        }
        return () => {
            clearTimeout(timer);
            abort.abort();
        };
    });
    return {
        state,
        reload: () => {
            if (asked !== undefined) {
                round.value += 1;
            }
        },
        set: value => {
            current?.abort();
            state.value = { value, ...(asked !== undefined && { key: asked }), loading: false };
        },
    };
}
