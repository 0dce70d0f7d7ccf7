// What can be asked about a value.

import { openPopup, type PopupItem } from '../parts/popup';
import { askWhy } from '../state/asking';
import { askOrigin } from '../state/chain';
import { answer, question } from '../state/diagnosis';
import { showHistory } from '../state/history';
import { askOmissions } from '../state/omissions';
import { session } from '../state/session';
import { choose, selection } from '../state/selection';
import { cut } from '../model/shape';

/** Opens the menu of a variable at the selected event. */
export function openValueMenu(at: Element, variable: string, value: string): void {
    const { call, event } = selection.peek();
    if (call === undefined) {
        return;
    }
    const place = { call, ...(event !== undefined && { event }) };
    const isOutcome = variable === 'result' || variable === 'exception';
    const items: PopupItem[] = [
        { label: 'Why this value?', does: () => void askWhy(place, variable) },
        ...(isOutcome
            ? []
            : [
                  { label: 'Show history', does: () => showHistory(variable) },
                  { label: 'Mark changes', does: () => choose(variable) },
              ]),
        ...(session.peek()?.can_run === false
            ? []
            : [
                  {
                      label: 'Where does it come from? (runs the program)',
                      does: () => void askOrigin(place, variable),
                  },
              ]),
        ...(/@\d+/.test(value)
            ? [
                  {
                      label: 'What should have happened to it?',
                      does: () => void askOmissions(place, variable),
                  },
              ]
            : []),
        ...(question.peek() === undefined
            ? []
            : [{ label: 'This is wrong', does: () => void answer('wrong', { path: variable }) }]),
    ];
    openPopup(at, { title: `${cut(variable, 60)} = ${cut(value)}`, items });
}
