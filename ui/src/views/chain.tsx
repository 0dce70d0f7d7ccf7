// The chain of questions: its points, and the runs that answer them.

import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import type { Chain, ChainPoint, Point } from '../api/tools';
import { counted, cut } from '../model/shape';
import { LongText } from '../parts/long-text';
import { Nothing, Panel } from '../parts/panel';
import { openPopup } from '../parts/popup';
import { Scrolled } from '../parts/scrolled';
import { placeText } from '../state/asking';
import { askChain, chain, isRunning, removePoint, runChain } from '../state/chain';
import { select } from '../state/selection';
import { timeline } from '../state/timeline';
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

/** What the last run that has the point found, as in the timeline. */
function foundOf(id: string): Point | undefined {
    return timeline.value.value?.runs
        .filter(({ kind }) => kind === 'replay')
        .flatMap(({ points }) => points)
        .findLast(point => point.id === id);
}

function PointRow({
    point: { id, question, collect: collected, text },
}: {
    point: ChainPoint;
}): JSX.Element {
    const found = foundOf(id);
    return (
        <li>
            <button
                type="button"
                class="point-id"
                aria-haspopup="dialog"
                aria-label={`Ask from ${id}`}
                title={`Ask from ${id}`}
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
            </button>
            <div class="point-text">
                <code>{question}</code>
                {collected === undefined || collected.length === 0
                    ? ''
                    : ` collects ${collected.join(', ')}`}
                {found !== undefined && <Found found={found} />}
                {text !== undefined && found === undefined && (
                    <p class="dim pre">
                        <LongText text={text} />
                    </p>
                )}
            </div>
        </li>
    );
}

/** Where a point is, and what was seen there. */
function Found({ found }: { found: Point }): JSX.Element {
    const { located, reason, selection, text, value, detail } = found;
    if (!located) {
        return <p class="failed">not located: {reason ?? 'no reason is known'}</p>;
    }
    const seen = Object.entries(detail?.collected ?? {}).map(([name, shown]) => `${name} = ${shown}`);
    return (
        <p class="dim">
            {selection === undefined ? (
                placeText(found)
            ) : (
                <button type="button" class="link" onClick={() => select(selection)}>
                    {placeText(found)}
                </button>
            )}{' '}
            {text !== undefined && <code>{cut(text)}</code>}{' '}
            {[...(value === undefined ? [] : [value]), ...seen].map(shown => [
                <code key={shown} class="seen">
                    {cut(shown)}
                </code>,
                ' ',
            ])}
        </p>
    );
}
