// The values at the end of a source line.

import type { LineValue } from '../api/types';
import { placeName, type Names } from './event-text';

/** Maximum number of values at a line. */
const MOST = 6;

/**
 * The values by the variables of the call. A line of a loop may have written to many objects: those that no
 * variable refers to any more are left out if another one has a name, and of the others the last ones stay.
 */
export function namedValues(values: LineValue[], names: Names): LineValue[] {
    const renamed = values.map(({ name, value }) => ({ name: placeName(name, names), value }));
    // A variable of the compiler is of no interest beside the source.
    const written = renamed.filter(({ name }) => !/^local variable \d+$/.test(name));
    const withName = written.filter(({ name }) => !/^[^"']*@\d/.test(name));
    return (withName.length === 0 ? written : withName).slice(-MOST);
}
