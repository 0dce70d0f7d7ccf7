// The one selection that all views follow. The address of the page holds it, so back, forward and links work.

import { computed, signal } from '@preact/signals';
import { queryOf, selectionOf, type Selection } from '../model/address';

const current = signal<Selection>(selectionOf(location.search));

export const selection = computed(() => current.value);
export const selectedTrace = computed(() => current.value.trace);
export const selectedCall = computed(() => current.value.call);
export const selectedEvent = computed(() => current.value.event);
export const selectedPath = computed(() => current.value.path);

addEventListener('popstate', () => {
    current.value = selectionOf(location.search);
});

function go(next: Selection, replaces: boolean): void {
    const query = queryOf(next);
    if (query === queryOf(current.value)) {
        return;
    }
    if (replaces) {
        history.replaceState(null, '', query);
    } else {
        history.pushState(null, '', query);
    }
    current.value = next;
}

function at(place: { call: number; event?: number; path?: string }): Selection {
    const { trace, call, path } = current.value;
    const kept = place.path ?? (call === place.call ? path : undefined);
    return {
        trace,
        call: place.call,
        ...(place.event !== undefined && { event: place.event }),
        ...(kept !== undefined && { path: kept }),
    };
}

/** Selects a call or one of its events. A variable stays chosen only within its call. */
export function select(place: { call: number; event?: number; path?: string }): void {
    stepped = -Infinity;
    go(at(place), false);
}

/** Selects where the page begins, if the address selects nothing. */
export function begin(place: { call: number; event?: number }): void {
    if (current.value.call === undefined) {
        go(at(place), true);
    }
}

/** Steps that follow each other within this time are one entry in the history of the browser. */
const STEPS = 1000;
let stepped = -Infinity;

/** Selects the next row while a key is pressed again and again. */
export function step(place: { call: number; event?: number }): void {
    const now = performance.now();
    go(at(place), now - stepped < STEPS);
    stepped = now;
}

/** Chooses a variable of the selected call, or none. */
export function choose(path: string | undefined): void {
    const { path: _, ...rest } = current.value;
    go(path === undefined ? rest : { ...rest, path }, false);
}

/** Shows another recording. */
export function selectTrace(trace: number): void {
    go({ trace }, false);
}
