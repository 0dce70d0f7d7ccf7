// The history of a variable: every write of the run that changed it.

import type { JSX } from 'preact';
import type { Write } from '../api/types';
import { placeName } from '../model/event-text';
import { cut } from '../model/shape';
import { Nothing, Panel } from '../parts/panel';
import { VirtualList } from '../parts/virtual-list';
import { goToWrite, history, historyOf, historyRow, showEarlier } from '../state/history';
import { names } from '../state/node';

export function HistoryView(): JSX.Element {
    const { value, error, loading } = history.value;
    const writes = value?.writes ?? [];
    return (
        <Panel
            label="Variable history"
            class="history-panel"
            tools={
                historyOf.value !== undefined && (
                    <span class="dim">
                        {cut(placeName(value?.variable ?? historyOf.value, names.value), 60)}
                    </span>
                )
            }
        >
            {error !== undefined && <Nothing>{error}</Nothing>}
            {historyOf.value === undefined && (
                <Nothing>Choose a variable in the node view, then “Show history”: every write to it appears here.</Nothing>
            )}
            {loading && value === undefined && <Nothing>Loading…</Nothing>}
            {value !== undefined && value.before > 0 && (
                <button type="button" class="link" onClick={showEarlier}>
                    {value.before.toLocaleString('en')} earlier writes…
                </button>
            )}
            {value !== undefined && writes.length === 0 && <Nothing>Nothing wrote to it.</Nothing>}
            {writes.length > 0 && (
                <VirtualList
                    label="Writes, the oldest first"
                    role="listbox"
                    count={writes.length}
                    row={index => {
                        const write = writes[index];
                        return { content: write === undefined ? '' : <WriteRow write={write} /> };
                    }}
                    active={historyRow.value}
                    onActive={index => {
                        const write = writes[index];
                        if (write !== undefined) {
                            void goToWrite(index, write);
                        }
                    }}
                />
            )}
        </Panel>
    );
}

function WriteRow({ write }: { write: Write }): JSX.Element {
    const { text, method, line, call, thread } = write;
    const place = `${method}${line === undefined ? '' : `:${line}`}`;
    return (
        <span class="text" title={`${text}\n${place}, thread ${thread}`}>
            <b class="value">{cut(placeName(text, names.value), 200)}</b>{' '}
            <span class="dim">
                {call === undefined ? '' : `#${call} `}
                {place}
            </span>
        </span>
    );
}
