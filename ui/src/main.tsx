// Starts the page.

import { render } from 'preact';
import { listen } from './api/stream';
import { reloadChain } from './state/chain';
import { reloadDiagnosis } from './state/diagnosis';
import { reloadOmissions } from './state/omissions';
import { find, lose, reloadEverything, reloadSession, say, setDoing } from './state/session';
import { showHistory } from './state/history';
import { selection } from './state/selection';
import { reloadTimeline } from './state/timeline';
import { listenToKeys } from './views/keys';
import { Page } from './views/page';

const place = document.getElementById('page');
if (place !== null) {
    render(<Page />, place);
}
listenToKeys();
const chosen = selection.peek().path;
if (chosen !== undefined) {
    // An address with a chosen variable also shows where it was written.
    showHistory(chosen);
}
listen({
    opened: () => {
        find();
        // Changes between the first answers and now were not told.
        reloadSession();
        reloadDiagnosis();
        reloadChain();
        reloadOmissions();
        reloadTimeline();
    },
    broken: lose,
    on: {
        doing: ({ text }) => setDoing(text),
        output: ({ text }) => say('output', text),
        said: ({ text }) => say('said', text),
        session: () => {
            reloadSession();
            reloadTimeline();
        },
        diagnosis: reloadDiagnosis,
        chain: reloadChain,
        omissions: reloadOmissions,
        timeline: reloadTimeline,
        everything: reloadEverything,
    },
});
