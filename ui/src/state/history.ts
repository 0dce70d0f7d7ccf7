// The history of one variable over the whole run.

import { batch, computed, signal } from '@preact/signals';
import { get } from '../api/client';
import type { History, Write } from '../api/types';
import { addressOf } from '../model/event-text';
import { resource } from './resource';
import { goToPlace } from './place';
import { generation } from './session';
import { selection } from './selection';

interface Asked {
    trace: number;
    call: number;
    event?: number;
    variable: string;
    limit: number;
}

/** Writes that are asked for at once. */
const LIMIT = 500;

const asked = signal<Asked | undefined>(undefined);

const loaded = resource(
    () => (asked.value === undefined ? undefined : `${generation.value} ${JSON.stringify(asked.value)}`),
    signal => get<History>('history', { ...asked.peek() }, signal),
);

export const history = loaded.state;
/** The variable that the history is of, as it was asked for. */
export const historyOf = computed(() => asked.value?.variable);
/** The row that was chosen last. */
export const historyRow = signal<number | undefined>(undefined);

/** Shows the history of a variable of the selected call. */
export function showHistory(variable: string): void {
    const { trace, call, event } = selection.peek();
    if (call !== undefined) {
        historyRow.value = undefined;
        batch(() => {
            asked.value = { trace, call, variable, limit: LIMIT, ...(event !== undefined && { event }) };
            // Asked for again, also if it is the same.
            loaded.reload();
        });
    }
}

/** Also shows earlier writes. */
export function showEarlier(): void {
    if (asked.value !== undefined) {
        historyRow.value = undefined;
        asked.value = { ...asked.value, limit: asked.value.limit * 4 };
    }
}

/** Goes to a write: its call, its event, and the variable by its object, since names differ between calls. */
export async function goToWrite(row: number, write: Write): Promise<void> {
    historyRow.value = row;
    const { call, place } = write;
    if (call !== undefined) {
        // A static field is the same in every call.
        const isStatic = write.object === undefined && write.event === 'field';
        const path = addressOf(write) ?? (isStatic ? history.peek().value?.variable : undefined);
        await goToPlace({ call }, place, path);
    }
}
