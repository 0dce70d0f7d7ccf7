// How a collection or a text changed, in the words of the command line.

import type { EventFields } from '../api/types';
import { cut } from './shape';

/** Elements that are shown of a collection; of more, their number. */
const FEW = 12;

/** The elements or entries that a collection holds, as in `[1, 2]` and `["a" = 1]`. */
function held({ items = [], keys }: EventFields): string {
    const shown = items.slice(0, FEW).map((item, at) => {
        const key = keys?.[at];
        return key === undefined ? cut(item) : `${cut(key)} = ${cut(item)}`;
    });
    if (items.length > FEW) {
        shown.push(`… ${items.length - FEW} more`);
    }
    return `[${shown.join(', ')}]`;
}

/** @param of the collection */
export function contentsText(row: EventFields, of = 'some map'): string {
    const { name, index } = row;
    const now = cut(row.new ?? '?');
    const key = row.key === undefined ? undefined : cut(row.key);
    const was = row.old === undefined ? '' : ` (was ${cut(row.old)})`;
    switch (name) {
        case 'all':
            return `${of} holds${index === undefined || index === 0 ? '' : ' too'} ${held(row)}`;
        case 'backed':
            return `${of} holds what ${now} holds`;
        case 'insert':
            return `${of}: ${now} put in at [${index ?? 0}]`;
        case 'set':
            return `${of}[${index ?? 0}] = ${now}${was}`;
        case 'remove':
            if (key !== undefined) {
                return `${of}: key ${key} removed${was}`;
            }
            return index === undefined
                ? `${of}: ${cut(row.old ?? '?')} removed`
                : `${of}: [${index}] removed${was}`;
        case 'clear':
            return `${of}: all removed`;
        case 'last':
            return `${of}[${key ?? '?'}] = ${now}${was}, now the last one`;
        default:
            return key === undefined ? `${of} ${name ?? ''}`.trim() : `${of}[${key}] = ${now}${was}`;
    }
}

/** @param of the builder, writer or stream */
export function textChangeText(row: EventFields, of = '?'): string {
    const { name, index = 0, removed = 0, inserted = 0 } = row;
    const now = cut(row.new ?? '?');
    switch (name) {
        case 'print':
            return `${row.stream ?? of} printed ${now}`;
        case 'same':
            return `${of} has the text of ${now}`;
        case 'whole':
            return `${of} holds ${now}`;
        default:
            if (removed === 0) {
                return `${of}: ${now} put in at [${index}]`;
            }
            return inserted === 0
                ? `${of}: ${removed} removed at [${index}]`
                : `${of}: ${removed} replaced by ${now} at [${index}]`;
    }
}
