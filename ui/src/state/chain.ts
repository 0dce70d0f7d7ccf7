// The chain of questions that runs of the program answer.

import { computed, effect } from '@preact/signals';
import { get, post } from '../api/client';
import type { Chain, ChainAction, Origin } from '../api/tools';
import type { Place } from '../api/types';
import { ofTrace } from './asking';
import { events } from './events';
import { tool } from './layout';
import { resource } from './resource';
import { select } from './selection';
import { attempt, generation, reloadSession, say, session } from './session';
import { reloadTimeline } from './timeline';

const loaded = resource(
    () => `${generation.value}`,
    signal => get<Chain>('chain', {}, signal),
);

/** The chain; `undefined` if there is none. */
export const chain = computed(() => {
    const now = loaded.state.value.value;
    return now === undefined || now.state === 'none' ? undefined : now;
});
export const reloadChain = loaded.reload;

/** Whether the program runs for the chain. */
export const isRunning = computed(
    () => chain.value?.state === 'working' || chain.value?.state === 'running',
);

/** A served chain is what the page is for, so its tool is shown first. */
const stop = effect(() => {
    if (session.value !== undefined) {
        if (session.value.chain) {
            tool.value = 'chain';
        }
        queueMicrotask(() => stop());
    }
});

async function act(action: ChainAction): Promise<Chain | undefined> {
    tool.value = 'chain';
    const answer = await attempt(() => post<Chain>('chain', action));
    if (answer !== undefined) {
        loaded.set(answer);
        reloadTimeline();
        reloadSession();
    }
    return answer;
}

/** The chain once its run has ended. */
function ended(): Promise<Chain | undefined> {
    return new Promise(resolve => {
        const stop = effect(() => {
            if (!isRunning.value) {
                resolve(chain.value);
                // The effect may run before it is known how to stop it.
                queueMicrotask(() => stop());
            }
        });
    });
}

export const runChain = (): Promise<unknown> => act({ run: true });

/** Begins a chain at an event of the recording, which runs the program. */
export const startChain = (place: Place): Promise<unknown> => act({ start: place });

export function askChain(from: string, kind: string, of?: string): Promise<unknown> {
    return act({ ask: { from, kind, ...(of !== undefined && { of }) } });
}

/** Events that change a variable. */
const WRITES = ['local', 'field', 'element'];
/** Maximum number of events after a write among which a line is looked for. */
const NEAR = 20;

/**
 * Where the program halts with the values that the views show: these are right after an event, and it halts
 * before one. After a write that is the next line, unless something else is written or called before it.
 * `undefined` if there is no such place.
 */
async function haltWith({ call, event }: Place): Promise<Place | undefined> {
    const list = events.peek();
    const count = list?.count.peek() ?? 0;
    const at = event ?? count;
    if (list === undefined || at === 0) {
        return event === undefined ? undefined : { call, event };
    }
    const kind = async (of: number): Promise<string> => (await list.arrival(of - 1))?.kind ?? '';
    if (!WRITES.includes(await kind(at))) {
        return { call, event: at };
    }
    for (let next = at + 1; next <= Math.min(count, at + NEAR); next += 1) {
        const found = await kind(next);
        if (found === 'line') {
            return { call, event: next };
        }
        if (found === 'call' || WRITES.includes(found)) {
            return undefined;
        }
    }
    return undefined;
}

/** Where the program halts with the values that the views show; says so if there is no such place. */
async function halted(place: Place): Promise<Place | undefined> {
    const halt = await haltWith(place);
    if (halt === undefined) {
        say('failed', 'The program cannot halt right after this write. Select the next line.');
    }
    return halt;
}

/** Asks the recording where a value was computed, and goes there. */
export async function askOrigin(place: Place, variable: string): Promise<void> {
    const halt = await halted(place);
    if (halt === undefined) {
        return;
    }
    const found = await attempt(() => post<Origin>('origin', { ...ofTrace(), ...halt, variable }));
    if (found !== undefined) {
        say('said', found.text);
        if (found.selection !== null) {
            select(found.selection);
        }
    }
}

/** Asks a run where a value comes from: of the last point of a chain that begins where it is. */
export async function askOriginOfRun(place: Place, variable: string): Promise<void> {
    const halt = await halted(place);
    if (halt === undefined) {
        return;
    }
    if ((await act({ start: halt })) === undefined) {
        return;
    }
    const last = (await ended())?.points?.at(-1);
    if (last !== undefined) {
        await askChain(last.id, 'Origin', variable);
    }
}

export const collect = (point: string, expression: string): Promise<unknown> =>
    act({ collect: { point, expression } });

export const removePoint = (id: string): Promise<unknown> => act({ remove: id });
