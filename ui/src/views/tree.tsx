// The execution tree: all calls, by thread.

import type { JSX } from 'preact';
import type { Balloons, CallShown, FoldedRow, ThreadInfo, Verdict } from '../api/types';
import { callText, outcomeText } from '../model/event-text';
import type { Located } from '../model/tree-rows';
import { Balloon } from '../parts/balloon';
import { Nothing, Panel } from '../parts/panel';
import { VirtualList, type RowShown } from '../parts/virtual-list';
import { recording, session, sessionError } from '../state/session';
import { selectedCall } from '../state/selection';
import {
    activateRow,
    activeRow,
    canOpen,
    close,
    levelsAbove,
    located,
    open,
    rowCount,
    shownRow,
} from '../state/tree';

/** The indentation of a level in pixels, and the last level that has one of its own. */
const INDENT = 13;
const DEEPEST = 9;

/** The sign of each verdict, which tells it apart without its colour. */
const SIGNS: Record<Verdict, string> = {
    valid: '✓',
    invalid: '✗',
    trusted: 'T',
    unknown: '?',
    inadmissible: '↯',
    buggy: '✹',
    asked: '▸',
    assumed: '!',
};

const WORDS: Record<Verdict, string> = {
    valid: 'valid',
    invalid: 'invalid',
    trusted: 'trusted',
    unknown: 'unknown',
    inadmissible: 'given wrong inputs',
    buggy: 'the buggy call',
    asked: 'asked about',
    assumed: 'assumed to be invalid',
};

export function TreeView(): JSX.Element {
    const count = rowCount();
    const failed = sessionError.value ?? recording.value?.error;
    return (
        <Panel label="Execution tree" class="tree-panel">
            {levelsAbove.value > 0 && (
                <Nothing>The outermost {levelsAbove.value} calls of this thread are left out.</Nothing>
            )}
            {count === 0 ? (
                <Nothing>{failed ?? emptyText()}</Nothing>
            ) : (
                <VirtualList
                    label="Calls"
                    role="tree"
                    count={count}
                    row={treeRow}
                    active={activeRow.value}
                    onActive={activateRow}
                    onKey={onKey}
                    onOpen={toggle}
                />
            )}
        </Panel>
    );
}

function emptyText(): string {
    if (session.value === undefined) {
        return 'Loading…';
    }
    return recording.value?.state === 'recording'
        ? 'The program runs. Its calls appear here.'
        : 'There is no recorded call.';
}

function toggle(index: number): void {
    if (located(index)?.below === undefined) {
        void open(index);
    } else {
        close(index);
    }
}

function onKey(event: KeyboardEvent, index: number): boolean {
    const at = located(index);
    if (at === undefined) {
        return false;
    }
    switch (event.key) {
        case 'ArrowRight':
            if (at.below !== undefined) {
                activateRow(index + 1, true);
            } else {
                void open(index);
            }
            return true;
        case 'ArrowLeft':
            if (at.below !== undefined) {
                close(index);
            } else if (at.parent !== undefined) {
                activateRow(at.parent, true);
            }
            return true;
        case 'Enter':
        case ' ':
            toggle(index);
            return true;
        default:
            return false;
    }
}

function treeRow(index: number): RowShown {
    const at = located(index);
    if (at === undefined) {
        return { content: '' };
    }
    const shown = shownRow(at);
    const opens = canOpen(at);
    const attributes = {
        'aria-level': levelOf(at),
        'aria-setsize': at.list.count,
        'aria-posinset': at.row + 1,
        ...(opens && { 'aria-expanded': at.below !== undefined }),
    };
    switch (shown.is) {
        case 'thread':
            return {
                attributes,
                content: (
                    <Row at={at} index={index} opens={opens}>
                        <Thread {...shown.thread} />
                    </Row>
                ),
            };
        case 'waiting':
            return {
                class: 'waiting',
                attributes,
                content: (
                    <Row at={at} index={index} opens={false}>
                        …
                    </Row>
                ),
            };
        case 'failed':
            return {
                attributes,
                content: (
                    <Row at={at} index={index} opens={false}>
                        {shown.error}
                    </Row>
                ),
            };
        case 'rows': {
            const { row } = shown;
            const isFolded = 'folded' in row;
            const isSelected = !isFolded && row.call.node === selectedCall.value;
            return {
                attributes: { ...attributes, 'aria-selected': isSelected },
                class: [
                    row.verdict === undefined ? '' : `verdict-${row.verdict}`,
                    isSelected ? 'selected' : '',
                ].join(' '),
                content: (
                    <Row at={at} index={index} opens={opens}>
                        {row.verdict !== undefined && <Sign verdict={row.verdict} />}
                        {row.balloons !== undefined && (
                            <Balloons {...row.balloons} isOpen={at.below !== undefined} />
                        )}
                        {isFolded ? <Folded {...row} /> : <Call call={row.call} />}
                    </Row>
                ),
            };
        }
    }
}

/** The level of a row, also where levels above are left out. */
function levelOf({ depth }: Located<unknown>): number {
    return depth + 1 + (depth > 0 ? levelsAbove.value : 0);
}

function Row({
    at,
    index,
    opens,
    children,
}: {
    at: Located<unknown>;
    index: number;
    opens: boolean;
    children: preact.ComponentChildren;
}): JSX.Element {
    const isDeep = levelOf(at) > DEEPEST;
    return (
        <span class="tree-row" style={{ paddingInlineStart: `${Math.min(at.depth, DEEPEST) * INDENT}px` }}>
            <span
                class="twisty"
                aria-hidden="true"
                onClick={event => {
                    if (opens) {
                        event.stopPropagation();
                        toggle(index);
                    }
                }}
            >
                {opens ? (at.below === undefined ? '▸' : '▾') : ''}
            </span>
            {isDeep && (
                <span class="dim" title="Level of the call">
                    {levelOf(at)}›{' '}
                </span>
            )}
            {children}
        </span>
    );
}

function Sign({ verdict }: { verdict: Verdict }): JSX.Element {
    return (
        <span class="sign" title={WORDS[verdict]}>
            <span aria-hidden="true">{SIGNS[verdict]}</span>
            <span class="unseen">{WORDS[verdict]}: </span>
        </span>
    );
}

function Thread({ name, calls }: ThreadInfo): JSX.Element {
    return (
        <>
            <b>{name}</b>&nbsp;<span class="dim">thread, {calls.toLocaleString('en')} calls</span>
        </>
    );
}

function Folded({ folded, method, below }: FoldedRow): JSX.Element {
    return (
        <span class="folded" title={`${below.toLocaleString('en')} calls below them`}>
            {folded.toLocaleString('en')} more calls of {method}
        </span>
    );
}

function Call({ call }: { call: CallShown }): JSX.Element {
    const outcome = outcomeText(call);
    const full = `#${call.node} ${call.class}.${callText(call, 400)} ${outcomeText(call, 400)}`;
    return (
        <>
            <span class="text" title={full}>
                <span class="dim">#{call.node}</span> {callText(call)}
            </span>
            {outcome !== '' && (
                <span class={call.exception === undefined ? 'outcome' : 'outcome thrown'} title={full}>
                    {outcome}
                </span>
            )}
        </>
    );
}

function Balloons({ own, below, isOpen }: Balloons & { isOpen: boolean }): JSX.Element | null {
    const count = own + (isOpen ? 0 : below);
    return count === 0 ? null : (
        <Balloon count={count} title={`${count} possible omissions here or below`} />
    );
}
