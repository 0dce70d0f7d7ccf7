// The stream of what happens at the server.

import { parse } from './client';

/** The events of the stream and their data. */
export interface StreamEvents {
    doing: { text: string };
    output: { text: string };
    said: { text: string };
    session: object;
    diagnosis: object;
    chain: object;
    omissions: object;
    timeline: object;
    /** The page was too slow to be told each change. */
    everything: object;
}

type Listener<Data> = (data: Data) => void;

export interface StreamHandlers {
    on: { [Name in keyof StreamEvents]: Listener<StreamEvents[Name]> };
    /** The stream is open: for the first time, or again. */
    opened: () => void;
    /** The stream broke. It is tried again. */
    broken: () => void;
}

/** How long to wait before the next attempt, in milliseconds. */
const RETRY = 2000;

/** Listens until the page is closed. */
export function listen(handlers: StreamHandlers): void {
    const source = new EventSource('/api/stream');
    source.onopen = handlers.opened;
    for (const name of Object.keys(handlers.on) as (keyof StreamEvents)[]) {
        const told = handlers.on[name] as Listener<unknown>;
        source.addEventListener(name, event =>
            told(parse((event as MessageEvent<string>).data || '{}')),
        );
    }
    source.onerror = () => {
        handlers.broken();
        // After a status such as 401, a browser does not try again by itself.
        if (source.readyState === EventSource.CLOSED) {
            setTimeout(() => listen(handlers), RETRY);
        }
    };
}
