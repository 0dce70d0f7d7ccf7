// The chain of questions that the server was started with.

import { computed } from '@preact/signals';
import { get, getText, post } from '../api/client';
import type { Chain, ChainAction } from '../api/tools';
import { resource } from './resource';
import { attempt, generation, session } from './session';
import { reloadTimeline } from './timeline';

const loaded = resource(
    () => session.value?.chain === true ? `${generation.value}` : undefined,
    signal => get<Chain>('chain', {}, signal),
);

export const chain = computed(() => loaded.state.value.value);
export const reloadChain = loaded.reload;

async function act(action: ChainAction): Promise<void> {
    if (await attempt(() => post('chain', action)) !== undefined) {
        loaded.reload();
        reloadTimeline();
    }
}

export const runChain = (): Promise<void> => act({ run: true });

export function askChain(from: string, kind: string, of?: string): Promise<void> {
    return act({ ask: { from, kind, ...(of !== undefined && { of }) } });
}

export const collect = (point: string, expression: string): Promise<void> =>
    act({ collect: { point, expression } });

export const removePoint = (id: string): Promise<void> => act({ remove: id });

/** The text of the chain's file. */
export const chainFile = (): Promise<string | undefined> => attempt(() => getText('chain.ron'));
