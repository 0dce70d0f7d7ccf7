// The chain of questions: its points, and the runs that answer them.

import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import { LongText } from '../parts/long-text';
import { Nothing, Panel } from '../parts/panel';
import { openPopup } from '../parts/popup';
import { Scrolled } from '../parts/scrolled';
import { askChain, chain, chainFile, collect, removePoint, runChain } from '../state/chain';

/** The text of the chain's file, once it was asked for. */
const file = signal<string | undefined>(undefined);

export function ChainView(): JSX.Element {
    const now = chain.value;
    return (
        <Panel
            label="Chain"
            class="tool-panel"
            isNamed
            tools={now !== undefined && (
                <>
                    <span class="dim">{now.runs} runs</span>
                    <button type="button" disabled={now.state === 'running'} onClick={() => void runChain()}>Run</button>
                    <button
                        type="button"
                        onClick={async () => { file.value = file.value === undefined ? await chainFile() : undefined; }}
                    >
                        {file.value === undefined ? 'Show its file' : 'Hide its file'}
                    </button>
                </>
            )}
        >
            <Scrolled label="Points of the chain">
                {now === undefined ? <Nothing>Loading…</Nothing> : (
                    <>
                        <p role="status">
                            {now.name}: {now.state}{now.answer?.outcome === undefined ? '' : `, ${now.answer.outcome}`}
                        </p>
                        {now.error !== undefined && <p class="failed"><LongText text={now.error} /></p>}
                        {now.answer?.warnings?.map(text => <p key={text} class="notice"><LongText text={text} /></p>)}
                        <ul class="points">{now.points.map(point => <PointRow key={point.id} point={point} />)}</ul>
                    </>
                )}
                {file.value !== undefined && <pre>{file.value}</pre>}
            </Scrolled>
        </Panel>
    );
}

function PointRow({ point: { id, question, collect: collected, text } }: {
    point: { id: string; question: string; collect: string[]; text?: string };
}): JSX.Element {
    return (
        <li>
            <button
                type="button"
                aria-haspopup="menu"
                aria-label={`Ask from ${id}`}
                onClick={event => openPopup(event.currentTarget, {
                    title: `${id}: ${question}`,
                    items: [
                        { label: 'What led here?', does: () => void askChain(id, 'LastCondition') },
                        { label: 'Remove', does: () => void removePoint(id) },
                    ],
                    form: {
                        label: 'An expression to collect here',
                        button: 'Collect',
                        does: expression => void collect(id, expression),
                    },
                })}
            >
                {id}
            </button>{' '}
            <code>{question}</code>{collected.length === 0 ? '' : ` collects ${collected.join(', ')}`}
            {text !== undefined && <p class="dim pre"><LongText text={text} /></p>}
        </li>
    );
}
