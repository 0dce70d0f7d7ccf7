// Queries over the whole run: a prompt, the predefined ones, and answers that move the selection.

import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import { counted, cut } from '../model/shape';
import { Nothing, Panel } from '../parts/panel';
import { Scrolled } from '../parts/scrolled';
import { VirtualList } from '../parts/virtual-list';
import { ask, askedLines, goToRow, isAsking, queryAnswer, queryHelp } from '../state/queries';

const line = signal('');
/** The asked line that the prompt shows, counted from the newest; 0 is a new one. */
const back = signal(0);
const active = signal<number | undefined>(undefined);

export function QueriesView(): JSX.Element {
    const answer = queryAnswer.value;
    return (
        <Panel label="Queries" class="tool-panel" isNamed>
            <Prompt />
            {answer === undefined ? <Predefined /> : <Answer />}
        </Panel>
    );
}

function run(text: string): void {
    const trimmed = text.trim();
    if (trimmed !== '') {
        back.value = 0;
        line.value = '';
        active.value = undefined;
        void ask(trimmed);
    }
}

function Prompt(): JSX.Element {
    const onKeyDown = (event: KeyboardEvent): void => {
        const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
        const lines = askedLines.value;
        if (by !== 0 && lines.length > 0) {
            back.value = Math.min(lines.length, Math.max(0, back.value + by));
            line.value = back.value === 0 ? '' : (lines[lines.length - back.value] ?? '');
            event.preventDefault();
        }
    };
    return (
        <form
            class="line prompt"
            onSubmit={event => {
                event.preventDefault();
                run(line.value);
            }}
        >
            <input
                aria-label="Query"
                placeholder={'A query or a goal; “help” lists what there is'}
                autocomplete="off"
                spellcheck={false}
                value={line.value}
                onInput={event => {
                    line.value = event.currentTarget.value;
                }}
                onKeyDown={onKeyDown}
            />
            <button type="submit" disabled={isAsking.value}>
                Ask
            </button>
            <button
                type="button"
                disabled={isAsking.value || queryAnswer.value?.waits !== true}
                title="The next solution"
                onClick={() => void ask(';')}
            >
                ; next
            </button>
            {queryAnswer.value !== undefined && (
                <button
                    type="button"
                    onClick={() => {
                        queryAnswer.value = undefined;
                    }}
                >
                    Examples
                </button>
            )}
        </form>
    );
}

/** Puts a line into the prompt, where it can be changed before it is asked. */
function take(event: MouseEvent, text: string): void {
    line.value = text;
    const panel = (event.currentTarget as Element).closest('section');
    panel?.querySelector<HTMLInputElement>('.prompt input')?.focus();
}

function Predefined(): JSX.Element {
    const help = queryHelp.value;
    if (help === undefined) {
        return <Nothing>Loading…</Nothing>;
    }
    return (
        <Scrolled label="Examples of queries">
            <ul class="examples">
                {help.queries.map(({ example, about }) => (
                    <li key={example}>
                        <button
                            type="button"
                            class="link code"
                            onClick={event => take(event, example)}
                        >
                            {example}
                        </button>{' '}
                        <span class="dim">{about}</span>
                    </li>
                ))}
                {help.predicates?.map(predicate => (
                    <li key={`rule ${predicate}`}>
                        <button
                            type="button"
                            class="link code"
                            onClick={() => {
                                line.value = callOf(predicate);
                            }}
                        >
                            {predicate}
                        </button>{' '}
                        <span class="dim">of your rules</span>
                    </li>
                ))}
                {help.saved?.map(saved => (
                    <li key={`saved ${saved}`}>
                        <button
                            type="button"
                            class="link code"
                            onClick={event => take(event, saved)}
                        >
                            {saved}
                        </button>{' '}
                        <span class="dim">asked before</span>
                    </li>
                ))}
            </ul>
        </Scrolled>
    );
}

/** A goal with a predicate such as `login/2`: `login(A, B)`. */
function callOf(predicate: string): string {
    const [name = '', arity = '0'] = predicate.split('/');
    const names = Array.from({ length: Number(arity) }, (_, index) => String.fromCharCode(65 + (index % 26)));
    return names.length === 0 ? name : `${name}(${names.join(', ')})`;
}

function Answer(): JSX.Element {
    const answer = queryAnswer.value;
    const rows = answer?.rows ?? [];
    if (rows.length === 0) {
        const failed = answer?.reply === 'error' || errorOf(answer?.content) !== undefined;
        return Array.isArray(answer?.content) ? (
            <Help content={answer.content as HelpLine[]} />
        ) : (
            <p class={failed ? 'nothing failed' : 'nothing'} role="status">
                {answer === undefined ? '' : contentText(answer.content)}
            </p>
        );
    }
    const asked = answer?.command === ';' ? askedLines.value.at(-1) : answer?.command;
    return (
        <>
            <p class="answered dim">
                <code>{cut(asked ?? '', 200)}</code>: {counted(rows.length, 'answer')}
            </p>
            <VirtualList
                label={`Answers to ${answer?.command ?? ''}`}
                role="listbox"
                count={rows.length}
                row={index => {
                    const row = rows[index];
                    return {
                        class: row?.selection === undefined ? 'plain' : '',
                        content: (
                            <span class="text" title={cut(row?.text ?? '', 2000)}>
                                {cut(row?.text ?? '')}
                            </span>
                        ),
                    };
                }}
                active={active.value}
                onActive={index => {
                    active.value = index;
                    const row = rows[index];
                    if (row !== undefined) {
                        void goToRow(row);
                    }
                }}
            />
        </>
    );
}

interface HelpLine {
    words: string;
    about: string;
}

function Help({ content }: { content: HelpLine[] }): JSX.Element {
    return (
        <Scrolled label="What can be asked">
            <ul class="examples">
                {content.map(({ words, about }) => (
                    <li key={words}>
                        <code>{words}</code> <span class="dim">{about}</span>
                    </li>
                ))}
            </ul>
        </Scrolled>
    );
}

/** Why a goal has no solution, if that is an error. */
function errorOf(content: unknown): string | undefined {
    const error = (content as { error?: unknown } | null | undefined)?.error;
    return typeof error === 'string' ? error : undefined;
}

function contentText(content: unknown): string {
    const error = errorOf(content);
    if (error !== undefined) {
        return cut(error, 2000);
    }
    if (typeof content === 'string') {
        return cut(content, 2000);
    }
    // Whatever else has no rows says that there are none.
    return 'There is no answer.';
}
