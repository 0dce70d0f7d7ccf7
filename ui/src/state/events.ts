// The events of the selected call.

import { computed, effect, signal } from '@preact/signals';
import { ApiError, get } from '../api/client';
import type { EventRow, Events } from '../api/types';
import { PAGE, PagedList } from './paged-list';
import { chosenRow, placeOf } from './node';
import { generation, say } from './session';
import { selectedCall, selectedEvent, selectedPath, selectedTrace } from './selection';

/** How often a call of which not all events are known yet is asked about again, in milliseconds. */
const AGAIN = 300;

/** The list of the selected call, with the events marked that change the chosen variable. */
export const events = signal<PagedList<EventRow, Events> | undefined>(undefined);

/** What all pages of the list say. While a list loads, it is that of the list before. */
export const eventsAbout = signal<Events | undefined>(undefined);

/** What no event writes to: the call's object, its outcome, and the streams. */
const UNWRITTEN = /^(this|result|exception|System\.(out|err))$/;

/** The chosen variable as the server knows it, unless no event writes to it. */
const marked = computed(() => {
    const path = selectedPath.value;
    const row = chosenRow.value;
    if (path !== undefined && row !== undefined) {
        return placeOf(row);
    }
    return path === undefined || UNWRITTEN.test(path) ? undefined : path;
});

/**
 * Which event decides what the chosen variable is: the one at which it was chosen, so that steps to other
 * events leave the marks as they are. A variable by its object needs none.
 */
const markEvent = computed(() => {
    void selectedCall.value;
    const path = selectedPath.value;
    return path === undefined || path.startsWith('@') ? undefined : selectedEvent.peek();
});

effect(() => {
    const trace = selectedTrace.value;
    const call = selectedCall.value;
    const mark = marked.value;
    const event = markEvent.value;
    void generation.value;
    if (call === undefined) {
        events.value = undefined;
        eventsAbout.value = undefined;
        return undefined;
    }
    let isMarked = mark !== undefined;
    const list: PagedList<EventRow, Events> = new PagedList(async (from, limit, aborted) => {
        const page = { trace, call, from, limit };
        if (isMarked) {
            try {
                return await get<Events>('events', { ...page, mark, mark_event: event }, aborted);
            } catch (error) {
                if (!(error instanceof ApiError) || error.status === 0 || error.status === 401) {
                    throw error;
                }
                // A variable that is not there leaves the events without marks.
                isMarked = false;
                say('failed', error.message);
            }
        }
        return get<Events>('events', page, aborted);
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const first = Math.floor((Math.max(selectedEvent.peek() ?? 1, 1) - 1) / PAGE);
    const refresh = async (page: number): Promise<void> => {
        await list.refresh(page);
        if (isOver) {
            return;
        }
        // The rows of the list before stay until the new ones are here.
        events.value = list;
        eventsAbout.value = list.answer.peek();
        if (list.answer.peek()?.complete === false) {
            timer = setTimeout(() => void refresh(page), AGAIN);
        }
    };
    void refresh(first);
    return () => {
        isOver = true;
        clearTimeout(timer);
        list.end();
    };
});

/** Asks for the rows again, since balloons have changed. */
export function outdateEvents(): void {
    events.peek()?.outdate();
}
