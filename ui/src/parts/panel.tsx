// A panel with its title and its tools.

import type { ComponentChildren, JSX } from 'preact';

export function Panel({
    label,
    tools,
    class: kind,
    isNamed = false,
    children,
}: {
    label: string;
    tools?: ComponentChildren;
    class?: string;
    /** Whether the name stands elsewhere already, as on a tab. */
    isNamed?: boolean;
    children: ComponentChildren;
}): JSX.Element {
    return (
        <section class={`panel${kind === undefined ? '' : ` ${kind}`}`} aria-label={label}>
            {(!isNamed || Boolean(tools)) && (
                <div class="panel-head">
                    {!isNamed && <h2>{label}</h2>}
                    <div class="panel-tools">{tools}</div>
                </div>
            )}
            {children}
        </section>
    );
}

/** What a panel says in place of its content. */
export function Nothing({ children }: { children: ComponentChildren }): JSX.Element {
    return <p class="nothing">{children}</p>;
}
