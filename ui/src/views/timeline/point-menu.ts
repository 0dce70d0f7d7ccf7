// What a point of the timeline knows, and what can be asked from it.

import type { Point, Run } from '../../api/tools';
import { cut } from '../../model/shape';
import { openPopup, type PopupItem } from '../../parts/popup';
import { askWhy, forget, placeText } from '../../state/asking';
import { askChain, removePoint } from '../../state/chain';
import { select } from '../../state/selection';
import { pointForms } from '../point-forms';

/** Maximum number of facts and variables in the menu. */
const MOST = 12;

/** Selects the event of a point and opens its menu. */
export function openPoint(at: Element, run: Run, point: Point): void {
    if (point.selection !== undefined) {
        select(point.selection);
    }
    const isOfChain = run.kind === 'replay';
    openPopup(at, {
        title: `${point.id}: ${point.question}`,
        facts: factsOf(run, point),
        items: [...questions(point, isOfChain), ...removal(point, isOfChain)],
        // Only a chain collects values, when the program runs again.
        ...(isOfChain && { forms: pointForms(point.id) }),
    });
}

function questions(point: Point, isOfChain: boolean): PopupItem[] {
    const { selection, variables = [] } = point;
    if (!point.located) {
        return [];
    }
    if (isOfChain) {
        return [
            { label: 'What led here?', does: () => void askChain(point.id, 'LastCondition') },
            ...variables.slice(0, MOST).map(of => ({
                label: `Last change of ${of}`,
                does: () => void askChain(point.id, 'LastChange', of),
            })),
        ];
    }
    return selection === undefined
        ? []
        : [
              { label: 'What led here?', does: () => void askWhy(selection) },
              ...variables.slice(0, MOST).map(of => ({
                  label: `Last change of ${of}`,
                  does: () => void askWhy(selection, of),
              })),
          ];
}

function removal({ id, asked }: Point, isOfChain: boolean): PopupItem[] {
    if (asked !== undefined) {
        return [{ label: 'Remove', does: () => void forget(asked) }];
    }
    return isOfChain ? [{ label: 'Remove', does: () => void removePoint(id) }] : [];
}

function factsOf(run: Run, point: Point): [string, string][] {
    const { detail, value, text, reason } = point;
    const more = run.more_rejected?.[point.id];
    const withContent = ([name, shown]: [string, string]): [string, string] => {
        const content = detail?.contents?.[shown];
        return [name, content === undefined ? shown : `${shown} ${content}`];
    };
    const facts: [string, string | number | null | undefined][] = [
        ['place', placeText(point)],
        ['source', text],
        ['not located', point.located ? undefined : (reason ?? 'no reason is known')],
        ['value', value],
        ['before', detail?.old],
        ['after', detail?.new],
        ['owner', detail?.owner],
        ['condition', detail?.condition],
        ['went', detail?.taken],
        ['result', detail?.result],
        ['exception', detail?.exception?.object],
        ['thread', detail?.thread],
        ['hit', detail?.hit],
        ...Object.entries(detail?.operands ?? {}).map(withContent),
        ...Object.entries(detail?.collected ?? {}).map(withContent),
        ...(detail?.steps ?? []).map(({ passed, variable, file, line }): [string, string] => [
            passed,
            `${variable ?? ''} ${file ?? ''}:${line ?? '?'}`.trim(),
        ]),
        ...(detail?.notes ?? []).map((note): [string, string] => ['note', note]),
        ['more candidates', more],
    ];
    return facts
        .filter(
            (fact): fact is [string, string | number] =>
                fact[1] !== undefined && fact[1] !== null && fact[1] !== '',
        )
        .slice(0, MOST * 2)
        .map(([name, fact]) => [name, cut(String(fact))]);
}
