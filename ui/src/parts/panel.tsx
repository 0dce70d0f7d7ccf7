// A panel with its title and its tools.

import type { ComponentChildren, JSX } from 'preact';

export function Panel({ label, tools, class: kind, children }: {
    label: string;
    tools?: ComponentChildren;
    class?: string;
    children: ComponentChildren;
}): JSX.Element {
    return (
        <section class={`panel${kind === undefined ? '' : ` ${kind}`}`} aria-label={label}>
            <div class="panel-head">
                <h2>{label}</h2>
                <div class="panel-tools">{tools}</div>
            </div>
            {children}
        </section>
    );
}

/** What a panel says in place of its content. */
export function Nothing({ children }: { children: ComponentChildren }): JSX.Element {
    return <p class="nothing">{children}</p>;
}
