// The variables of the selected call, from its entry to the selected event or to its end.

import { computed, signal } from '@preact/signals';
import { get } from '../api/client';
import type { NodeState, PartRow, Parts } from '../api/types';
import { isPathBelow, NodeTree, partPath, partPlace, type Container, type NodePart } from '../model/node-tree';
import { namesOf } from '../model/event-text';
import { isObject } from '../model/shape';
import { PAGE } from './paged-list';
import { resource } from './resource';
import { attempt, generation, retryWhileRecording } from './session';
import { selectedPath, selection } from './selection';

const loaded = resource(
    () => {
        const { trace, call, event } = selection.value;
        return call === undefined ? undefined : `${generation.value} ${trace} ${call} ${event ?? 'end'}`;
    },
    signal => {
        const { trace, call, event } = selection.peek();
        return get<NodeState>('node', { trace, call, event }, signal);
    },
);

export const node = loaded.state;
retryWhileRecording(loaded);
const tree = computed(() => {
    const question = node.value.value?.question;
    return question === undefined ? undefined : new NodeTree(question);
});

/** The variables of the call by the objects that they refer to. */
export const names = computed(() => namesOf(node.value.value?.question));

export type NodeRow =
    | { is: 'part'; depth: number; part: NodePart; isOpen: boolean; hasParts: boolean }
    | {
          is: 'listed';
          depth: number;
          path: string;
          place: string;
          part: PartRow;
          isOpen: boolean;
          hasParts: boolean;
      }
    | { is: 'more'; depth: number; path: string; object: number; from: number };

/** Rows that were opened or closed by hand. The paths hold in every call that has such variables. */
const toggled = signal<ReadonlyMap<string, boolean>>(new Map());
/** Maximum number of rows that are remembered as opened or closed. */
const REMEMBERED = 1000;
/** Rows with changes inside are open down to this level. */
const OPEN_LEVELS = 2;

export function toggle(path: string, isOpen: boolean): void {
    const next = new Map(toggled.value);
    next.delete(path);
    next.set(path, isOpen);
    if (next.size > REMEMBERED) {
        next.delete(next.keys().next().value as string);
    }
    toggled.value = next;
}

interface Listed {
    rows: PartRow[];
    isComplete: boolean;
}

/** Parts that were loaded because the question has not all of them, by the bounds and the object. */
const parts = signal<ReadonlyMap<string, Listed>>(new Map());
/** Maximum number of objects whose further parts are kept. */
const KEPT = 50;

function partsKey(object: number): string {
    return `${node.value.key ?? ''} @${object}`;
}

/** Loads the next parts of an object. */
export async function loadParts(object: number, from: number): Promise<void> {
    const { trace, call, event } = selection.peek();
    const key = partsKey(object);
    const answer = await attempt(() =>
        get<Parts>('parts', { trace, call, event, object, from, limit: PAGE }),
    );
    if (answer !== undefined) {
        const next = new Map(parts.value);
        next.set(key, {
            rows: [...(next.get(key)?.rows ?? []), ...answer.rows],
            isComplete: answer.rows.length < PAGE,
        });
        if (next.size > KEPT) {
            next.delete(next.keys().next().value as string);
        }
        parts.value = next;
    }
}

/** The visible rows, the outermost variables first. */
export const nodeRows = computed<NodeRow[]>(() => {
    const rows: NodeRow[] = [];
    const known = tree.value;
    known?.variables().forEach(part => addPart(rows, known, part, 0));
    return rows;
});

function addPart(rows: NodeRow[], known: NodeTree, part: NodePart, depth: number): void {
    const hasParts = known.hasParts(part);
    const isOpen = hasParts && (toggled.value.get(part.path) ?? opensByItself(part, depth));
    rows.push({ is: 'part', depth, part, isOpen, hasParts });
    if (!isOpen) {
        return;
    }
    const children = known.children(part);
    children.forEach(child => addPart(rows, known, child, depth + 1));
    const object = known.cutObject(part);
    if (object !== undefined) {
        const container = { object: object.object, isArray: object.type.endsWith('[]') };
        addListed(rows, part.path, container, depth + 1, children.length);
    }
}

/** Rows are open if they lead to changes or to the chosen variable. Objects may refer to each other in a circle. */
function opensByItself(part: NodePart, depth: number): boolean {
    const chosen = selectedPath.value;
    if (chosen !== undefined && isPathBelow(chosen, part.path)) {
        return true;
    }
    const object = isObject(part.now) ? part.now.object : isObject(part.old) ? part.old.object : undefined;
    const holdsChosen = chosen !== undefined && object !== undefined && isPathBelow(chosen, `@${object}`);
    return depth < OPEN_LEVELS && (part.mark === 'inside' || holdsChosen);
}

function addListed(
    rows: NodeRow[],
    path: string,
    container: Container,
    depth: number,
    before: number,
): void {
    const { object } = container;
    const listed = parts.value.get(partsKey(object)) ?? { rows: [], isComplete: false };
    for (const part of listed.rows) {
        const below = partPath(path, part);
        const hasParts = part.object !== undefined;
        const isOpen = hasParts && toggled.value.get(below) === true;
        const place = partPlace(container, part);
        rows.push({ is: 'listed', depth, path: below, place, part, isOpen, hasParts });
        if (isOpen && part.object !== undefined) {
            const isArray = /^[^@"]*\[\d*\][^@"]*@/.test(part.new ?? '');
            addListed(rows, below, { object: part.object, isArray }, depth + 1, 0);
        }
    }
    if (!listed.isComplete) {
        rows.push({ is: 'more', depth, path, object, from: before + listed.rows.length });
    }
}

/** The row of the chosen variable, also if it was chosen by its object. */
export const chosenRow = computed(() => {
    const path = selectedPath.value;
    return path === undefined ? undefined : nodeRows.value.find(row => isRowOf(row, path));
});

export function isRowOf(row: NodeRow, path: string): boolean {
    if (row.is === 'more') {
        return false;
    }
    return pathOf(row) === path || (row.is === 'part' ? row.part.address : row.place) === path;
}

/** How a row is chosen: by its place, so that it stays chosen in other calls, unless that is of more than the row. */
export function chosenBy(row: NodeRow): string {
    const place = placeOf(row);
    return place !== undefined && isRowOf(row, place) ? place : pathOf(row);
}

export function pathOf(row: NodeRow): string {
    return row.is === 'part' ? row.part.path : row.path;
}

/** How the server knows the place of a row outside of the question. */
export function placeOf(row: NodeRow): string | undefined {
    return row.is === 'part' ? row.part.place : row.is === 'listed' ? row.place : undefined;
}
