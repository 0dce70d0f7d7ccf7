// The events of the selected call, in their order.

import type { JSX } from 'preact';
import type { EventRow } from '../api/types';
import { eventText, placeName } from '../model/event-text';
import { counted } from '../model/shape';
import { Balloon } from '../parts/balloon';
import { Nothing, Panel } from '../parts/panel';
import { VirtualList, type RowShown } from '../parts/virtual-list';
import { askWhy } from '../state/asking';
import { startChain } from '../state/chain';
import { events, eventsAbout } from '../state/events';
import { names } from '../state/node';
import { session } from '../state/session';
import { select, selectedCall, selectedEvent, selectedPath, step } from '../state/selection';
import { textOfLine } from '../state/source';

export function EventsView(): JSX.Element {
    const list = events.value;
    const count = list?.count.value;
    const error = list?.error.value;
    return (
        <Panel label="Events" class="events-panel" tools={<Tools count={count} />}>
            {error !== undefined && <Nothing>{error}</Nothing>}
            {selectedCall.value === undefined && (
                <Nothing>Select a call in the tree: what happened in it appears here, event by event.</Nothing>
            )}
            {count === 0 && <Nothing>{emptyText()}</Nothing>}
            {count !== undefined && count > 0 && (
                <VirtualList
                    scope={eventsAbout.value?.call.node}
                    label="Events of the call"
                    role="grid"
                    columns={4}
                    count={count}
                    row={eventRow}
                    active={activeRow()}
                    onActive={(index, isStep) => go(index + 1, isStep)}
                    onKey={onKey}
                    onOpen={enter}
                />
            )}
        </Panel>
    );
}

function Tools({ count }: { count: number | undefined }): JSX.Element {
    const call = selectedCall.value;
    const event = selectedEvent.value;
    const path = selectedPath.value;
    const isComplete = eventsAbout.value?.complete !== false;
    return (
        <>
            {count !== undefined && (
                <span
                    class="dim"
                    title={path === undefined ? undefined : `The changes of ${path} are marked`}
                >
                    {counted(count, 'event')}
                    {isComplete ? '' : ' so far'}
                    {path === undefined ? '' : `, ● ${placeName(path, names.value)}`}
                </span>
            )}
            <button
                type="button"
                disabled={call === undefined}
                title="Which condition or exception led here"
                onClick={() =>
                    call !== undefined && void askWhy({ call, ...(event !== undefined && { event }) })
                }
            >
                What led here?
            </button>
            {session.value?.can_run !== false && (
                <button
                    type="button"
                    disabled={call === undefined || event === undefined}
                    title="Runs the program again up to this event, and begins a chain of questions there"
                    onClick={() =>
                        call !== undefined && event !== undefined && void startChain({ call, event })
                    }
                >
                    Run to here
                </button>
            )}
            <button
                type="button"
                disabled={call === undefined || event === undefined}
                onClick={() => call !== undefined && select({ call })}
            >
                To the end
            </button>
        </>
    );
}

/** The row of the selected event. Event 0 is the entry of the call, which has no row. */
function activeRow(): number | undefined {
    const event = selectedEvent.value ?? 0;
    return event < 1 ? undefined : event - 1;
}

function emptyText(): string {
    const about = eventsAbout.value;
    if (about?.complete === false) {
        return 'Looking for events…';
    }
    return about?.level === 'calls'
        ? 'This recording has only calls. Record with `--level all` to see each event.'
        : 'The call has no events.';
}

function go(event: number, isStep: boolean): void {
    const call = selectedCall.peek();
    if (call !== undefined) {
        (isStep ? step : select)({ call, event });
    }
}

/** Goes into the call of a row. */
function enter(index: number): void {
    const row = events.peek()?.peek(index);
    if (row?.call !== undefined) {
        select({ call: row.call.node });
    }
}

function onKey(event: KeyboardEvent, index: number): boolean {
    if (event.key !== 'Enter') {
        return false;
    }
    enter(index);
    return true;
}

function eventRow(index: number): RowShown {
    const row = events.value?.row(index);
    if (row === undefined) {
        return { class: 'waiting', content: <span role="gridcell">…</span> };
    }
    return {
        class: row.changes === true ? 'changed' : row.changes_below === true ? 'inside' : '',
        content: <Event row={row} />,
    };
}

function Event({ row }: { row: EventRow }): JSX.Element {
    const text = eventText(row, names.value);
    const source = row.kind === 'line' || row.kind === 'branch' ? textOfLine(row.line) : undefined;
    return (
        <>
            <span role="gridcell" class="number">
                {row.event}
            </span>
            <span role="gridcell" class="number dim" title="Line">
                {row.line ?? ''}
            </span>
            <span role="gridcell" class="text" title={eventText(row)}>
                {row.changes === true && <Mark sign="●" word="changes the chosen variable" />}
                {row.changes_below === true && <Mark sign="◐" word="the chosen variable changes below" />}
                {row.omitted?.map(number => (
                    <Balloon key={number} count={number} title={`Possible omission ${number}`} />
                ))}
                {row.kind === 'line' && source !== undefined ? (
                    <span class="code">{source}</span>
                ) : (
                    <span class={`kind-${row.kind}`}>{text}</span>
                )}
                {row.kind === 'branch' && <span class="dim code"> {source ?? ''}</span>}
            </span>
            <span role="gridcell" class="row-tools">
                {row.call !== undefined && (
                    <button
                        type="button"
                        tabIndex={-1}
                        onClick={inside(() => select({ call: row.call?.node ?? 0 }))}
                    >
                        into
                    </button>
                )}
            </span>
        </>
    );
}

/** A click on a button of a row that does not select the row as well. */
function inside(does: (event: MouseEvent) => void): (event: MouseEvent) => void {
    return event => {
        event.stopPropagation();
        does(event);
    };
}

function Mark({ sign, word }: { sign: string; word: string }): JSX.Element {
    return (
        <span class="mark" title={word}>
            <span aria-hidden="true">{sign}</span>
            <span class="unseen">{word}: </span>
        </span>
    );
}
