// The one menu of the page: what can be done with a value, a point or a call, next to where it was clicked.

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface PopupItem {
    label: string;
    does: () => void;
}

export interface PopupForm {
    label: string;
    button: string;
    /** What the text is for, as values and names. */
    choices?: [string, string][];
    does: (text: string, choice: string | undefined) => void;
}

export interface PopupShown {
    title: string;
    /** What is known, as names and texts. */
    facts?: [string, string][];
    items: PopupItem[];
    /** Forms below the items. */
    forms?: PopupForm[];
}

interface Opened extends PopupShown {
    x: number;
    /** Where it begins below the element, and where it ends above it if there is no room below. */
    below: number;
    above: number;
    from: HTMLElement | SVGElement | null;
}

const opened = signal<Opened | undefined>(undefined);
/** The least distance from the edges of the window in pixels. */
const MARGIN = 8;
/** The distance from the element in pixels. */
const GAP = 2;

/** Opens the menu below an element, which gets the focus back when the menu closes. */
export function openPopup(at: Element, shown: PopupShown): void {
    const { left, top, bottom } = at.getBoundingClientRect();
    const from = at instanceof HTMLElement || at instanceof SVGElement ? at : null;
    opened.value = { ...shown, x: left, below: bottom + GAP, above: top - GAP, from };
}

function close(): void {
    const from = opened.value?.from;
    opened.value = undefined;
    const target = from?.closest<HTMLElement>('button, [tabindex]');
    target?.focus();
}

function moveFocus(menu: HTMLElement, by: number): void {
    const items = [...menu.querySelectorAll<HTMLElement>('[role=menuitem]')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + by + items.length) % items.length]?.focus();
}

export function Popup(): JSX.Element | null {
    const element = useRef<HTMLDivElement>(null);
    const shown = opened.value;

    useLayoutEffect(() => {
        const popup = element.current;
        if (popup === null || shown === undefined) {
            return undefined;
        }
        const { width, height } = popup.getBoundingClientRect();
        const x = Math.min(shown.x, innerWidth - width - MARGIN);
        const hasRoom = shown.below + height + MARGIN <= innerHeight;
        const y = Math.min(hasRoom ? shown.below : shown.above - height, innerHeight - height - MARGIN);
        popup.style.left = `${Math.max(MARGIN, x)}px`;
        popup.style.top = `${Math.max(MARGIN, y)}px`;
        (popup.querySelector<HTMLElement>('[role=menuitem]') ?? popup).focus();
        const outside = (event: PointerEvent): void => {
            if (!popup.contains(event.target as Node)) {
                opened.value = undefined;
            }
        };
        addEventListener('pointerdown', outside);
        return () => removeEventListener('pointerdown', outside);
    }, [shown]);

    if (shown === undefined) {
        return null;
    }
    const onKeyDown = (event: KeyboardEvent): void => {
        const isInput =
            event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
        if (event.key === 'Escape') {
            close();
        } else if (!isInput && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
            moveFocus(event.currentTarget as HTMLElement, event.key === 'ArrowDown' ? 1 : -1);
        } else {
            // The keys of the page mean nothing here.
            event.stopPropagation();
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    };
    return (
        <div
            ref={element}
            class="popup"
            role="dialog"
            aria-label={shown.title}
            tabIndex={-1}
            onKeyDown={onKeyDown}
        >
            <p class="popup-title">{shown.title}</p>
            {shown.facts !== undefined && shown.facts.length > 0 && (
                <dl>
                    {shown.facts.map(([name, text]) => [
                        <dt key={`${name} name`}>{name}</dt>,
                        <dd key={`${name} text`}>{text}</dd>,
                    ])}
                </dl>
            )}
            {shown.items.length > 0 && (
                <div role="menu" aria-label={shown.title}>
                    {shown.items.map(({ label, does }) => (
                        <button
                            key={label}
                            type="button"
                            role="menuitem"
                            onClick={() => {
                                close();
                                does();
                            }}
                        >
                            {label}
                        </button>
                    ))}
                </div>
            )}
            {shown.forms?.map(form => (
                <Form key={form.label} form={form} />
            ))}
        </div>
    );
}

function Form({ form }: { form: PopupForm }): JSX.Element {
    const submit = (event: Event): void => {
        event.preventDefault();
        const given = new FormData(event.currentTarget as HTMLFormElement);
        const text = String(given.get('text')).trim();
        if (text !== '') {
            close();
            form.does(text, given.get('choice')?.toString());
        }
    };
    return (
        <form class="line" onSubmit={submit}>
            {form.choices !== undefined && (
                <select name="choice" aria-label="Question">
                    {form.choices.map(([value, name]) => (
                        <option key={value} value={value}>
                            {name}
                        </option>
                    ))}
                </select>
            )}
            <input name="text" aria-label={form.label} placeholder={form.label} autocomplete="off" />
            <button type="submit">{form.button}</button>
        </form>
    );
}
