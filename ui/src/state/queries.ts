// Queries over the whole run.

import { computed, signal } from '@preact/signals';
import { get, post } from '../api/client';
import type { QueryAnswer, QueryHelp, QueryRow } from '../api/tools';
import { ofTrace } from './asking';
import { goToPlace } from './place';
import { resource } from './resource';
import { attempt, generation } from './session';

const loaded = resource(
    () => `${generation.value}`,
    signal => get<QueryHelp>('queries', {}, signal),
);

export const queryHelp = computed(() => loaded.state.value.value);
/** The answer to the last line. */
export const queryAnswer = signal<QueryAnswer | undefined>(undefined);
export const isAsking = signal(false);

const askedHere = signal<string[]>([]);
/** Lines that were asked, the oldest first; those of other tabs too. */
export const askedLines = computed(() => {
    const here = askedHere.value;
    return [...(queryHelp.value?.saved ?? []).filter(line => !here.includes(line)), ...here];
});
/** Maximum number of lines that are kept. */
const KEPT = 200;

export async function ask(line: string): Promise<void> {
    if (line !== ';') {
        askedHere.value = [...askedHere.value.filter(asked => asked !== line), line].slice(-KEPT);
    }
    isAsking.value = true;
    // A goal may be written as at the prompt of Prolog.
    const asked = line.replace(/^\?-\s*/, '');
    const answer = await attempt(() => post<QueryAnswer>('query', { ...ofTrace(), line: asked }));
    isAsking.value = false;
    if (answer !== undefined) {
        // The next solution goes below those before.
        const before = line === ';' ? (queryAnswer.peek()?.rows ?? []) : [];
        queryAnswer.value = { ...answer, rows: [...before, ...answer.rows] };
    }
}

/** Goes to the event of a row, if it has one. */
export async function goToRow({ selection, place }: QueryRow): Promise<void> {
    if (selection !== undefined) {
        await goToPlace(selection, place);
    }
}
