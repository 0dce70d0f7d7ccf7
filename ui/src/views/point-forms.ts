// The forms of a point of a chain: what else can be asked or collected there.

import type { PopupForm } from '../parts/popup';
import { askChain, collect } from '../state/chain';

/** The kinds of questions that need a variable, a class or a line. */
const KINDS: [string, string][] = [
    ['LastChange', 'Last change of'],
    ['Origin', 'Origin of'],
    ['LastRead', 'Last read of'],
    ['Created', 'Creation of'],
    ['SkippedLine', 'Why it skipped line'],
];

export function pointForms(id: string): PopupForm[] {
    return [
        {
            label: 'A variable, or Intro:14',
            choices: KINDS,
            button: 'Ask',
            does: (of, kind) => void askChain(id, kind ?? 'LastChange', of),
        },
        {
            label: 'An expression to collect here',
            button: 'Collect',
            does: expression => void collect(id, expression),
        },
    ];
}
