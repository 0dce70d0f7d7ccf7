// The chain of questions: its points, and the runs that answer them.

import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import type { Chain, ChainPoint } from '../api/tools';
import { counted } from '../model/shape';
import { LongText } from '../parts/long-text';
import { Nothing, Panel } from '../parts/panel';
import { openPopup } from '../parts/popup';
import { Scrolled } from '../parts/scrolled';
import { askChain, chain, isRunning, removePoint, runChain } from '../state/chain';
import { pointForms } from './point-forms';

/** Whether the text of the chain file is shown. */
const isFileShown = signal(false);

export function ChainView(): JSX.Element {
    const now = chain.value;
    return (
        <Panel label="Chain" class="tool-panel" isNamed tools={now !== undefined && <Tools now={now} />}>
            <Scrolled label="Points of the chain">
                {now === undefined ? (
                    <Nothing>There is no chain yet.</Nothing>
                ) : (
                    <>
                        <p role="status">
                            {now.name}: {now.state}
                            {now.answer?.outcome === undefined ? '' : `, ${now.answer.outcome}`}
                        </p>
                        {now.error !== undefined && (
                            <p class="failed">
                                <LongText text={now.error} />
                            </p>
                        )}
                        <ul class="points">
                            {now.points?.map(point => (
                                <PointRow key={point.id} point={point} />
                            ))}
                        </ul>
                        {now.answer?.warnings?.map(text => (
                            <p key={text} class="notice">
                                <LongText text={text} />
                            </p>
                        ))}
                    </>
                )}
                {isFileShown.value && now?.ron !== undefined && <pre>{now.ron}</pre>}
            </Scrolled>
        </Panel>
    );
}

function Tools({ now }: { now: Chain }): JSX.Element {
    const { ron } = now;
    return (
        <>
            {now.runs !== undefined && <span class="dim">{counted(now.runs, 'run')}</span>}
            <button type="button" disabled={isRunning.value} onClick={() => void runChain()}>
                Run
            </button>
            {ron !== undefined && (
                <>
                    <button
                        type="button"
                        onClick={() => {
                            isFileShown.value = !isFileShown.value;
                        }}
                    >
                        {isFileShown.value ? 'Hide its file' : 'Show its file'}
                    </button>
                    <button type="button" onClick={() => save(ron)}>
                        Save its file
                    </button>
                </>
            )}
        </>
    );
}

function save(ron: string): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([ron], { type: 'text/plain' }));
    link.download = 'chain.ron';
    link.click();
    URL.revokeObjectURL(link.href);
}

function PointRow({
    point: { id, question, collect: collected, text },
}: {
    point: ChainPoint;
}): JSX.Element {
    return (
        <li>
            <button
                type="button"
                aria-haspopup="dialog"
                aria-label={`Ask from ${id}`}
                onClick={event =>
                    openPopup(event.currentTarget, {
                        title: `${id}: ${question}`,
                        items: [
                            { label: 'What led here?', does: () => void askChain(id, 'LastCondition') },
                            { label: 'Remove', does: () => void removePoint(id) },
                        ],
                        forms: pointForms(id),
                    })
                }
            >
                {id}
            </button>{' '}
            <code>{question}</code>
            {collected === undefined || collected.length === 0 ? '' : ` collects ${collected.join(', ')}`}
            {text !== undefined && (
                <p class="dim pre">
                    <LongText text={text} />
                </p>
            )}
        </li>
    );
}
