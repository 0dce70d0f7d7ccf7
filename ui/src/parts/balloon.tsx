// The red balloon of an omission: a shape with a number, and words for those who do not see it.

import type { JSX } from 'preact';

export function Balloon({ count, title }: { count: number | string; title: string }): JSX.Element {
    return (
        <span class="balloon" title={title}>
            <span aria-hidden="true">{count}</span>
            <span class="unseen">{title}</span>
        </span>
    );
}
