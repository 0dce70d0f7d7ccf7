// A recording of many calls: each move of the selection is shown at once, and the page keeps little of it.
//
// QP_WEB_CALLS is the number of calls, 10000000 for the figures of the manual.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { once } from './support/once.mjs';
import { line, says, until, visit } from './support/page.mjs';
import { compiled, recorded } from './support/programs.mjs';
import { serve } from './support/server.mjs';

const CALLS = Number(process.env.QP_WEB_CALLS ?? 50_000);
/** How often each key is pressed. */
const TIMES = 6;
/**
 * What a move may take at the median, in milliseconds: until its row is drawn; until all views have their
 * data, in the tree; and the same in a call with more events than calls. A debug build of the server on a
 * busy machine keeps to it.
 */
const ROW = 100;
const IN_TREE = 300;
const IN_EVENTS = 2000;
/** The memory that the page may use for its scripts, in bytes. */
const HEAP = 200e6;

const many = once(async () => {
    const cwd = await compiled('ui/test/browser/programs/many');
    return serve([await recorded(cwd, ['Many', String(CALLS)])], cwd);
});

/**
 * In the page: measures from an input until the first paint after which no view waits for data. The timeline
 * follows the other views a little later, and is measured by itself.
 */
function measure() {
    const isOfTimeline = address => String(address).includes('/api/timeline');
    const isOfViews = address => /\/api\/(tree|path|events|node|lines|source|history)/.test(String(address));
    const open = { views: 0, timeline: 0 };
    /** When the timeline was asked for last. */
    let timelineAsked = 0;
    const request = window.fetch;
    window.fetch = async (address, options) => {
        const kind = isOfTimeline(address) ? 'timeline' : isOfViews(address) ? 'views' : undefined;
        if (kind === undefined) {
            return request(address, options);
        }
        open[kind] += 1;
        if (kind === 'timeline') {
            timelineAsked = performance.now();
        }
        try {
            const answer = await request(address, options);
            const text = await answer.text();
            return new Response(text, { status: answer.status, headers: answer.headers });
        } finally {
            open[kind] -= 1;
        }
    };
    let began = 0;
    let drawn = 0;
    for (const kind of ['keydown', 'pointerdown']) {
        addEventListener(
            kind,
            event => {
                began = event.timeStamp;
                void painted().then(at => {
                    drawn = at;
                });
            },
            { capture: true },
        );
    }
    const painted = () =>
        new Promise(resolve =>
            requestAnimationFrame(() => {
                const channel = new MessageChannel();
                channel.port1.onmessage = () => resolve(performance.now());
                channel.port2.postMessage(0);
            }),
        );
    /** Time from `began` until nothing of a kind is open before and after a paint. */
    const settled = async kind => {
        for (;;) {
            const wasOpen = open[kind];
            const at = await painted();
            const waits = document.querySelector('.virtual-list .row.waiting') !== null;
            if (wasOpen === 0 && open[kind] === 0 && !waits) {
                return at;
            }
        }
    };
    const loaded = async () => {
        while (document.querySelector('[role=treeitem]') === null) {
            await painted();
        }
        return settled('views');
    };
    window.measured = {
        loaded: loaded(),
        since: async () => (await settled('views')) - began,
        drawn: () => drawn - began,
        scroll: async (list, part) => {
            began = performance.now();
            list.scrollTop = list.scrollHeight * part;
            return (await settled('views')) - began;
        },
        /** With the timeline, which is asked for a little later. */
        sinceWithTimeline: async () => {
            await settled('views');
            while (timelineAsked < began) {
                await painted();
            }
            return (await settled('timeline')) - began;
        },
    };
}

