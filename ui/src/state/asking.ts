// Questions about a value or a place that the recording answers: why is it so, and what led there.

import { post } from '../api/client';
import type { Why } from '../api/tools';
import type { Place } from '../api/types';
import { attempt, say } from './session';
import { select, selectedTrace } from './selection';
import { reloadTimeline } from './timeline';

/** The number of the recording, for requests about another one than the first. */
export function ofTrace(): { trace?: number } {
    const trace = selectedTrace.peek();
    return trace === 0 ? {} : { trace };
}

/** Where a place is, as a person writes it: `MergeSort.java:12`. */
export function placeText({
    file,
    line,
    method,
}: {
    file?: string;
    line?: number;
    method?: string;
}): string {
    const at = file === undefined ? (line === undefined ? '' : `line ${line}`) : `${file}:${line ?? '?'}`;
    return [method, at].filter(part => part !== undefined && part !== '').join(' ');
}

/** Asks why a variable has its value; without one, which condition or exception led there. */
export async function askWhy(place: Place, variable?: string): Promise<void> {
    const answer = await attempt(() =>
        post<Why>('why', { ...ofTrace(), ...place, ...(variable !== undefined && { variable }) }),
    );
    if (answer !== undefined) {
        say('said', answer.text);
        reloadTimeline();
        // In another call the variable has another name, if any.
        const isSameCall = answer.selection.call === place.call;
        select({ ...answer.selection, ...(isSameCall && variable !== undefined && { path: variable }) });
    }
}

/** Takes an asked point out of the timeline. */
export async function forget(asked: number): Promise<void> {
    await attempt(() => post('forget', { asked }));
    reloadTimeline();
}
