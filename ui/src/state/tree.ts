// The execution tree: which lists are open, and which row is which call.

import { effect, signal } from '@preact/signals';
import { get } from '../api/client';
import type { CallPath, Page, ThreadInfo, TreeRow } from '../api/types';
import {
    closeBelow,
    indexOf,
    locate,
    newList,
    openBelow,
    visibleCount,
    type Located,
    type OpenList,
} from '../model/tree-rows';
import { PagedList } from './paged-list';
import { attempt, generation, recording, restarts } from './session';
import { select, selectedCall, selectedTrace, step } from './selection';

/** What a list contains: the children of a thread or of a call, or a part of them. */
interface ListOf {
    query: { thread?: number; call?: number; group?: string };
    rows: PagedList<TreeRow>;
}

/** The outermost list, of the threads, has no rows of the server. */
type Key = ListOf | undefined;

export type ShownRow =
    | { is: 'thread'; thread: ThreadInfo }
    | { is: 'rows'; row: TreeRow }
    | { is: 'waiting' }
    | { is: 'failed'; error: string };

/** Maximum number of levels that are opened to show a call; of a deeper one, the levels above stay out. */
const LEVELS = 60;

let root: OpenList<Key> = newList<Key>(undefined, 0);
const changed = signal(0);

/** The row that the keyboard is at. */
export const activeRow = signal<number | undefined>(undefined);
/** Number of levels that are not shown above the outermost row. */
export const levelsAbove = signal(0);

function touch(): void {
    changed.value += 1;
}

export function rowCount(): number {
    void changed.value;
    return visibleCount(root);
}

export function located(index: number): Located<Key> | undefined {
    void changed.value;
    return locate(root, index);
}

function threads(): ThreadInfo[] {
    return recording.value?.threads ?? [];
}

export function shownRow({ list, row }: Located<Key>): ShownRow {
    if (list.key === undefined) {
        const thread = threads()[row];
        return thread === undefined ? { is: 'waiting' } : { is: 'thread', thread };
    }
    const found = list.key.rows.row(row);
    if (found !== undefined) {
        return { is: 'rows', row: found };
    }
    const error = list.key.rows.error.value;
    return error === undefined ? { is: 'waiting' } : { is: 'failed', error };
}

function queryOf(at: Located<Key>): ListOf['query'] | undefined {
    const shown = shownRow(at);
    if (shown.is === 'thread') {
        return { thread: shown.thread.number };
    }
    if (shown.is !== 'rows') {
        return undefined;
    }
    if ('folded' in shown.row) {
        return { ...at.list.key?.query, group: shown.row.group };
    }
    return shown.row.call.below === 0 ? undefined : { call: shown.row.call.node };
}

/** Whether rows can be opened below a row. */
export function canOpen(at: Located<Key>): boolean {
    const shown = shownRow(at);
    return (
        shown.is === 'thread' ||
        (shown.is === 'rows' && ('folded' in shown.row || shown.row.call.below > 0))
    );
}

async function load(query: ListOf['query']): Promise<OpenList<Key>> {
    const trace = selectedTrace.peek();
    const rows: PagedList<TreeRow> = new PagedList((from, limit, aborted) =>
        get<Page<TreeRow>>('tree', { trace, ...query, from, limit }, aborted),
    );
    await rows.refresh(0);
    const error = rows.error.peek();
    if (error !== undefined) {
        throw new Error(error);
    }
    return newList<Key>({ query, rows }, rows.count.peek() ?? 0);
}

export async function open(index: number): Promise<void> {
    const at = locate(root, index);
    const query = at === undefined || at.below !== undefined ? undefined : queryOf(at);
    if (at === undefined || query === undefined) {
        return;
    }
    const active = rowsOf(activeRow.peek());
    const list = await attempt(() => load(query));
    if (list !== undefined) {
        openBelow(at.list, at.row, list);
        touch();
        activate(active);
    }
}

export function close(index: number): void {
    const at = locate(root, index);
    if (at?.below === undefined) {
        return;
    }
    const active = activeRow.peek();
    const hidden = visibleCount(at.below);
    end(at.below);
    closeBelow(at.list, at.row);
    if (active !== undefined && active > index) {
        activeRow.value = active > index + hidden ? active - hidden : index;
    }
    touch();
}

function end(list: OpenList<Key>): void {
    list.key?.rows.end();
    list.open.forEach(({ list: below }) => end(below));
}

/** The rows that lead to a visible row, so that it is found again after others were opened. */
function rowsOf(index: number | undefined): number[] | undefined {
    const rows: number[] = [];
    for (let at = index; at !== undefined;) {
        const found = locate(root, at);
        if (found === undefined) {
            return undefined;
        }
        rows.unshift(found.row);
        at = found.parent;
    }
    return rows.length === 0 ? undefined : rows;
}

function activate(rows: number[] | undefined): void {
    const index = rows === undefined ? undefined : indexOf(root, rows);
    if (index !== undefined) {
        activeRow.value = index;
    }
}

