// The source of the selected call.

import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Nothing, Panel } from '../../parts/panel';
import { omissions, suggestionsAt } from '../../state/omissions';
import { tool } from '../../state/layout';
import { selectedCall, selection } from '../../state/selection';
import { cursorLine, goToExecution, lineFacts, source } from '../../state/source';
import { openValueMenu } from '../value-menu';
import { SourceEditor } from './editor';

function nonce(): string {
    return document.querySelector<HTMLMetaElement>('meta[name=nonce]')?.content ?? '';
}

export function SourceView(): JSX.Element {
    const file = source.value;
    const text = file.value?.lines ?? [];
    const why = file.error ?? file.value?.why;
    return (
        <Panel label="Source" class="source-panel" tools={<LineTools />}>
            {selectedCall.value === undefined && <Nothing>Select a call in the tree: its source appears here.</Nothing>}
            {why !== undefined && <Nothing>{why}</Nothing>}
            {text.length > 0 ? <Editor /> : <KnownLines />}
        </Panel>
    );
}

function Editor(): JSX.Element {
    const place = useRef<HTMLDivElement>(null);
    const editor = useRef<SourceEditor | undefined>(undefined);
    const file = source.value.value;
    const facts = lineFacts.value.value;
    const found = omissions.value;

    useEffect(() => {
        if (place.current === null) {
            return undefined;
        }
        const made = new SourceEditor(place.current, nonce(), {
            onCursor: line => {
                cursorLine.value = line;
            },
            onValue: (at, name, text) => openValueMenu(at, { path: name, place: name, text }),
            onBalloon: () => {
                tool.value = 'omissions';
            },
        });
        editor.current = made;
        return () => made.end();
    }, []);

    useEffect(() => editor.current?.setText((file?.lines ?? []).join('\n')), [file]);

    const isOfFile = facts !== undefined && facts.class === file?.class;
    const here = isOfFile ? facts.here : undefined;

    useEffect(() => {
        const lines = isOfFile ? facts.lines : [];
        const balloons = new Map<number, number[]>();
        for (const { jump } of found?.suggestions ?? []) {
            if (jump.line !== undefined && jump.class === file?.class) {
                balloons.set(
                    jump.line,
                    suggestionsAt(jump.class, jump.line).map(({ number }) => number),
                );
            }
        }
        editor.current?.setBeside({
            facts: new Map(lines.map(line => [line.line, line])),
            balloons,
            ...(here !== undefined && { here }),
        });
    }, [file, facts, found]);

    // Later answers about the same selection do not scroll.
    useEffect(() => {
        if (here !== undefined) {
            editor.current?.reveal(here);
        }
    }, [file, here, selection.value]);

    return <div ref={place} class="editor" />;
}

function LineTools(): JSX.Element | null {
    const line = cursorLine.value;
    const facts = lineFacts.value.value;
    const count = facts?.lines.find(known => known.line === line)?.count ?? 0;
    if (source.value.value === undefined || facts === undefined) {
        return null;
    }
    const name = source.value.value.file;
    return (
        <>
            {name !== undefined && <span class="dim file">{name}</span>}
            <span class="dim">
                line {line} ran {count.toLocaleString('en')}
                {facts.complete ? '' : '+'}×
            </span>
            {(
                [
                    ['previous', '◂', 'Previous'],
                    ['next', '▸', 'Next'],
                ] as const
            ).map(([which, sign, word]) => (
                <button
                    key={which}
                    type="button"
                    aria-label={`${word} execution of line ${line}`}
                    title={`${word} execution of line ${line}`}
                    onClick={() => void goToExecution(line, which)}
                >
                    {sign}
                </button>
            ))}
        </>
    );
}

/** Without a text, the lines of which something is known. */
function KnownLines(): JSX.Element | null {
    const facts = lineFacts.value.value;
    if (facts === undefined || facts.lines.length === 0) {
        return null;
    }
    return (
        <ol class="known-lines">
            {facts.lines.slice(0, MOST).map(({ line, count, values }) => (
                <li
                    key={line}
                    value={line}
                    aria-current={line === facts.here}
                    class={line === facts.here ? 'here' : ''}
                >
                    line {line}, ran {count.toLocaleString('en')}×{' '}
                    {values.map(({ name, value }) => (
                        <button
                            key={name}
                            type="button"
                            class="line-value"
                            onClick={event =>
                                openValueMenu(event.currentTarget, { path: name, place: name, text: value })
                            }
                        >
                            {name} = {value.slice(0, 80)}
                        </button>
                    ))}
                </li>
            ))}
        </ol>
    );
}

/** Maximum number of lines that are listed. */
const MOST = 500;
