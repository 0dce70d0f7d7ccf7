// The tools beside the timeline, one of which is shown.

import type { JSX } from 'preact';
import { Guarded } from '../parts/guarded';
import { diagnosis } from '../state/diagnosis';
import { tool, type Tool } from '../state/layout';
import { omissions } from '../state/omissions';
import { chain } from '../state/chain';
import { session } from '../state/session';
import { ChainView } from './chain';
import { DiagnosisView } from './diagnosis';
import { MessagesView } from './messages';
import { OmissionsView } from './omissions';
import { QueriesView } from './queries';

const VIEWS: { tool: Tool; name: string; view: () => JSX.Element }[] = [
    { tool: 'diagnosis', name: 'Diagnosis', view: DiagnosisView },
    { tool: 'omissions', name: 'Omissions', view: OmissionsView },
    { tool: 'queries', name: 'Queries', view: QueriesView },
    { tool: 'chain', name: 'Chain', view: ChainView },
    { tool: 'messages', name: 'Messages', view: MessagesView },
];

export function Tools(): JSX.Element {
    const hasRecording = (session.value?.recordings.length ?? 0) > 0;
    const views = VIEWS.filter(
        ({ tool: of }) =>
            of === 'messages' ||
            (of === 'chain' ? session.value?.chain === true || chain.value !== undefined : hasRecording),
    );
    const shown = views.find(({ tool: of }) => of === tool.value) ?? views[0];
    const move = (event: KeyboardEvent): void => {
        const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
        const at = views.findIndex(view => view === shown);
        const next = views[(at + by + views.length) % views.length];
        if (by !== 0 && next !== undefined) {
            tool.value = next.tool;
            document.getElementById(`tab-${next.tool}`)?.focus();
            event.preventDefault();
        }
    };
    return (
        <div class="tools">
            <div role="tablist" aria-label="Tools" onKeyDown={move}>
                {views.map(({ tool: of, name }) => (
                    <button
                        key={of}
                        id={`tab-${of}`}
                        type="button"
                        role="tab"
                        aria-selected={of === shown?.tool}
                        aria-controls="tool"
                        tabIndex={of === shown?.tool ? 0 : -1}
                        onClick={() => {
                            tool.value = of;
                        }}
                    >
                        {name}
                        {badge(of)}
                    </button>
                ))}
            </div>
            <div id="tool" role="tabpanel" aria-labelledby={`tab-${shown?.tool ?? ''}`}>
                {shown !== undefined && (
                    <Guarded key={shown.tool}>
                        <shown.view />
                    </Guarded>
                )}
            </div>
        </div>
    );
}

function badge(of: Tool): string {
    if (of === 'omissions' && omissions.value !== undefined) {
        return ` (${omissions.value.suggestions.length})`;
    }
    return of === 'diagnosis' && diagnosis.value?.state === 'asking' ? ' (?)' : '';
}
