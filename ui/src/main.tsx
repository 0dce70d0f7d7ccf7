// Starts the page.

import { render } from 'preact';
import { listen } from './api/stream';
import { reloadChain } from './state/chain';
import { reloadDiagnosis } from './state/diagnosis';
import { reloadOmissions } from './state/omissions';
import { find, lose, reloadSession, say, setDoing } from './state/session';
import { reloadTimeline } from './state/timeline';
import { listenToKeys } from './views/keys';
import { Page } from './views/page';

const place = document.getElementById('page');
if (place !== null) {
    render(<Page />, place);
}
listenToKeys();
listen({
    opened: find,
    broken: lose,
    on: {
        doing: ({ text }) => setDoing(text),
        output: ({ text }) => say('output', text),
        said: ({ text }) => say('said', text),
        session: reloadSession,
        diagnosis: reloadDiagnosis,
        chain: reloadChain,
        omissions: reloadOmissions,
        timeline: reloadTimeline,
    },
});
