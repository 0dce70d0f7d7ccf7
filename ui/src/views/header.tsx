// The head of the page: what is shown, what the server is doing, and how the page looks.

import type { JSX } from 'preact';
import { cancel, doing, lines, lost, recording, session } from '../state/session';
import { selectTrace, selectedCall, selectedEvent } from '../state/selection';
import { THEMES, theme } from '../state/theme';
import { cut } from '../model/shape';
import { isHelpOpen } from './keys';

export function Header(): JSX.Element {
    const now = session.value;
    const shown = recording.value;
    return (
        <header>
            <h1 title={now?.title}>{now?.title ?? 'querypoint'}</h1>
            {now !== undefined && now.recordings.length > 1 && (
                <label>
                    <span class="unseen">Recording</span>
                    <select
                        value={String(shown?.trace ?? 0)}
                        onChange={event => selectTrace(Number(event.currentTarget.value))}
                    >
                        {now.recordings.map(({ trace, name }) => (
                            <option key={trace} value={String(trace)}>
                                {name}
                            </option>
                        ))}
                    </select>
                </label>
            )}
            {shown !== undefined && (
                <span class="dim command" title={cut(shown.command.join(' '), 1000)}>
                    {shown.calls.toLocaleString('en')} calls, level {shown.level}
                    {shown.state === 'recording' ? ', still running' : ''}
                </span>
            )}
            {doing.value !== '' && (
                <>
                    <span class="doing">{doing.value}</span>
                    <button type="button" onClick={() => void cancel()}>
                        Cancel
                    </button>
                </>
            )}
            <Status />
            <span class="dim where">{where()}</span>
            <button type="button" aria-label="Back" title="Back" onClick={() => history.back()}>
                ←
            </button>
            <button type="button" aria-label="Forward" title="Forward" onClick={() => history.forward()}>
                →
            </button>
            <label>
                <span class="unseen">Colours</span>
                <select
                    value={theme.value}
                    onChange={event => {
                        theme.value = THEMES.find(name => name === event.currentTarget.value) ?? 'system';
                    }}
                >
                    {THEMES.map(name => (
                        <option key={name} value={name}>
                            {name}
                        </option>
                    ))}
                </select>
            </label>
            <button
                type="button"
                onClick={() => {
                    isHelpOpen.value = true;
                }}
            >
                Keys
            </button>
        </header>
    );
}

function where(): string {
    const call = selectedCall.value;
    const event = selectedEvent.value;
    return call === undefined ? '' : `#${call}${event === undefined ? '' : `.${event}`}`;
}

/** What was said last, or why the last action failed. All of it is in the messages. */
function Status(): JSX.Element {
    const last = lines.value.findLast(({ kind }) => kind !== 'output');
    const text = cut(last?.text ?? '', 1000);
    return (
        <span class={`status ${last?.kind ?? ''}`} role="status" title={text}>
            {doing.value === '' ? text : <span class="unseen">{doing.value}</span>}
        </span>
    );
}

/** Whether the server is lost, and why parts of the run are missing. */
export function Notices(): JSX.Element {
    const shown = recording.value;
    const missing = [
        ...(shown?.state === 'failed' ? [shown.error ?? 'The recording failed.'] : []),
        ...(shown?.missing ?? []),
        ...(shown?.notes ?? []),
    ];
    return (
        <>
            {lost.value !== undefined && (
                <p class="banner" role="alert">
                    {lost.value}
                </p>
            )}
            {missing.length > 0 && <p class="notices">{cut(missing.join(' '), 400)}</p>}
        </>
    );
}
