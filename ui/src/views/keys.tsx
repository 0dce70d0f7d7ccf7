// The keys of the page, and a list of them.

import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { answer, question } from '../state/diagnosis';

export const isHelpOpen = signal(false);

const ANSWERS = {
    v: 'valid',
    i: 'invalid',
    t: 'trusted',
    u: 'unknown',
    x: 'inadmissible',
    z: 'undo',
} as const;

const KEYS: [string, string][] = [
    ['↑ ↓ Page ↑ Page ↓ Home End', 'move in a list; the other views follow'],
    ['→ ←', 'open and close a row of the tree or of the node view'],
    ['Enter', 'in the events: go into the call; in the node view: mark the changes of the variable'],
    ['m', 'in the node view: open the menu of the value'],
    ['h', 'in the node view: show the history of the variable'],
    ['Alt ← Alt →', 'back and forward'],
    ['v i t u x', 'answer a question: valid, invalid, trusted, unknown, wrong inputs'],
    ['z', 'take the last answer back'],
    ['+ - 0', 'in the timeline: zoom, and show the whole run'],
    ['?', 'show this list'],
];

/** Takes the keys that mean the same everywhere. */
export function listenToKeys(): void {
    document.addEventListener('keydown', event => {
        const target = event.target as HTMLElement | null;
        const isInput =
            target?.closest('input, select, textarea, [contenteditable=true], dialog') !== null &&
            target !== null;
        if (isInput || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) {
            return;
        }
        if (event.key === '?') {
            isHelpOpen.value = true;
        } else if (event.key in ANSWERS && (question.peek() !== undefined || event.key === 'z')) {
            void answer(ANSWERS[event.key as keyof typeof ANSWERS]);
        } else {
            return;
        }
        event.preventDefault();
    });
}

export function KeysHelp(): JSX.Element {
    const element = useRef<HTMLDialogElement>(null);
    useEffect(() => {
        if (isHelpOpen.value) {
            element.current?.showModal();
        }
    }, [isHelpOpen.value]);
    return (
        <dialog
            ref={element}
            aria-label="Keys"
            onClose={() => {
                isHelpOpen.value = false;
            }}
        >
            <h2>Keys</h2>
            <dl>
                {KEYS.map(([keys, does]) => [
                    <dt key={`${keys} key`}>{keys}</dt>,
                    <dd key={keys}>{does}</dd>,
                ])}
            </dl>
            <p>Double-click a separator between panels to give it its first place again.</p>
            <button type="button" onClick={() => element.current?.close()}>
                Close
            </button>
        </dialog>
    );
}
