// What runs the program: chains, omissions, a program that goes on, and servers that end.

import assert from 'node:assert/strict';
import path from 'node:path';
import { once } from './support/once.mjs';
import { equals, line, says, until, visit } from './support/page.mjs';
import { compiled, copied, folder } from './support/programs.mjs';
import { serve } from './support/server.mjs';

/** A chain file and its program, where the file expects it. */
async function chainOf(name) {
    const root = folder();
    copied(`querypoints/${name}.ron`, path.join(root, `querypoints/${name}.ron`));
    await compiled(`examples/${name}`, path.join(root, 'examples', name));
    return serve(['--trust', `querypoints/${name}.ron`], root);
}

const intro = once(() => chainOf('intro'));

const fileLister = once(async () => {
    const cwd = await compiled('examples/filelister');
    return serve(['--', 'java', '-cp', 'classes', 'FileLister'], cwd);
});

async function endless() {
    const cwd = await compiled('tests/fixtures/goes-on');
    return serve(['--', 'java', '-cp', 'classes', 'GoesOn'], cwd);
}

const goesOn = once(endless);
const goesOnToo = once(endless);

const points = page => page.timeline.getByRole('button', { name: /^Point/ });

async function isAnswered(chain) {
    await says(chain.getByRole('status'), /: answered/);
}

visit('the chain of the introduction leads from the timeline to line 13', intro, async page => {
    const chain = await page.tool('Chain');
    await isAnswered(chain);
    // Points of a run lead to the recording once that is there too.
    await until(
        async () => (await page.timeline.locator('.bar').count()) > 0,
        () => 'the recording is not in the timeline',
    );
    // The runs are above each other; the points of the last one are large, its candidates small.
    await equals(async () => (await page.timeline.locator('.run-name').allTextContents()).map(line).length > 1, true);
    await until(
        async () => (await points(page).count()) >= 5,
        () => 'there are not five points',
    );
    await until(
        async () => (await page.timeline.locator('.rejected').count()) > 0,
        () => 'there are no candidates',
    );
    const arrows = page.timeline.locator('.picture > g').last().locator('.arrow');
    await equals(() => arrows.count(), 4);
    // Where the points are in the recording is known a little later; then their places are links.
    await until(
        async () => (await chain.getByRole('button', { name: /Intro\.java:13/ }).count()) > 0,
        () => 'E is not in the recording',
    );
    await page.timeline.getByRole('button', { name: /^Point E/ }).last().click();
    await says(page.page.getByRole('dialog'), /^E: /);
    await page.press('Escape');
    await says(page.source.locator('.cm-line.here'), /^stmt2\(record\);/);
    await says(page.node, /Intro\.main/);
    await page.picture('web-timeline.png');

    // One more question, from a point.
    await page.timeline.getByRole('button', { name: /^Point D/ }).last().click();
    const menu = page.page.getByRole('dialog');
    await menu.getByRole('menuitem', { name: 'What led here?' }).click();
    await isAnswered(chain);
    await equals(() => arrows.count(), 5);
    await says(chain, /LastCondition\(D\)/);

    // An expression, which the next run collects.
    await page.button('Ask from C', chain).click();
    await menu.getByRole('textbox', { name: /collect/ }).fill('record.text');
    await menu.getByRole('button', { name: 'Collect' }).click();
    await isAnswered(chain);
    await says(chain, /collects record\.text/);
    await says(chain, /record\.text = "1O"/);
});

