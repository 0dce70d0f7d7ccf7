// A list of any length of which the page keeps only the pages seen last.

import { signal, type Signal } from '@preact/signals';
import { isAborted, messageOf } from '../api/client';
import type { Page } from '../api/types';
import { PageCache } from '../model/page-cache';

/** Rows of a page. */
export const PAGE = 100;

export class PagedList<Row, Answer extends Page<Row> = Page<Row>> {
    /** Number of rows; `undefined` before the first answer. */
    readonly count: Signal<number | undefined> = signal(undefined);
    readonly error: Signal<string | undefined> = signal(undefined);
    /** The newest answer, for what it says about the whole list. */
    readonly answer: Signal<Answer | undefined> = signal(undefined);
    private readonly arrived = signal(0);
    private readonly pages = new PageCache<{ rows: Row[]; round: number }>();
    private readonly asked = new Map<number, { abort: AbortController; done: Promise<void> }>();
    private ended = false;
    /** Pages of an earlier round are shown until their new rows are here. */
    private round = 0;

    constructor(
        private readonly load: (from: number, limit: number, signal: AbortSignal) => Promise<Answer>,
    ) {}

    /** The row, or `undefined` while it is on its way. A component that asks is drawn again then. */
    row(index: number): Row | undefined {
        void this.arrived.value;
        const page = Math.floor(index / PAGE);
        const kept = this.pages.get(page);
        const row = kept?.rows[index - page * PAGE];
        if (row === undefined || kept?.round !== this.round) {
            this.ask(page);
        }
        return row;
    }

    /** The row if it is here; it is not asked for. */
    peek(index: number): Row | undefined {
        const page = Math.floor(index / PAGE);
        return this.pages.get(page)?.rows[index - page * PAGE];
    }

    /** The row, which is loaded if it is not here; `undefined` if it cannot be loaded. */
    async arrival(index: number): Promise<Row | undefined> {
        if (this.peek(index) === undefined) {
            await this.refresh(Math.floor(index / PAGE));
        }
        return this.peek(index);
    }

    /** Loads a page, also one that is here. */
    refresh(page: number): Promise<void> {
        if (this.ended) {
            return Promise.resolve();
        }
        const underway = this.asked.get(page);
        if (underway !== undefined) {
            return underway.done;
        }
        const abort = new AbortController();
        const done = this.take(page, abort.signal);
        this.asked.set(page, { abort, done });
        return done;
    }

    private async take(page: number, signal: AbortSignal): Promise<void> {
        const { round } = this;
        try {
            const answer = await this.load(page * PAGE, PAGE, signal);
            this.pages.set(page, { rows: answer.rows, round });
            this.count.value = answer.count;
            this.answer.value = answer;
            this.error.value = undefined;
            this.arrived.value += 1;
        } catch (error) {
            if (!isAborted(error)) {
                this.error.value = messageOf(error);
            }
        } finally {
            this.asked.delete(page);
        }
    }

    /** The rows have changed at the server: asks again for each page that is shown from now on. */
    outdate(): void {
        this.round += 1;
        this.error.value = undefined;
        this.arrived.value += 1;
    }

    /** Nobody wants the rows any more. */
    end(): void {
        this.ended = true;
        for (const { abort } of this.asked.values()) {
            abort.abort();
        }
    }

    private ask(page: number): void {
        if (this.error.peek() === undefined) {
            void this.refresh(page);
        }
    }
}
