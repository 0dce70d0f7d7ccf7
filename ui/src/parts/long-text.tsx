// A text of any length: of a long one the beginning, until the rest is asked for.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { SHOWN } from '../model/shape';

/** How much more is shown at once. */
const MORE = 10_000;

export function LongText({ text }: { text: string }): JSX.Element {
    const [room, setRoom] = useState(SHOWN);
    if (text.length <= room) {
        return <>{text}</>;
    }
    return (
        <>
            {text.slice(0, room)}…{' '}
            <button type="button" class="link" onClick={() => setRoom(room + MORE)}>
                more ({text.length - room} characters)
            </button>
        </>
    );
}
