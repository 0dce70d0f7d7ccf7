// Declarative debugging: the question, and the buttons that answer it.

import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import { callText, outcomeText } from '../model/event-text';
import { counted, cut, shapeText, simpleName } from '../model/shape';
import type { Change, Question } from '../api/types';
import type { DiagnosisResult } from '../api/tools';
import { LongText } from '../parts/long-text';
import { Nothing, Panel } from '../parts/panel';
import { openPopup } from '../parts/popup';
import { Scrolled } from '../parts/scrolled';
import { answer, diagnosis, endDiagnosis, ensure, question, startDiagnosis } from '../state/diagnosis';
import { node } from '../state/node';
import { recording } from '../state/session';
import { select, selectedCall } from '../state/selection';

/** Maximum number of changes in the text of a question; the node view has all. */
const CHANGES = 6;
/** Maximum number of replies that are shown. */
const REPLIES = 50;

const strategy = signal<string | undefined>(undefined);

export function DiagnosisView(): JSX.Element {
    const now = diagnosis.value;
    return (
        <Panel
            label="Diagnosis"
            class="tool-panel"
            isNamed
            tools={
                now !== undefined &&
                now.state !== 'none' && (
                    <>
                        {now.suspicious !== undefined && (
                            <span class="dim">{now.suspicious.toLocaleString('en')} suspicious calls</span>
                        )}
                        <button type="button" onClick={() => void endDiagnosis()}>
                            End
                        </button>
                    </>
                )
            }
        >
            <Scrolled label="Question">
                {now === undefined ? (
                    <Nothing>Loading…</Nothing>
                ) : (
                    <>
                        {now.state === 'none' && <Start />}
                        {now.state === 'working' && <p role="status">Looking for the next question…</p>}
                        {question.value !== undefined && <Open question={question.value} />}
                        {now.state === 'ended' && <Result result={now.result} />}
                        {now.error !== undefined && (
                            <p class="failed">
                                <LongText text={now.error} />
                            </p>
                        )}
                        <Replies replies={now.replies ?? []} />
                    </>
                )}
            </Scrolled>
        </Panel>
    );
}

function Start(): JSX.Element {
    const strategies = diagnosis.value?.strategies ?? [];
    const chosen = strategy.value ?? diagnosis.value?.strategy ?? strategies[0]?.name;
    const call = selectedCall.value;
    const isReady = recording.value?.state === 'ready';
    return (
        <>
            <p>
                Questions find the method with the bug: did this call do what it should? A call that did
                not, while all calls below it did, has the bug.
            </p>
            {strategies.length > 0 && (
                <p class="line">
                    <label>
                        Strategy{' '}
                        <select
                            value={chosen}
                            onChange={event => {
                                strategy.value = event.currentTarget.value;
                            }}
                        >
                            {strategies.map(({ name }) => (
                                <option key={name} value={name}>
                                    {name}
                                </option>
                            ))}
                        </select>
                    </label>
                </p>
            )}
            <p class="dim">{strategies.find(({ name }) => name === chosen)?.about}</p>
            <p class="line">
                <button
                    type="button"
                    class="primary"
                    disabled={!isReady}
                    onClick={() => void startDiagnosis(chosen, undefined)}
                >
                    Start
                </button>
                <button
                    type="button"
                    disabled={!isReady || call === undefined}
                    onClick={() => void startDiagnosis(chosen, call)}
                >
                    Start below {call === undefined ? 'the selected call' : `#${call}`}
                </button>
            </p>
        </>
    );
}

