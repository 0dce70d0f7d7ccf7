// The chain of questions that runs of the program answer.

import { computed, effect } from '@preact/signals';
import { get, post } from '../api/client';
import type { Chain, ChainAction } from '../api/tools';
import type { Place } from '../api/types';
import { tool } from './layout';
import { resource } from './resource';
import { attempt, generation, reloadSession, session } from './session';
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

/** Asks where a value comes from: of the last point of a chain that begins at the event. */
export async function askOrigin(place: Place, variable: string): Promise<void> {
    if ((await act({ start: place })) === undefined) {
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
