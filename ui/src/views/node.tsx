// The node view: the variables of the call with their old and new values between its two bounds.

import type { JSX } from 'preact';
import { effect, signal } from '@preact/signals';
import type { CallShown, NodeState, Shape } from '../api/types';
import type { Mark, NodePart } from '../model/node-tree';
import { callText, outcomeText } from '../model/event-text';
import { cut, shapeText, simpleName } from '../model/shape';
import { LongText } from '../parts/long-text';
import { Nothing, Panel } from '../parts/panel';
import { Scrolled } from '../parts/scrolled';
import { VirtualList, type RowShown } from '../parts/virtual-list';
import { answer, question } from '../state/diagnosis';
import { showHistory } from '../state/history';
import {
    chosenRow,
    isRowOf,
    loadParts,
    node,
    nodeRows,
    chosenBy,
    pathOf,
    placeOf,
    toggle,
    type NodeRow,
} from '../state/node';
import { choose, selectedCall, selectedEvent, selectedPath } from '../state/selection';
import { openValueMenu } from './value-menu';

const INDENT = 14;
const DEEPEST = 10;

const SIGNS: Record<Mark, [string, string]> = {
    changed: ['●', 'changed'],
    inside: ['◐', 'a part of it changed'],
    created: ['+', 'has its first value'],
    same: ['', ''],
};

/** The row that the keyboard is at. */
const active = signal<number | undefined>(undefined);

effect(() => {
    void selectedCall.value;
    active.value = undefined;
});

export function NodeView(): JSX.Element {
    const { value, error } = node.value;
    const rows = nodeRows.value;
    const path = selectedPath.value;
    const chosen = path === undefined ? -1 : rows.findIndex(row => isRowOf(row, path));
    return (
        <Panel label="Node" class="node-panel" tools={<Tools />}>
            {error !== undefined && <Nothing>{error}</Nothing>}
            {value === undefined && error === undefined && (
                <Nothing>
                    {selectedCall.value === undefined ? 'Select a call in the tree: its variables appear here, as they were at its entry and now.' : 'Loading…'}
                </Nothing>
            )}
            {value !== undefined && (
                <>
                    <Scrolled label="The call and its bounds" class="node-head">
                        <CallName call={value.call} />
                        <span class="dim bounds">from its entry to {bound(value)}</span>
                        {outputOf(value).map(({ stream, text }, index) => (
                            <span key={index} class="output">
                                {stream} printed{' '}
                                <code>
                                    <LongText text={text} />
                                </code>
                            </span>
                        ))}
                        {[...(value.question.notes ?? []), ...(value.missing ?? [])].map(note => (
                            <span key={note} class="dim">
                                {cut(note, 400)}
                            </span>
                        ))}
                    </Scrolled>
                    <div class="node-columns" aria-hidden="true">
                        <span>Variable</span>
                        <span>At entry</span>
                        <span>Now</span>
                        <span />
                    </div>
                    {rows.length === 0 ? (
                        <Nothing>The call has no variables.</Nothing>
                    ) : (
                        <VirtualList
                            scope={value.call.node}
                            label="Variables: name, value at entry, value now"
                            role="treegrid"
                            columns={4}
                            count={rows.length}
                            row={nodeRow}
                            active={active.value ?? (chosen >= 0 ? chosen : undefined)}
                            onActive={onActive}
                            onKey={onKey}
                            onOpen={flip}
                        />
                    )}
                </>
            )}
        </Panel>
    );
}

function Tools(): JSX.Element {
    const row = chosenRow.value;
    // A variable that was chosen by its object has a path of its own in this call.
    const path = row === undefined ? selectedPath.value : pathOf(row);
    const place = row === undefined ? path : placeOf(row);
    return path === undefined ? (
        <></>
    ) : (
        <>
            {place !== undefined && (
                <button type="button" title={`History of ${path}`} onClick={() => showHistory(place)}>
                    Show history
                </button>
            )}
            <button
                type="button"
                title={`Ask about ${path}`}
                aria-haspopup="menu"
                onClick={event => openValueMenu(event.currentTarget, { path, place, text: valueOf(row) })}
            >
                Ask…
            </button>
            {question.value !== undefined && (
                <button
                    type="button"
                    title={`${path} is wrong`}
                    onClick={() => void answer('wrong', { path })}
                >
                    This is wrong
                </button>
            )}
            <button
                type="button"
                title="Mark no changes"
                aria-label="Mark no changes"
                onClick={() => choose(undefined)}
            >
                ×
            </button>
        </>
    );
}

/** What was printed, unless it is among the changes. */
function outputOf({ output, question: { changed } }: NodeState): NodeState['output'] {
    return output.filter(({ stream }) => !changed.some(({ path }) => path === stream));
}

function bound({ event, line, call }: NodeState): JSX.Element {
    const at = event ?? selectedEvent.value;
    if (at === 0) {
        return <>its entry</>;
    }
    if (at === undefined) {
        return call.open === undefined ? <>its end</> : <>the end of the recording</>;
    }
    return (
        <>
            right after event {at}
            {line === undefined ? '' : `, line ${line}`}
        </>
    );
}

function CallName({ call }: { call: CallShown }): JSX.Element {
    return (
        <span class="call-name">
            <b title={callText(call, 1000)}>
                #{call.node} {simpleName(call.class)}.{call.method}
            </b>{' '}
            {outcomeText(call, 200)}
        </span>
    );
}

function isAbsent(shape: Shape | undefined): boolean {
    return shape === undefined || (shape !== null && 'absent' in shape);
}

