// The text of an event, as in `c[2] = 9 (was 7)`.

import type { CallShown, EventRow, Question, Write } from '../api/types';
import { contentsText, textChangeText } from './contents-text';
import { cut, isObject, objectNumber, simpleName } from './shape';

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

function owner(object: string | undefined, names: Names): string | undefined {
    const number = objectNumber(object);
    return number === undefined ? object : (names.get(number) ?? object);
}

/** A place such as `int[4]@4[2]` by the variable of the call: `c[2]`. */
export function placeName(place: string, names: Names): string {
    const found = /^[^"'\s@]*@(\d+)(?=[.[{])/.exec(place);
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

/** What a write wrote to: `c[2]`, `Rec@7.bar`, `lc`. */
export function targetText(
    write: Pick<EventRow, 'object' | 'name' | 'index' | 'declared_by'>,
    names: Names = new Map(),
): string {
    const { object, name, index, declared_by: by } = write;
    const of = owner(object, names) ?? (by === undefined ? undefined : simpleName(by));
    if (index !== undefined) {
        return `${of ?? '?'}[${index}]`;
    }
    return of === undefined ? (name ?? '?') : `${of}.${name ?? '?'}`;
}

function valueText(old: string | undefined, now: string | undefined, by: string | undefined): string {
    const was = old === undefined ? '' : ` (was ${cut(old)})`;
    return `${cut(now ?? '?')}${was}${byText(by)}`;
}

/** The method that acted, where it is not the call's own. */
function byText(by: string | undefined): string {
    return by === undefined ? '' : ` by ${by}`;
}

export function eventText(row: EventRow, names: Names = new Map()): string {
    const { kind, object, name, new: now, old, by } = row;
    switch (kind) {
        case 'call':
            return row.call === undefined
                ? 'call'
                : `call ${callText(row.call)} ${outcomeText(row.call)}`.trim();
        case 'field':
        case 'element':
            return `${targetText(row, names)} = ${valueText(old, now, by)}`;
        case 'local':
            return `${name ?? '?'} = ${valueText(old, now, by)}`;
        case 'array':
            return `new ${cut(object ?? 'array')}`;
        case 'line':
            return 'line';
        case 'branch':
            return row.to_line === undefined ? 'branch' : `→ line ${row.to_line}`;
        case 'throw':
            return `throws ${cut(object ?? '?')}`;
        case 'catch':
            return `caught ${cut(object ?? '?')}`;
        case 'raised':
            return `raised ${cut(object ?? '?')}`;
        case 'lock':
        case 'unlock':
            return `${kind} ${cut(owner(object, names) ?? '?')}`;
        case 'start':
            return `starts ${name === undefined ? 'a thread' : `thread ${cut(name)}`} (${cut(object ?? '?')})`;
        case 'text':
            return textChangeText(row, owner(object, names)) + byText(by);
        case 'contents':
            return contentsText(row, owner(object, names)) + byText(by);
        default:
            return [kind, name, object, now]
                .filter(part => part !== undefined)
                .map(part => cut(part))
                .join(' ');
    }
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