function Open({ question: open }: { question: Question }): JSX.Element {
    const call = selectedCall.value;
    const isOther = call !== undefined && call !== open.node;
    const known = node.value.value?.call;
    return (
        <>
            <p class="asked" aria-live="polite">
                Question {open.question}: did{' '}
                <button type="button" class="link" onClick={() => select({ call: open.node })}>
                    #{open.node} {open.class}.
                    {known?.node === open.node ? callText(known, 200) : open.method}
                </button>{' '}
                {known?.node === open.node ? outcomeText(known, 200) : ''} do what it should?
            </p>
            <Changed changed={usedFirst(open)} />
            {isOther && <p class="notice">Call #{call} is selected: the answer is about that call.</p>}
            <div class="answers" role="group" aria-label="Answers">
                <button
                    type="button"
                    class="valid"
                    title="It did what it should (v)"
                    onClick={() => void answer('valid')}
                >
                    <span aria-hidden="true">✓</span> Valid
                </button>
                <button
                    type="button"
                    class="invalid"
                    title="It did not (i)"
                    onClick={() => void answer('invalid')}
                >
                    <span aria-hidden="true">✗</span> Invalid
                </button>
                <button
                    type="button"
                    class="trusted"
                    title="The method is known to be right (t)"
                    onClick={() => void answer('trusted')}
                >
                    <span aria-hidden="true">T</span> Trusted
                </button>
                <button
                    type="button"
                    class="trusted"
                    aria-haspopup="menu"
                    aria-label="Trust its class or package"
                    title="Trust its class or package"
                    onClick={event =>
                        openPopup(event.currentTarget, {
                            title: 'Trust more than the method',
                            items: [
                                {
                                    label: 'Trust its class',
                                    does: () => void answer('trusted', { of: 'class' }),
                                },
                                {
                                    label: 'Trust its package',
                                    does: () => void answer('trusted', { of: 'package' }),
                                },
                            ],
                        })
                    }
                >
                    ▾
                </button>
                <button type="button" title="You cannot say (u)" onClick={() => void answer('unknown')}>
                    <span aria-hidden="true">?</span> Unknown
                </button>
                <button
                    type="button"
                    title="It was given wrong inputs (x)"
                    onClick={() => void answer('inadmissible')}
                >
                    <span aria-hidden="true">↯</span> Wrong inputs
                </button>
                <button
                    type="button"
                    aria-haspopup="menu"
                    title="What all calls of the method must do"
                    onClick={event =>
                        openPopup(event.currentTarget, {
                            title: 'All calls of the method must do this, in Java',
                            items: [],
                            forms: [
                                {
                                    label: 'result.length() == 7',
                                    button: 'Keep',
                                    does: text => void ensure(text),
                                },
                            ],
                        })
                    }
                >
                    Must do…
                </button>
                <Undo />
            </div>
            <p class="dim">
                If one value is wrong, choose it in the node view and use “This is wrong” there.
            </p>
        </>
    );
}

function Undo(): JSX.Element {
    return (
        <button type="button" title="Takes the last answer back (z)" onClick={() => void answer('undo')}>
            Undo
        </button>
    );
}

/** The changes of a call: those that the failing run used later come first, in the order of use. */
function usedFirst({ changed, used = [] }: Question): Change[] {
    const places = new Map(used.map((path, place) => [path, place]));
    const place = ({ path }: Change): number => places.get(path) ?? used.length;
    return [...changed].sort((one, other) => place(one) - place(other));
}

function Changed({ changed }: { changed: Change[] }): JSX.Element | null {
    if (changed.length === 0) {
        return null;
    }
    return (
        <ul class="changes">
            {changed.slice(0, CHANGES).map(({ path, old, new: now }) => (
                <li key={path}>
                    <code>
                        {path}: {cut(shapeText(old))} → {cut(shapeText(now))}
                    </code>
                </li>
            ))}
            {changed.length > CHANGES && (
                <li class="dim">{changed.length - CHANGES} more in the node view</li>
            )}
        </ul>
    );
}

function Result({ result }: { result: DiagnosisResult | undefined }): JSX.Element {
    const buggy = result?.buggy ?? undefined;
    const strategyNow = diagnosis.value?.strategy;
    return (
        <>
            <p class="result" role="status">
                {buggy === undefined ? (
                    (result?.text ?? 'No buggy call was found.')
                ) : (
                    <>
                        <span aria-hidden="true">✹ </span>The bug is in{' '}
                        <button type="button" class="link" onClick={() => select({ call: buggy.node })}>
                            {simpleName(buggy.class)}.{buggy.method}
                            {buggy.line === undefined ? '' : `, line ${buggy.line}`}
                        </button>
                        , call #{buggy.node}
                        {result?.answers === undefined ? '' : `, after ${counted(result.answers, 'answer')}`}.
                    </>
                )}
            </p>
            {buggy !== undefined && (
                <p class="dim">
                    No call below it was found wrong. To find its line, choose a wrong value in the node view
                    and ask why it is so, or read its events.
                    {(recording.value?.threads.length ?? 0) > 1 &&
                        ' Calls of other threads may not have been asked about: select one and use “Start below”.'}
                </p>
            )}
            <p class="line">
                <Undo />
                <button type="button" onClick={() => void startDiagnosis(strategyNow, undefined)}>
                    Start again
                </button>
            </p>
        </>
    );
}

function Replies({ replies }: { replies: { text: string }[] }): JSX.Element | null {
    if (replies.length === 0) {
        return null;
    }
    const shown = replies.slice(-REPLIES).reverse();
    return (
        <details class="replies">
            <summary>What was answered and said ({replies.length})</summary>
            <ul>
                {shown.map(({ text }, index) => (
                    <li key={index}>
                        <LongText text={text} />
                    </li>
                ))}
            </ul>
        </details>
    );
}