/** The array of a text such as `int[4]@4 [4, 9, 1, 7]`: `int[4]@4`. */
function arrayOf(text: string): string | undefined {
    return /^\S+\[\d*\]@\d+(?= \[)/.exec(text)?.[0];
}

/** Its elements. Where an array is the same as before, they are what one wants to compare. */
function elementsOf(text: string): string {
    return text.slice((arrayOf(text)?.length ?? -1) + 1);
}

function valueOf(row: NodeRow | undefined): string {
    if (row === undefined || row.is === 'more') {
        return '';
    }
    return row.is === 'part' ? nowText(row.part) : (row.part.new ?? '');
}

function nowText({ now }: NodePart): string {
    return now === undefined ? '' : shapeText(now);
}

function onActive(index: number, isStep: boolean): void {
    active.value = index;
    const row = nodeRows.peek()[index];
    if (row === undefined || isStep) {
        return;
    }
    if (row.is === 'more') {
        void loadParts(row.object, row.from);
    } else {
        choose(chosenBy(row));
    }
}

function flip(index: number): void {
    const row = nodeRows.peek()[index];
    if (row === undefined || row.is === 'more' || !row.hasParts) {
        return;
    }
    toggle(pathOf(row), !row.isOpen);
    // An object of which nothing is here shows its first parts at once.
    const next = nodeRows.peek()[index + 1];
    if (!row.isOpen && next?.is === 'more' && next.path === pathOf(row)) {
        void loadParts(next.object, next.from);
    }
}

function onKey(event: KeyboardEvent, index: number): boolean {
    const row = nodeRows.peek()[index];
    if (row === undefined) {
        return false;
    }
    const isOpen = row.is !== 'more' && row.isOpen;
    switch (event.key) {
        case 'ArrowRight':
        case 'ArrowLeft':
            if (isOpen === (event.key === 'ArrowLeft')) {
                flip(index);
            }
            return true;
        case 'Enter':
        case ' ':
            onActive(index, false);
            return true;
        case 'h': {
            const place = row.is === 'more' ? undefined : placeOf(row);
            if (place !== undefined) {
                showHistory(place);
            }
            return true;
        }
        case 'm':
            if (row.is !== 'more') {
                const list = event.currentTarget as Element;
                const drawn = document.getElementById(list.getAttribute('aria-activedescendant') ?? '');
                openMenu(drawn ?? list, row);
            }
            return true;
        default:
            return false;
    }
}

function openMenu(at: Element, row: Exclude<NodeRow, { is: 'more' }>): void {
    openValueMenu(at, { path: pathOf(row), place: placeOf(row), text: valueOf(row) });
}

function nodeRow(index: number): RowShown {
    const row = nodeRows.value[index];
    if (row === undefined) {
        return { content: <span role="gridcell" /> };
    }
    const level = { 'aria-level': row.depth + 1 };
    const indent = { paddingInlineStart: `${Math.min(row.depth, DEEPEST) * INDENT}px` };
    if (row.is === 'more') {
        return {
            attributes: level,
            content: (
                <span role="gridcell" class="text link" style={indent}>
                    more parts…
                </span>
            ),
        };
    }
    const path = selectedPath.value;
    const chosen = path !== undefined && isRowOf(row, path);
    const mark = row.is === 'part' ? row.part.mark : row.part.changed ? 'changed' : 'same';
    const old = row.is === 'part' ? shapeText(row.part.old) : '';
    const now = row.is === 'part' ? nowText(row.part) : (row.part.new ?? '');
    const isInitial = row.is === 'listed' || isAbsent(row.part.old);
    const isSameArray = arrayOf(now) !== undefined && (isInitial || arrayOf(old) === arrayOf(now));
    return {
        class: `${mark}${chosen ? ' selected' : ''}`,
        attributes: {
            ...level,
            'aria-selected': chosen,
            ...(row.hasParts && { 'aria-expanded': row.isOpen }),
            // The menu that JHyde has at the right button of the mouse.
            onContextMenu: event => {
                event.preventDefault();
                openMenu(event.currentTarget, row);
            },
        },
        content: (
            <>
                <span role="gridcell" class="text" style={indent} title={pathOf(row)}>
                    <span
                        class="twisty"
                        aria-hidden="true"
                        onClick={event => {
                            event.stopPropagation();
                            flip(index);
                        }}
                    >
                        {row.hasParts ? (row.isOpen ? '▾' : '▸') : ''}
                    </span>
                    <span class="mark" title={SIGNS[mark][1]}>
                        <span aria-hidden="true">{SIGNS[mark][0]}</span>
                        {mark !== 'same' && <span class="unseen">{SIGNS[mark][1]}: </span>}
                    </span>
                    <span title={'path' in row.part ? row.part.path : row.part.name}>{row.part.name}</span>
                </span>
                <span role="gridcell" class="text value old" title={cut(old, 1000)}>
                    {isInitial ? '' : cut(isSameArray ? elementsOf(old) : old)}
                </span>
                <span role="gridcell" class="text value now" title={cut(now, 1000)}>
                    {cut(isSameArray ? elementsOf(now) : now)}
                </span>
                <span role="gridcell" class="row-tools">
                    <button
                        type="button"
                        tabIndex={-1}
                        aria-label={`Ask about ${row.part.name}`}
                        aria-haspopup="menu"
                        onClick={event => {
                            event.stopPropagation();
                            openMenu(event.currentTarget, row);
                        }}
                    >
                        ⋯
                    </button>
                </span>
            </>
        ),
    };
}
