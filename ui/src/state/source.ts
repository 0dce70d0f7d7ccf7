// The source of the selected call, and what its lines did.

import { computed, effect, signal } from '@preact/signals';
import { get } from '../api/client';
import type { Execution, Lines, SourceFile } from '../api/types';
import { namedValues } from '../model/line-values';
import { resource, type Loaded } from './resource';
import { attempt, generation, retryWhileRecording, say } from './session';
import { names, node } from './node';
import { select, selection } from './selection';

/** The class of the selected call. */
const shownClass = computed(() => node.value.value?.call.class);

const file = resource(
    () =>
        shownClass.value === undefined
            ? undefined
            : `${generation.value} ${selection.value.trace} ${shownClass.value}`,
    signal =>
        get<SourceFile>('source', { trace: selection.peek().trace, class: shownClass.peek() }, signal),
);

const facts = resource(
    () => {
        const { trace, call, event } = selection.value;
        return call === undefined ? undefined : `${generation.value} ${trace} ${call} ${event ?? 'end'}`;
    },
    signal => {
        const { trace, call, event } = selection.peek();
        return get<Lines>('lines', { trace, call, event }, signal);
    },
);

export const source = file.state;
retryWhileRecording(file);
retryWhileRecording(facts);

/** How often it is asked again while not all events of the call were looked at, in milliseconds. */
const AGAIN = 300;

/** How often at most: the server reads on each time, which takes long in a call with millions of events. */
const ATTEMPTS = 100;
let attempts = { key: '', left: ATTEMPTS };

effect(() => {
    const { value, key, loading } = facts.state.value;
    if (loading || value?.complete !== false) {
        return undefined;
    }
    if (key !== undefined && key !== attempts.key) {
        attempts = { key, left: ATTEMPTS };
    }
    attempts.left -= 1;
    if (attempts.left < 0) {
        return undefined;
    }
    const timer = setTimeout(facts.reload, AGAIN);
    return () => clearTimeout(timer);
});

/** What the lines did, with the variables of the call where the server knows only objects. */
export const lineFacts = computed<Loaded<Lines>>(() => {
    const { value, ...rest } = facts.state.value;
    const known = names.value;
    return value === undefined
        ? rest
        : {
              ...rest,
              value: {
                  ...value,
                  lines: value.lines.map(line => ({ ...line, values: namedValues(line.values, known) })),
              },
          };
});

/** The line that the cursor is on. */
export const cursorLine = signal(1);

/** The text of a line of the shown file, if there is one. */
export function textOfLine(line: number | undefined): string | undefined {
    return line === undefined ? undefined : source.value.value?.lines[line - 1]?.trim();
}

/** Goes to another execution of a line in the selected call. */
export async function goToExecution(
    line: number,
    which: 'previous' | 'next' | 'first' | 'last',
): Promise<void> {
    const { trace, call, event } = selection.peek();
    const of = shownClass.peek();
    if (call === undefined || of === undefined) {
        return;
    }
    const found = await attempt(() =>
        get<Execution>('execution', { trace, call, event, class: of, line, which }),
    );
    if (found === undefined) {
        return;
    }
    if ('none' in found) {
        say('said', found.none);
    } else {
        select({ call: found.call, ...(found.event !== undefined && { event: found.event }) });
    }
}
