// A part of the page that scrolls by itself, also by keyboard.

import type { ComponentChildren, JSX } from 'preact';

export function Scrolled({
    label,
    class: kind = 'scrolled',
    children,
}: {
    label: string;
    class?: string;
    children: ComponentChildren;
}): JSX.Element {
    return (
        <div class={kind} role="group" aria-label={label} tabIndex={0}>
            {children}
        </div>
    );
}
