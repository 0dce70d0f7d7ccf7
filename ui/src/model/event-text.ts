// Calls and events as text. The words of an event are the server's.

import type { CallShown, EventRow, Question, Write } from '../api/types';
import { cut, isObject, objectNumber, simpleName } from './shape';

/** Longest text of an event, in characters. */
const LONGEST = 300;

/** The names of variables by the number of the object that they refer to throughout the call. */
export type Names = Map<number, string>;

/** The variables that refer to the same object at both bounds of the node view. */
export function namesOf(question: Question | undefined): Names {
    const names: Names = new Map();
    for (const [name, now] of Object.entries(question?.exit ?? {})) {
        const old = question?.entry[name];
        if (isObject(now) && !names.has(now.object) && (!isObject(old) || old.object === now.object)) {
            names.set(now.object, name);
        }
    }
    return names;
}

/** A place such as `int[4]@4[2]`, or a text that begins with one, by the variable of the call: `c[2]`. */
export function placeName(place: string, names: Names): string {
    const found = /^[^"'\s@]*@(\d+)(?=[.[{: ])/.exec(place);
    const name = found === null ? undefined : names.get(Number(found[1]));
    return found === null || name === undefined ? place : name + place.slice(found[0].length);
}

/** A call as `merge(int[4]@5, 0, 2)`. */
export function callText({ class: of, method, arguments: values }: CallShown, room = 120): string {
    const name =
        method === '<init>' ? `new ${simpleName(of)}` : method === '<clinit>' ? `static {}` : method;
    return cut(`${name}(${values.join(', ')})`, room);
}

/** How a call ended: `→ 5`, `threw E@7`, or nothing for `void`. */
export function outcomeText({ result, exception, open }: CallShown, room = 80): string {
    if (exception !== undefined) {
        return cut(`threw ${exception}`, room);
    }
    if (open !== undefined) {
        return open;
    }
    return result === undefined ? '' : cut(`→ ${result}`, room);
}

/** An event in the words of the server, with the variables of the call for objects. */
export function eventText(row: EventRow, names: Names = new Map()): string {
    return row.call === undefined
        ? cut(placeName(row.text, names), LONGEST)
        : `call ${callText(row.call)} ${outcomeText(row.call)}`.trim();
}

/** The place that a write of a history wrote to, in the form in which any call can ask about it. */
export function addressOf({ object, index, name }: Write): string | undefined {
    if (object === undefined) {
        return undefined;
    }
    const number = objectNumber(object);
    const of = number === undefined ? object : `@${number}`;
    return index !== undefined ? `${of}[${index}]` : name === undefined ? undefined : `${of}.${name}`;
}