visit('the balloon of FileLister names the jump that skipped the names', fileLister, async page => {
    // In the end of printItems, `s` is empty.
    await page.tree.getByRole('treeitem', { name: / main\(/ }).dblclick();
    await page.tree.getByRole('treeitem', { name: / run\(/ }).dblclick();
    await page.selectCall(/ printItems\(/);
    await page.node.getByRole('row', { name: /: s / }).click({ button: 'right' });
    await page.page.getByRole('menuitem', { name: 'What should have happened to it?' }).click();
    const omissions = page.region('Omissions');
    await says(omissions, /1 of 1 suggestion/);
    await says(omissions, /FileLister\.run.*if \(active\)/);

    // The balloon is at the jump: in the tree, the events and the source.
    await omissions.getByRole('button', { name: /FileLister\.run/ }).first().click();
    await says(page.source.locator('.cm-line.here'), /if \(active\)/);
    await says(page.source.locator('.cm-content .balloon').first(), /1/);
    await says(page.events.locator('.row:has(.balloon)').first(), /line 20|if/);
    // Folded, the calls above have it too.
    const main = page.tree.getByRole('treeitem', { name: / main\(/ });
    await main.dblclick();
    await says(main, /1 ?1 possible omission/);

    // The other way round, the list has names.
    await omissions.getByRole('textbox', { name: /Condition/ }).fill('s.size() > 0');
    await page.button('Try the other way', omissions).click();
    await says(omissions.locator('.notice'), /right/);
    await omissions.getByRole('button', { name: /FileLister\.run/ }).first().click();
    await says(page.node, /FileLister\.run/);
    await page.picture('web-omission.png');

    // Reads, and methods that are of no interest.
    await page.button(/^Hide FileLister/, omissions).click();
    await says(omissions, /0 of 1 suggestion/);
    await page.button('Show all methods', omissions).click();
    await says(omissions, /1 of 1 suggestion/);
    await omissions.getByText('Search in another way').click();
    await omissions.getByRole('spinbutton', { name: /Within/ }).fill('0');
    await omissions.getByRole('checkbox', { name: /reads/ }).check();
    const [asked] = await Promise.all([
        page.page.waitForRequest(/\/api\/omissions$/),
        page.button('Search again', omissions).click(),
    ]);
    // What is cleared while a search goes on comes back with its reply.
    await (await asked.response())?.finished();
    const { what, within, reads, field } = asked.postDataJSON();
    assert.deepEqual([what, within, reads, field], ['s', 0, true, false]);
    await says(omissions, /suggestion/);
    await page.button('Clear', omissions).click();
    await says(omissions, /If something is missing/);
});

visit('a program that goes on: its tree grows, and it can be ended', goesOn, async page => {
    await says(page.page.getByRole('banner'), /still running/);
    const main = page.tree.getByRole('treeitem', { name: /main thread/ });
    const calls = async () => Number(/([\d,]+) calls/.exec(line(await main.innerText()))?.[1] ?? 0);
    const first = await until(calls, () => 'there are no calls');
    await until(
        async () => (await calls()) > first,
        () => `still ${first} calls`,
    );
    await page.button('Cancel').click();
    await says(page.page.getByRole('banner'), /calls, level all(?!, still)/);
    await equals(() => page.button('Cancel').count(), 0);
    await page.tree.getByRole('treeitem', { name: /#0 main/ }).dblclick();
    await says(page.node, /#0 GoesOn\.main it had not ended from its entry to the end of the recording/);
    await page.tree.getByRole('treeitem', { name: /#1 add/ }).click();
    await says(page.node, /#1 GoesOn\.add from its entry to its end/);
    await says(page.source.locator('.cm-line.here'), /^}/);
});

visit('what changed before the stream was open is shown', goesOnToo, async page => {
    let open = () => {};
    const held = new Promise(resolve => (open = resolve));
    // A run that is cancelled before it has recorded anything leaves no recording.
    await says(page.page.getByRole('banner'), /[1-9][\d,]* calls/);
    await page.context.route(/\/api\/stream$/, async route => {
        await held;
        await route.continue();
    });
    await page.page.reload();
    await says(page.page.getByRole('banner'), /still running/);
    await page.button('Cancel').click();
    const ended = () =>
        page.page.evaluate(async () => {
            const session = await (await fetch('/api/session')).json();
            return session.recordings[0].state === 'ready';
        });
    await until(ended, () => 'the program still runs');
    await says(page.page.getByRole('banner'), /still running/);
    open();
    await says(page.page.getByRole('banner'), /calls, level all(?!, still)/);
});

/** A server that the test ends, and starts again at the same port. */
const mortal = once(async () => {
    const cwd = await compiled('examples/mergesort');
    const start = (...args) => serve([...args, '--', 'java', '-cp', 'classes', 'MergeSort'], cwd);
    return { ...(await start()), again: port => start('--port', port) };
});

visit(
    'a page without its server says what to do, and goes on with the next one',
    mortal,
    async page => {
        await says(page.node, /#6 MergeSort\.merge/);
        await page.server.end();
        const banner = page.page.getByRole('alert');
        await says(banner, /Start `?qp serve`? again and open the address it prints/);
        const next = await page.server.again(page.server.port);
        assert.equal(next.port, page.server.port);
        // The old cookie is not good for the new server.
        await says(banner, /open the address/);
        const other = await page.context.newPage();
        await other.goto(next.address);
        await until(
            async () => (await other.getByRole('treeitem').count()) > 0,
            () => 'the new page has no tree',
        );
        // With the new cookie, the old page finds its selection again.
        await equals(() => banner.count(), 0);
        await page.isAt('?trace=0&call=6&event=33');
        await says(page.events.locator('[aria-selected=true]'), /^33 12/);
    },
    { at: '?trace=0&call=6&event=33', errors: /Failed to load resource|ERR_|EventSource/ },
);
