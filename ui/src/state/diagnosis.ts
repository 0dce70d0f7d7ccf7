// Declarative debugging: the open question and the answers to it.

import { computed, effect } from '@preact/signals';
import { get, post } from '../api/client';
import type { Diagnosis, DiagnosisAction, DiagnosisAnswer } from '../api/tools';
import { ofTrace } from './asking';
import { attempt, generation } from './session';
import { select, selectedCall } from './selection';
import { outdateTree } from './tree';
import { resource } from './resource';

const loaded = resource(
    () => `${generation.value}`,
    signal => get<Diagnosis>('diagnosis', {}, signal),
);

export const diagnosis = computed(() => loaded.state.value.value);
export const question = computed(() =>
    diagnosis.value?.state === 'asking' ? diagnosis.value.question : undefined,
);

export function reloadDiagnosis(): void {
    loaded.reload();
    outdateTree();
}

async function act(action: DiagnosisAction): Promise<void> {
    const answer = await attempt(() => post<Diagnosis>('diagnosis', action));
    if (answer !== undefined) {
        loaded.set(answer);
        outdateTree();
    }
}

export function startDiagnosis(strategy: string | undefined, call: number | undefined): Promise<void> {
    return act({
        start: {
            ...ofTrace(),
            ...(call !== undefined && { call }),
            ...(strategy !== undefined && { strategy }),
        },
    });
}

export function endDiagnosis(): Promise<void> {
    return act({ end: true });
}

/** Answers about the selected call, which may be another one than the question is about. */
export async function answer(
    given: DiagnosisAnswer,
    more: { path?: string; of?: 'method' | 'class' | 'package' } = {},
): Promise<void> {
    const open = question.peek();
    const call = selectedCall.peek();
    // `undo` is also possible after the last answer, when no question is open.
    const number =
        open?.question ?? (given === 'undo' ? (diagnosis.peek()?.question?.question ?? 0) : undefined);
    if (number === undefined) {
        return;
    }
    const isOther = given !== 'undo' && call !== undefined && call !== open?.node;
    await act({ question: number, answer: given, ...more, ...(isOther && { node: call }) });
}

/** Says in Java what all calls must do of the method of the selected call. */
export async function ensure(condition: string): Promise<void> {
    const open = question.peek();
    if (open === undefined) {
        return;
    }
    const call = selectedCall.peek();
    const isOther = call !== undefined && call !== open.node;
    await act({ question: open.question, condition, ...(isOther && { node: call }) });
}

/** Shows the call that is asked about, and at the end the buggy one. */
let followed = '';
effect(() => {
    const now = diagnosis.value;
    if (now === undefined) {
        return;
    }
    const call =
        now.state === 'asking'
            ? now.question?.node
            : now.state === 'ended'
              ? now.result?.buggy?.node
              : undefined;
    const key = `${now.state} ${now.question?.question} ${call}`;
    if (key === followed) {
        return;
    }
    const isFirst = followed === '';
    followed = key;
    // A loaded page shows what its address says, also while a question is open.
    if (call !== undefined && !(isFirst && selectedCall.peek() !== undefined)) {
        select({ call });
    }
});
