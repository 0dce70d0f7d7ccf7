// From what the server calls a place to an event of a call.

import { get } from '../api/client';
import type { EventPlace, Place } from '../api/types';
import { attempt } from './session';
import { select, selectedTrace } from './selection';

/** Selects the event at a place of a call, or else what is given. The variable is chosen too, if there is one. */
export async function goToPlace(given: Place, place: string | undefined, path?: string): Promise<void> {
    const trace = selectedTrace.peek();
    const found =
        place === undefined
            ? given
            : await attempt(() => get<EventPlace>('event', { trace, call: given.call, place }));
    if (found !== undefined) {
        select({
            call: found.call,
            ...(found.event !== undefined && { event: found.event }),
            ...(path !== undefined && { path }),
        });
    }
}
