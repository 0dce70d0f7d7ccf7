// Operations that were not executed, and would have changed an object.

import { computed, signal } from '@preact/signals';
import { get, post } from '../api/client';
import type { Confirmation, Omissions, OmissionsFound, OmissionsRequest, Suggestion } from '../api/tools';
import type { Place } from '../api/types';
import { ofTrace } from './asking';
import { outdateEvents } from './events';
import { tool } from './layout';
import { attempt, generation } from './session';
import { outdateTree } from './tree';
import { counted } from '../model/shape';
import { resource } from './resource';

const loaded = resource(
    () => `${generation.value}`,
    // A search that was cleared while it worked leaves `null`.
    async signal => (await get<Omissions | null>('omissions', {}, signal)) ?? { none: true as const },
);

/** The suggestions that were found; `undefined` if nothing was asked. */
export const omissions = computed<OmissionsFound | undefined>(() => {
    const all = loaded.state.value.value;
    return all !== undefined && 'suggestions' in all ? all : undefined;
});

/** Whether the search goes on, and why the last one failed. */
export const omissionsState = computed(() => {
    const all = loaded.state.value.value;
    return all !== undefined && !('none' in all)
        ? { isWorking: all.state === 'working', error: all.error }
        : { isWorking: false, error: undefined };
});

/** Methods whose suggestions are not shown. */
export const hidden = signal<ReadonlySet<string>>(new Set());

export function methodOf({ jump }: Suggestion): string {
    return `${jump.class}.${jump.method}`;
}

export const shownSuggestions = computed(() =>
    (omissions.value?.suggestions ?? []).filter(found => !hidden.value.has(methodOf(found))),
);

function outdate(): void {
    outdateTree();
    outdateEvents();
}

export function reloadOmissions(): void {
    loaded.reload();
    outdate();
}

let last: OmissionsRequest | undefined;
/** Number of searches that were begun or cleared. */
let searches = 0;

/** The options of the last search. */
export const askedOptions = (): Partial<OmissionsRequest> => last ?? {};

export const canAskAgain = (): boolean => last !== undefined;

/** Asks what should have happened to the object of a variable. */
export async function askOmissions(
    place: Place,
    what: string,
    more: Partial<OmissionsRequest> = {},
): Promise<void> {
    const request: OmissionsRequest = { ...place, what, ...more };
    tool.value = 'omissions';
    searches += 1;
    const search = searches;
    const found = await attempt(() => post<Omissions>('omissions', { ...ofTrace(), ...request }));
    if (found !== undefined && search === searches) {
        last = request;
        hidden.value = new Set();
        loaded.set(found);
        outdate();
    }
}

/** Asks again with other options. */
export async function askOmissionsAgain(more: Partial<OmissionsRequest>): Promise<void> {
    if (last !== undefined) {
        const { call, event, what, ...options } = last;
        await askOmissions({ call, ...(event !== undefined && { event }) }, what, { ...options, ...more });
    }
}

export function hideMethod(method: string): void {
    hidden.value = new Set([...hidden.value, method]);
}

export function showAllMethods(): void {
    hidden.value = new Set();
}

/** Runs the program again and makes the jump of a suggestion go the other way. */
export async function tryOtherWay(number: number, want: string | undefined): Promise<void> {
    const answer = await attempt(() =>
        post<Omissions>('omissions/try', { number, ...(want !== undefined && { want }) }),
    );
    if (answer !== undefined) {
        loaded.set(answer);
    }
}

export function confirmationText({ verdict, found, text, flipped }: Confirmation): string {
    return (
        text ??
        [
            verdict?.replaceAll('-', ' '),
            found === undefined ? undefined : `found ${found}`,
            flipped === undefined ? undefined : `${counted(flipped, 'pass', 'passes')} went the other way`,
        ]
            .filter(part => part !== undefined)
            .join('; ')
    );
}

export async function clearOmissions(): Promise<void> {
    searches += 1;
    await attempt(() => post('omissions/clear', {}));
    reloadOmissions();
}

/** The suggestions whose jump is on a line of a class. */
export function suggestionsAt(of: string, line: number): Suggestion[] {
    return shownSuggestions.value.filter(({ jump }) => jump.class === of && jump.line === line);
}
