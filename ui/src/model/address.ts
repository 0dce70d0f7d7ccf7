// The selection as the query of an address: `?trace=0&call=12&event=4&path=c[2]`.

export interface Selection {
    trace: number;
    call?: number;
    /** An event of the call; without one, the end of the call is meant. */
    event?: number;
    /** The chosen variable, such as `c[2]`. */
    path?: string;
}

/** The selection that the query of an address means. */
export function selectionOf(query: string): Selection {
    const parts = new URLSearchParams(query);
    const number = (name: string): number | undefined => {
        const text = parts.get(name);
        return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
    };
    const call = number('call');
    const event = call === undefined ? undefined : number('event');
    const path = call === undefined ? null : parts.get('path');
    return {
        trace: number('trace') ?? 0,
        ...(call !== undefined && { call }),
        ...(event !== undefined && { event }),
        ...(path !== null && path !== '' && { path }),
    };
}

/** The query of the address of a selection. */
export function queryOf(selection: Selection): string {
    const parts = new URLSearchParams();
    for (const name of ['trace', 'call', 'event', 'path'] as const) {
        const value = selection[name];
        if (value !== undefined) {
            parts.set(name, String(value));
        }
    }
    return `?${parts.toString()}`;
}
