// Operations that were not executed: what should have happened to an object, and the jumps that prevented it.

import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import type { OmissionsFound, Suggestion } from '../api/tools';
import { simpleName } from '../model/shape';
import { Balloon } from '../parts/balloon';
import { LongText } from '../parts/long-text';
import { Nothing, Panel } from '../parts/panel';
import { Scrolled } from '../parts/scrolled';
import { placeText } from '../state/asking';
import {
    askOmissionsAgain,
    askedOptions,
    canAskAgain,
    clearOmissions,
    confirmationText,
    hidden,
    hideMethod,
    methodOf,
    omissions,
    omissionsState,
    showAllMethods,
    shownSuggestions,
    tryOtherWay,
} from '../state/omissions';
import { session } from '../state/session';
import { select } from '../state/selection';

/** How many calls may be between a jump and an operation, unless it is said. */
const WITHIN = 5;
/** Suggestions that are shown at once. */
const PAGE = 30;

const room = signal(PAGE);
const want = signal('');

export function OmissionsView(): JSX.Element {
    const found = omissions.value;
    const { isWorking, error } = omissionsState.value;
    return (
        <Panel
            label="Omissions"
            class="tool-panel"
            isNamed
            tools={
                found !== undefined && (
                    <button type="button" onClick={() => void clearOmissions()}>
                        Clear
                    </button>
                )
            }
        >
            <Scrolled label="Suggestions">
                {isWorking && <p role="status">Looking for omissions…</p>}
                {error !== undefined && (
                    <p class="failed">
                        <LongText text={error} />
                    </p>
                )}
                {found === undefined ? (
                    !isWorking && (
                        <Nothing>
                            If something is missing, choose an object in the node view, open its menu, and
                            ask “What should have happened to it?”. The operations that a jump has skipped
                            appear here.
                        </Nothing>
                    )
                ) : (
                    <Found found={found} />
                )}
            </Scrolled>
        </Panel>
    );
}

function Found({ found }: { found: OmissionsFound }): JSX.Element {
    const shown = shownSuggestions.value;
    const at =
        typeof found.at === 'string'
            ? found.at
            : `call #${found.at.call}${found.at.event === undefined ? '' : `, event ${found.at.event}`}`;
    return (
        <>
            <p>
                What could have happened to <code>{found.target}</code>
                {found.value === undefined || found.value === found.target ? (
                    ''
                ) : (
                    <>
                        {' '}
                        ={' '}
                        <code>
                            <LongText text={found.value} />
                        </code>
                    </>
                )}{' '}
                before {at}: {shown.length} of {found.suggestions.length} suggestions.
            </p>
            <Filter found={found} />
            <ol class="suggestions">
                {shown.slice(0, room.value).map(suggestion => (
                    <Suggested key={suggestion.number} found={suggestion} />
                ))}
            </ol>
            {shown.length > room.value && (
                <button
                    type="button"
                    class="link"
                    onClick={() => {
                        room.value += PAGE;
                    }}
                >
                    {shown.length - room.value} more suggestions
                </button>
            )}
            {found.more !== undefined && found.more > 0 && (
                <p class="dim">{found.more} more were not listed.</p>
            )}
            {[...(found.reasons ?? []), ...(found.notes ?? [])].map(text => (
                <p key={text} class="dim">
                    <LongText text={text} />
                </p>
            ))}
        </>
    );
}

/** How the search goes, and what of it is shown. */
function Filter({ found }: { found: OmissionsFound }): JSX.Element {
    return (
        <>
            {canAskAgain() && <Search found={found} />}
            {hidden.value.size > 0 && (
                <p class="line">
                    <button type="button" onClick={showAllMethods}>
                        Show all methods
                    </button>
                    {canAskAgain() && (
                        <button
                            type="button"
                            onClick={() => void askOmissionsAgain({ hide: [...hidden.value] })}
                        >
                            Search without the hidden methods
                        </button>
                    )}
                </p>
            )}
            {session.value?.can_run !== false && found.suggestions.length > 0 && (
                <p class="line">
                    <label class="line grow">
                        Condition that should hold{' '}
                        <input
                            class="code grow"
                            value={want.value}
                            placeholder="s.size() > 0"
                            onInput={event => {
                                want.value = event.currentTarget.value;
                            }}
                        />
                    </label>
                </p>
            )}
        </>
    );
}

/** The options of the search. It is asked again with the button. */
function Search({ found }: { found: OmissionsFound }): JSX.Element {
    const { within = WITHIN, field = false, reads = false, loops = false } = askedOptions();
    const submit = (event: Event): void => {
        event.preventDefault();
        const given = new FormData(event.currentTarget as HTMLFormElement);
        void askOmissionsAgain({
            within: Number(given.get('within')),
            field: given.has('field'),
            reads: given.has('reads'),
            loops: given.has('loops'),
        });
    };
    const options: [string, string, boolean][] = [
        ['field', 'writes of the variable itself', field],
        ['reads', found.hidden > 0 ? `reads (${found.hidden} are hidden)` : 'reads', reads],
        ['loops', 'loops that ended early', loops],
    ];
    return (
        <details class="search">
            <summary>Search in another way</summary>
            <form class="line" onSubmit={submit}>
                <label>
                    Within{' '}
                    <input name="within" type="number" min="0" max="20" required defaultValue={`${within}`} />{' '}
                    calls
                </label>
                {options.map(([name, text, isOn]) => (
                    <label key={name}>
                        <input name={name} type="checkbox" defaultChecked={isOn} /> {text}
                    </label>
                ))}
                <button type="submit">Search again</button>
            </form>
        </details>
    );
}

function Suggested({ found }: { found: Suggestion }): JSX.Element {
    const { number, jump, passes, operation, certainty, selection, confirmation } = found;
    const method = methodOf(found);
    return (
        <li>
            <p>
                <Balloon count={number} title={`Suggestion ${number}`} />{' '}
                <button
                    type="button"
                    class="link"
                    disabled={selection === undefined}
                    onClick={() => selection !== undefined && select(selection)}
                >
                    {placeText({
                        method: `${simpleName(jump.class)}.${jump.method}`,
                        ...(jump.line !== undefined && { line: jump.line }),
                    })}
                </button>{' '}
                <code>{found.text}</code> {found.outcome}
            </p>
            <p class="dim">
                would lead to <code>{operation.text}</code>
                {operation.line === undefined
                    ? ''
                    : ` in ${simpleName(operation.class)}, line ${operation.line}`}
                {operation.chain.length > 1 ? `, by ${operation.chain.join(' → ')}` : ''} (
                {certainty.replaceAll('-', ' ')}; {passes.missed} of {passes.all} passes missed it)
            </p>
            {confirmation !== undefined && <p class={`notice ${confirmation.verdict === 'right' ? 'good' : ''}`}>{confirmationText(confirmation)}</p>}
            <p class="line">
                {session.value?.can_run !== false && (
                    <button
                        type="button"
                        title="Runs the program, and makes the jump go the other way"
                        onClick={() =>
                            void tryOtherWay(
                                number,
                                want.value.trim() === '' ? undefined : want.value.trim(),
                            )
                        }
                    >
                        Try the other way
                    </button>
                )}
                <button type="button" onClick={() => hideMethod(method)}>
                    Hide {simpleName(jump.class)}.{jump.method}
                </button>
            </p>
        </li>
    );
}
