// The page: where each view is.

import type { JSX } from 'preact';
import { Guarded } from '../parts/guarded';
import { Popup } from '../parts/popup';
import { Splitter } from '../parts/splitter';
import { sizes } from '../state/layout';
import { EventsView } from './events';
import { Header, Notices } from './header';
import { HistoryView } from './history';
import { KeysHelp } from './keys';
import { NodeView } from './node';
import { SourceView } from './source/source';
import { TimelineView } from './timeline/timeline';
import { Tools } from './tools';
import { TreeView } from './tree';

export function Page(): JSX.Element {
    const { left, right, bottom, events, source, timeline } = sizes.value;
    return (
        <>
            <Header />
            <Notices />
            <main>
                <div class="above" style={{ flexBasis: `${100 - bottom}%` }}>
                    <div class="column" style={{ flexBasis: `${left}%` }}>
                        <Guarded>
                            <TreeView />
                        </Guarded>
                    </div>
                    <Splitter name="left" label="Width of the execution tree" isVertical />
                    <div class="column grow">
                        <div class="cell" style={{ flexBasis: `${events}%` }}>
                            <Guarded>
                                <EventsView />
                            </Guarded>
                        </div>
                        <Splitter name="events" label="Height of the events" isVertical={false} />
                        <div class="cell grow">
                            <Guarded>
                                <NodeView />
                            </Guarded>
                        </div>
                    </div>
                    <Splitter name="right" label="Width of the source" isVertical isReversed />
                    <div class="column" style={{ flexBasis: `${right}%` }}>
                        <div class="cell" style={{ flexBasis: `${source}%` }}>
                            <Guarded>
                                <SourceView />
                            </Guarded>
                        </div>
                        <Splitter name="source" label="Height of the source" isVertical={false} />
                        <div class="cell grow">
                            <Guarded>
                                <HistoryView />
                            </Guarded>
                        </div>
                    </div>
                </div>
                <Splitter
                    name="bottom"
                    label="Height of the timeline and the tools"
                    isVertical={false}
                    isReversed
                />
                <div class="below" style={{ flexBasis: `${bottom}%` }}>
                    <div class="column" style={{ flexBasis: `${timeline}%` }}>
                        <Guarded>
                            <TimelineView />
                        </Guarded>
                    </div>
                    <Splitter name="timeline" label="Width of the timeline" isVertical />
                    <div class="column grow">
                        <Guarded>
                            <Tools />
                        </Guarded>
                    </div>
                </div>
            </main>
            <Popup />
            <KeysHelp />
        </>
    );
}
