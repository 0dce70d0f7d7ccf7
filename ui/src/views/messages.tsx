// What the server said, and what the program printed.

import type { JSX } from 'preact';
import { LongText } from '../parts/long-text';
import { Nothing, Panel } from '../parts/panel';
import { Scrolled } from '../parts/scrolled';
import { lines } from '../state/session';

/** Lines that are shown, the newest first. */
const SHOWN = 200;

export function MessagesView(): JSX.Element {
    const shown = lines.value.slice(-SHOWN).reverse();
    return (
        <Panel label="Messages" class="tool-panel" isNamed>
            <Scrolled label="Newest first">
                {shown.length === 0 && <Nothing>Nothing was said or printed yet.</Nothing>}
                <ul class="messages">
                    {shown.map(({ kind, text }, index) => (
                        <li key={lines.value.length - index} class={kind}>
                            <span class="dim">
                                {kind === 'output' ? 'printed' : kind === 'failed' ? 'failed' : 'said'}
                            </span>{' '}
                            <LongText text={text} />
                        </li>
                    ))}
                </ul>
            </Scrolled>
        </Panel>
    );
}
