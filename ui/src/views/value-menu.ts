// What can be asked about a value.

import type { Place } from '../api/types';
import { openPopup, type PopupItem } from '../parts/popup';
import { askWhy } from '../state/asking';
import { askOrigin, askOriginOfRun } from '../state/chain';
import { answer, question } from '../state/diagnosis';
import { showHistory } from '../state/history';
import { askOmissions } from '../state/omissions';
import { session } from '../state/session';
import { choose, selection } from '../state/selection';
import { cut, objectNumber } from '../model/shape';

/** A value at the selected event. */
export interface AskedValue {
    /** Its path in the question about the call. */
    path: string;
    /** How the server knows its place otherwise; the outcome of a call has none. */
    place: string | undefined;
    text: string;
}

/** Opens the menu of a value. */
export function openValueMenu(at: Element, { path, place: variable, text }: AskedValue): void {
    const { call, event } = selection.peek();
    if (call === undefined) {
        return;
    }
    const place = { call, ...(event !== undefined && { event }) };
    const items: PopupItem[] = [
        ...(variable === undefined ? [] : placeItems(place, variable, text)),
        ...contentsItems(variable, text),
        ...(question.peek() === undefined
            ? []
            : [{ label: 'This is wrong', does: () => void answer('wrong', { path }) }]),
    ];
    openPopup(at, { title: `${cut(path, 60)} = ${cut(text)}`, items });
}

/** A collection or a builder has changes of its own, besides those of a variable that refers to it. */
function contentsItems(variable: string | undefined, text: string): PopupItem[] {
    const number = objectNumber(text);
    const holds = /^[^@[\s]+@\d+ ["[]/.test(text);
    return number === undefined || !holds || variable === `@${number}`
        ? []
        : [{ label: 'Show changes of its contents', does: () => showHistory(`@${number}`) }];
}

function placeItems(place: Place, variable: string, text: string): PopupItem[] {
    // Of an element the whole collection is asked about: which write was of the element is not known.
    const isCollection = /^@\d+$/.test(variable);
    const items: PopupItem[] = [
        {
            label: isCollection ? 'What changed the collection last?' : 'Why this value?',
            does: () => void askWhy(place, variable),
        },
        {
            label: isCollection ? 'Show changes of the collection' : 'Show history',
            does: () => showHistory(variable),
        },
        { label: 'Mark changes', does: () => choose(variable) },
    ];
    // Another run has other numbers of objects.
    const isNamed = !variable.startsWith('@');
    if (isNamed) {
        items.push({ label: 'Where does it come from?', does: () => void askOrigin(place, variable) });
    }
    if (isNamed && session.peek()?.can_run !== false) {
        items.push({
            label: 'Follow it through a run of the program',
            does: () => void askOriginOfRun(place, variable),
        });
    }
    if (isNamed && /@\d+/.test(text)) {
        items.push({
            label: 'What should have happened to it?',
            does: () => void askOmissions(place, variable),
        });
    }
    return items;
}