function median(times) {
    return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

visit(
    `in a recording of ${CALLS.toLocaleString('en')} calls, views follow the keys`,
    many,
    async shown => {
        const { page, context } = shown;
        const report = [];
        const tell = (what, times) => {
            const [middle, most] = [median(times), Math.max(...times)];
            report.push(`${what}: median ${middle.toFixed(0)} ms, at most ${most.toFixed(0)} ms`);
            return middle;
        };
        const one = (what, time) => report.push(`${what}: ${time.toFixed(0)} ms`);

        await page.addInitScript(measure);
        await page.reload();
        await says(shown.tree, /main thread/);
        one(
            'first paint',
            await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime),
        );
        one('all views have their data after loading', await page.evaluate(() => window.measured.loaded));
        const since = () => page.evaluate(() => window.measured.since());
        const moves = { tree: [], events: [], timeline: [] };
        const rowsDrawn = [];
        /** Each step selects the call of its row, also where the row had to be loaded. */
        const follows = async () => {
            const number = /#(\d+)/.exec(await shown.selectedRow(shown.tree))?.[1];
            await shown.isAt(`?trace=0&call=${number}`);
        };
        const press = async (list, what, key) => {
            const times = [];
            for (let time = 0; time < TIMES; time += 1) {
                await page.keyboard.press(key);
                times.push(await since());
                rowsDrawn.push(await page.evaluate(() => window.measured.drawn()));
                if (list === 'tree') {
                    await follows();
                }
            }
            moves[list].push(tell(what, times));
            const withTimeline = [];
            for (let time = 0; time < TIMES; time += 1) {
                await page.keyboard.press(key);
                withTimeline.push(await page.evaluate(() => window.measured.sinceWithTimeline()));
            }
            moves.timeline.push(tell(`${what}, with the timeline`, withTimeline));
        };
        const once = async (what, key) => {
            await page.keyboard.press(key);
            const time = await since();
            one(what, time);
            return time;
        };

        // The tree: its 40,000 rows of one method are one row, which is opened.
        const tree = shown.tree.getByRole('tree');
        await shown.tree.getByRole('treeitem', { name: / main\(/ }).click();
        await since();
        await tree.focus();
        await once('opening it', 'ArrowRight');
        await shown.tree.getByRole('treeitem', { name: /\d more/ }).first().click();
        await once('opening its folded calls', 'ArrowRight');
        const rows = Number(await tree.getByRole('treeitem').nth(6).getAttribute('aria-setsize'));
        assert.ok(rows > CALLS / 5 - 10, `${rows} rows`);
        await press('tree', 'a step down in the tree', 'ArrowDown');
        await press('tree', 'a page down in the tree', 'PageDown');
        const scroll = async (what, list, part) => {
            one(what, await list.evaluate((element, to) => window.measured.scroll(element, to), part));
        };
        await scroll('scrolling the tree to its middle', tree, 0.5);
        const middle = tree.getByRole('treeitem').nth(8);
        const number = Number(/#(\d+)/.exec(line(await middle.innerText()))?.[1] ?? 0);
        assert.ok(Math.abs(number - CALLS / 2) < CALLS / 20, `#${number} is in the middle`);
        await middle.click();
        one('selecting a call there', await since());
        await shown.isAt(`?trace=0&call=${number}`);
        await says(shown.node, new RegExp(`#${number} Many\\.four`));
        await shown.picture('web-large.png');
        await tree.focus();
        await press('tree', 'a step down in the middle', 'ArrowDown');
        await press('tree', 'a step up in the middle', 'ArrowUp');
        await scroll('scrolling the tree to its end', tree, 1);
        await once('its last call', 'End');
        await says(shown.tree.locator('[aria-selected=true]'), /four\(/);
        await press('tree', 'a step up at the end', 'ArrowUp');

        // The events of main.
        await page.goto(`${shown.server.origin}/?trace=0&call=0`);
        const events = shown.events.getByRole('grid');
        await until(
            async () => !/so far/.test(await shown.events.innerText()) && (await events.count()) > 0,
            () => 'not all events are counted',
        );
        await since();
        await scroll('scrolling the events of main to their middle', events, 0.5);
        await shown.events.getByRole('row').nth(8).click();
        one('selecting an event there', await since());
        await events.focus();
        await press('events', 'a step down in the events', 'ArrowDown');
        await press('events', 'a page down in the events', 'PageDown');
        await once('the last event', 'End');
        const last = line(await shown.selectedRow(shown.events));
        assert.match(last, /24 }$/);
        await press('events', 'a step up in the events', 'ArrowUp');

        const row = tell('of these steps, the row itself', rowsDrawn);
        const session = await context.newCDPSession(page);
        await session.send('Performance.enable');
        await session.send('HeapProfiler.collectGarbage');
        const { metrics } = await session.send('Performance.getMetrics');
        const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0;
        report.push(`memory of the page: ${(heap / 1e6).toFixed(1)} MB of scripts`);
        report.push(`its process: ${((await residentOf(context)) / 1e6).toFixed(0)} MB`);
        for (const text of report) {
            console.log(`# ${text}`);
        }
        assert.ok(heap < HEAP, `${heap} bytes`);
        assert.ok(row <= ROW, `a row took ${row} ms at the median`);
        assert.ok(Math.max(...moves.tree) <= IN_TREE, `moves in the tree took ${moves.tree} ms`);
        assert.ok(Math.max(...moves.events) <= IN_EVENTS, `moves in the events took ${moves.events} ms`);
        assert.ok(Math.max(...moves.timeline) <= IN_EVENTS, `the timeline took ${moves.timeline} ms`);
    },
);

/** Resident memory of the largest process that draws pages, in bytes. */
async function residentOf(context) {
    const session = await context.browser().newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    const sizes = processInfo
        .filter(({ type }) => type === 'renderer')
        .map(({ id }) => /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]);
    return Math.max(...sizes.map(size => Number(size ?? 0) * 1024));
}
