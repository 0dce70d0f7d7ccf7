// Requests to the server. Every answer is JSON; a failure has a text that says what to do.

/** A failure that the server has explained, or that it could not be reached. */
export class ApiError extends Error {
    /** @param status the HTTP status; 0 if the server did not answer */
    constructor(
        readonly status: number,
        message: string,
    ) {
        super(message);
    }
}

export type Parameters = Record<string, string | number | undefined>;

type Watcher = (status: number) => void;

let watcher: Watcher = () => undefined;

/** Sets who is told the status of each answer; 0 if the server cannot be reached. */
export function watchAnswers(told: Watcher): void {
    watcher = told;
}

export function get<T>(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined) {
            query.set(name, String(value));
        }
    }
    const text = query.toString();
    return ask<T>(`/api/${path}${text === '' ? '' : `?${text}`}`, signal === undefined ? {} : { signal });
}

export function post<T>(path: string, body: unknown): Promise<T> {
    return ask<T>(`/api/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
    });
}

async function ask<T>(address: string, request: RequestInit): Promise<T> {
    const answer = await reach(address, request);
    return parse(await answer.text()) as T;
}

async function reach(address: string, request: RequestInit): Promise<Response> {
    let answer: Response;
    try {
        answer = await fetch(address, request);
    } catch (error) {
        if (error instanceof DOMException && error.name === 'AbortError') {
            throw error;
        }
        watcher(0);
        throw new ApiError(0, 'The server does not answer.');
    }
    watcher(answer.status);
    if (!answer.ok) {
        throw new ApiError(answer.status, reason(await answer.text(), answer.status));
    }
    return answer;
}

function reason(text: string, status: number): string {
    try {
        const body = JSON.parse(text) as { error?: unknown };
        return typeof body.error === 'string' ? body.error : `The server answered with status ${status}.`;
    } catch {
        return `The server answered with status ${status}.`;
    }
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

/** The types whose values have a fraction, or a sign at 0: `3.0`, `-0.0`. */
const FRACTIONS = /^(java\.lang\.)?(double|float)$/i;

/**
 * Numbers of the program that JavaScript would show otherwise become texts: a `long` beyond 2^53 keeps its last
 * digits, and a `double` its fraction.
 */
const exact: Reviver = function (key, value, context) {
    if (typeof value !== 'number' || context?.source === undefined) {
        return value;
    }
    const of = key === 'value' ? (this as { type?: unknown }).type : undefined;
    const isFraction = typeof of === 'string' && FRACTIONS.test(of);
    return isFraction || Math.abs(value) > Number.MAX_SAFE_INTEGER ? context.source : value;
};

/** Characters that change the direction of the text around them. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The data of an answer. Characters that would turn other texts of the page around are written as escapes.
 */
export function parse(text: string): unknown {
    const plain = text.replace(
        DIRECTIONS,
        found => `\\\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    return /\d{16}|"(java\.lang\.)?(double|float)"/i.test(plain) ? JSON.parse(plain, exact) : JSON.parse(plain);
}

/** Whether a failure only says that the page no longer wants the answer. */
export function isAborted(error: unknown): boolean {
    return error instanceof DOMException && error.name === 'AbortError';
}

export function messageOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}