/** Makes a row the active one, and selects its call if it is one. */
export function activateRow(index: number, isStep: boolean): void {
    activeRow.value = index;
    const at = locate(root, index);
    const rows = at?.list.key?.rows;
    if (at === undefined || rows === undefined) {
        return;
    }
    const row = rows.peek(at.row);
    if (row !== undefined) {
        selectRow(row, isStep);
        return;
    }
    void rows.arrival(at.row).then(arrived => {
        const active = activeRow.peek();
        const now = active === undefined ? undefined : locate(root, active);
        if (arrived !== undefined && now?.list === at.list && now.row === at.row) {
            selectRow(arrived, isStep);
        }
    });
}

function selectRow(row: TreeRow, isStep: boolean): void {
    if ('call' in row) {
        (isStep ? step : select)({ call: row.call.node });
    }
}

function callAt(index: number): number | undefined {
    const at = locate(root, index);
    const row = at?.list.key?.rows.peek(at.row);
    return row !== undefined && 'call' in row ? row.call.node : undefined;
}

let revealing = 0;

/** Opens the tree down to a call and makes its row the active one. */
async function reveal(call: number): Promise<void> {
    const active = activeRow.peek();
    if (active !== undefined && callAt(active) === call) {
        return;
    }
    revealing += 1;
    const mine = revealing;
    const trace = selectedTrace.peek();
    const found = await attempt(() => get<CallPath>('path', { trace, call }));
    const thread = threads().findIndex(({ number }) => number === found?.thread);
    if (found === undefined || thread < 0 || mine !== revealing) {
        return;
    }
    // The lists do not depend on each other, so all of them are asked for at once.
    const steps: { row: number; query: ListOf['query'] }[] = [];
    let query: ListOf['query'] = { thread: found.thread };
    const above = Math.max(0, found.path.length - LEVELS);
    if (above > 0) {
        query = { call: found.path[above - 1]?.call ?? 0 };
    }
    steps.push({ row: thread, query });
    for (const { call: node, row, group, row_in_group: inner } of found.path.slice(above)) {
        if (group === undefined) {
            steps.push({ row, query: { call: node } });
        } else {
            steps.push({ row, query: { ...query, group } }, { row: inner ?? 0, query: { call: node } });
        }
        query = { call: node };
    }
    const lists = await attempt(() => Promise.all(openLists(steps)));
    if (lists === undefined || mine !== revealing) {
        return;
    }
    let list = root;
    for (const [at, { row, query: of }] of steps.slice(0, -1).entries()) {
        const below = openOf(list, row, of) ?? lists[at];
        if (below !== undefined && openOf(list, row, of) !== below) {
            openBelow(list, row, below);
        }
        list = below ?? list;
    }
    levelsAbove.value = above;
    touch();
    activate(steps.map(({ row }) => row));
}

/** The list that is open below a row, if it is the wanted one. */
function openOf(list: OpenList<Key>, row: number, query: ListOf['query']): OpenList<Key> | undefined {
    const opened = list.open.find(found => found.row === row)?.list;
    return JSON.stringify(opened?.key?.query) === JSON.stringify(query) ? opened : undefined;
}

/** The lists below the steps of a path but the last; those that are open already are kept. */
function openLists(steps: { row: number; query: ListOf['query'] }[]): Promise<OpenList<Key>>[] {
    let known: OpenList<Key> | undefined = root;
    return steps.slice(0, -1).map(({ row, query }) => {
        known = known === undefined ? undefined : openOf(known, row, query);
        return known === undefined ? load(query) : Promise.resolve(known);
    });
}

/** Asks for all rows again, since verdicts or balloons have changed. */
export function outdateTree(): void {
    const walk = (list: OpenList<Key>): void => {
        list.key?.rows.outdate();
        list.open.forEach(({ list: below }) => walk(below));
    };
    walk(root);
}

/** Which recording the tree shows, and how far it has come: its rows become more while the program runs. */
let shown = '';
let progress = '';

effect(() => {
    const of = recording.value;
    const wanted = of === undefined ? '' : `${restarts.value} ${of.trace}`;
    // What is open stays open while the same recording is loaded again.
    const now = of === undefined ? '' : `${generation.value} ${of.state} ${of.calls} ${of.threads.length}`;
    const isSame = wanted === shown;
    if (isSame && now === progress) {
        return;
    }
    const wasEmpty = root.count === 0;
    shown = wanted;
    progress = now;
    if (isSame && !wasEmpty) {
        void recount(of?.threads.length ?? 0);
        return;
    }
    end(root);
    root = newList<Key>(undefined, of?.threads.length ?? 0);
    activeRow.value = undefined;
    levelsAbove.value = 0;
    touch();
    const call = selectedCall.peek();
    if (of !== undefined && of.threads.length > 0) {
        void (call === undefined ? open(0) : reveal(call));
    }
});

/** Takes the new lengths of all lists that are open. */
async function recount(threadCount: number): Promise<void> {
    const active = rowsOf(activeRow.peek());
    const lists: OpenList<Key>[] = [];
    const walk = (list: OpenList<Key>): void => {
        lists.push(list);
        list.open.forEach(({ list: below }) => walk(below));
    };
    walk(root);
    root.count = threadCount;
    await Promise.all(
        lists.map(async list => {
            list.key?.rows.outdate();
            await list.key?.rows.refresh(0);
            list.count = list.key?.rows.count.peek() ?? list.count;
        }),
    );
    touch();
    activate(active);
}

effect(() => {
    const call = selectedCall.value;
    if (call !== undefined && recording.peek() !== undefined) {
        void reveal(call);
    }
});
