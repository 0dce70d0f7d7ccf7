// The views of a recording move together (JHyde, section 3), by mouse and by keys.

import assert from 'node:assert/strict';
import { accessible } from './support/accessible.mjs';
import { equals, line, says, until, visit } from './support/page.mjs';
import { compiled, recorded } from './support/programs.mjs';
import { serve } from './support/server.mjs';
import { once } from './support/once.mjs';

/** A recording of the merge sort, which the server does not make itself. */
const mergeSort = once(async () => {
    const cwd = await compiled('examples/mergesort');
    return serve([await recorded(cwd, ['MergeSort'])], cwd);
});

const hostile = once(async () => {
    const cwd = await compiled('ui/test/browser/programs/hostile');
    return serve([await recorded(cwd, ['Hostile'])], cwd);
});

/** The last merge, at the write of 9 to `c[2]`. */
const WRONG_WRITE = '?trace=0&call=6&event=33&path=@4[2]';

visit('a call, an event, a variable and a write move the other views', mergeSort, async page => {
    await page.tree.getByRole('treeitem', { name: '#0 main' }).dblclick();
    await page.tree.getByRole('treeitem', { name: '#1 sort' }).dblclick();
    await page.selectCall('#6 merge');
    await page.isAt('?trace=0&call=6');
    await says(page.node, /#6 MergeSort\.merge from its entry to its end/);
    await says(page.events, /38 events/);
    await says(page.source.locator('.cm-line.here'), /^}/);
    await says(page.timeline.locator('.bar.selected'), /^merge/);

    // An event bounds the node view, and its line is marked.
    await page.events.getByRole('row', { name: /^1 7 while/ }).click();
    await page.isAt('?trace=0&call=6&event=1');
    await says(page.node, /from its entry to right after event 1, line 7/);
    await says(page.source.locator('.cm-line.here'), /while \(la < ra && lb < rb\)/);
    await page.button('To the end').click();

    // A variable marks the events that change it: here red, in the caller yellow.
    await page.node.getByRole('row', { name: /changed: \[2\]/ }).click();
    await page.isAt('?trace=0&call=6&path=c[2]');
    const list = page.events.getByRole('grid');
    await list.focus();
    await page.press('End');
    await says(page.events.locator('.row.changed').last(), /^33 12 ● ?changes the chosen variable: c\[2\]: 7 → 9/);

    // Its history, and from there to the write that is wrong.
    await page.button('Show history').click();
    const writes = page.history.getByRole('option');
    await equals(async () => (await writes.allInnerTexts()).map(line), [
        'c[2]: 0 → 1 #0 MergeSort.main:44',
        'c[2]: 1 → 1 #4 MergeSort.merge:8',
        'c[2]: 1 → 7 #6 MergeSort.merge:8',
        'c[2]: 7 → 9 #6 MergeSort.merge:12',
    ]);
    await writes.nth(1).click();
    await says(page.node, /#4 MergeSort\.merge from its entry to right after event/);
    await says(page.tree.locator('[aria-selected=true]'), /#4 merge/);
    await writes.nth(3).click();
    await page.isAt(WRONG_WRITE);
    await says(page.tree.locator('[aria-selected=true]'), /#6 merge/);
    await says(page.events.locator('[aria-selected=true]'), /^33 12/);
    await says(page.source.locator('.cm-line.here'), /c\[lb\+\+\] = a\[la\+\+\]/);
    await says(page.node.locator('.row.selected'), /\[2\] 1 9/);
    await says(page.timeline.locator('.bar.selected'), /^merge/);
    await page.picture('web-views.png');

    // The variable is another one's part in the caller, where its changes are yellow.
    await page.selectCall('#1 sort');
    await page.node.getByRole('row', { name: /changed: \[2\]/ }).first().click();
    await page.isAt('?trace=0&call=1&path=a[2]');
    await list.evaluate(element => {
        element.scrollTop = element.scrollHeight;
    });
    await says(page.events.locator('.row.inside').last(), /the chosen variable changes below.*merge/);

    await page.page.goBack();
    await page.isAt('?trace=0&call=1');
    await page.page.goBack();
    await page.isAt(WRONG_WRITE);
    await says(page.events.locator('[aria-selected=true]'), /^33 12/);
    await page.page.goForward();
    await says(page.node, /#1 MergeSort\.sort/);
    await page.page.goBack();

    // The address is enough to see the same again.
    await page.page.reload();
    await says(page.events.locator('[aria-selected=true]'), /^33 12/);
    await says(page.tree.locator('[aria-selected=true]'), /#6 merge/);
    await says(page.node.locator('.row.selected'), /\[2\] 1 9/);
    await says(page.source.locator('.cm-line.here'), /c\[lb\+\+\] = a\[la\+\+\]/);
    await says(page.history, /7 → 9/);
});

visit(
    'the menu of a value asks why, and the cause is in the timeline with an arrow',
    mergeSort,
    async page => {
        await page.node.getByRole('row', { name: /changed: \[2\]/ }).click({ button: 'right' });
        await page.page.getByRole('menuitem', { name: 'Why this value?' }).click();
        await page.isAt('?trace=0&call=6&event=33&path=c[2]');
        const points = page.timeline.getByRole('button', { name: /^Point/ });
        await equals(() => points.count(), 2);
        await equals(() => page.timeline.locator('.arrow').count(), 1);
        await says(page.page.getByRole('status').first(), /7 → 9.*MergeSort\.java:12/);

        // And again from there.
        await page.node.getByRole('row', { name: /changed: la / }).click();
        await page.button('Ask…').click();
        await page.page.getByRole('menuitem', { name: 'Why this value?' }).click();
        await equals(() => points.count(), 3);
        await equals(() => page.timeline.locator('.arrow').count(), 2);

        // Where it was computed.
        await page.page.goBack();
        await page.node.getByRole('row', { name: /changed: la / }).click({ button: 'right' });
        await page.page.getByRole('menuitem', { name: 'Where does it come from?' }).click();
        await says(page.page.getByRole('status').first(), /Origin.*MergeSort/s);

        // A circle selects its event and has a menu of its own.
        await points.first().click();
        const menu = page.page.getByRole('dialog');
        await says(menu, /What led here\?/);
        await page.press('Escape');
        await equals(() => menu.count(), 0);
    },
    { at: '?trace=0&call=6' },
);

visit('queries list rows that move the selection, and goals have solutions', mergeSort, async page => {
    const queries = await page.tool('Queries');
    await says(queries, /where-set Rec\.bar --value true/);
    const prompt = queries.getByRole('textbox', { name: 'Query' });
    await prompt.fill('calls MergeSort.merge');
    await prompt.press('Enter');
    const rows = queries.getByRole('option');
    await equals(() => rows.count(), 3);
    await rows.nth(2).click();
    await until(
        () => page.query().includes('call=6'),
        () => `at ${page.query()}`,
    );
    await says(page.tree.locator('[aria-selected=true]'), /#6 merge/);
    await prompt.fill('?- member(X, [1, 2]).');
    await prompt.press('Enter');
    await says(queries, /X = 1/);
    await page.button('; next').click();
    await says(queries, /X = 2/);
});

visit('everything is reached and done with keys alone', mergeSort, async page => {
    // Each region has a place where Tab stops, and the focus is visible at each.
    const reached = new Set();
    const unseen = [];
    for (let step = 0; step < 80; step += 1) {
        await page.press('Tab');
        const at = await page.page.evaluate(async () => {
            // The editor draws its focus in the next frame.
            await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
            const element = document.activeElement;
            if (element === null || element === document.body) {
                return undefined;
            }
            const { outlineStyle } = getComputedStyle(element);
            const holder = element.closest('.cm-focused');
            const isVisible =
                outlineStyle !== 'none' ||
                (holder !== null && getComputedStyle(holder).outlineStyle !== 'none') ||
                element.matches('.point');
            const region = element.closest('section')?.getAttribute('aria-label') ?? undefined;
            return { region, isVisible, what: element.outerHTML.slice(0, 120) };
        });
        if (at === undefined) {
            break;
        }
        reached.add(at.region);
        if (!at.isVisible) {
            unseen.push(at.what);
        }
    }
    assert.deepEqual(unseen, []);
    for (const region of ['Execution tree', 'Events', 'Node', 'Source', 'Variable history', 'Timeline']) {
        assert.ok(reached.has(region), `${region} is not reached`);
    }

    // The menu of a value, opened and left by keys.
    await page.node.getByRole('treegrid').focus();
    await page.press('Home', 'ArrowDown', 'm');
    const menu = page.page.getByRole('dialog');
    await says(menu, /^la = 2/);
    await page.press('ArrowDown', 'Enter');
    await says(page.history, /#6 MergeSort\.merge:12/);
    await equals(() => menu.count(), 0);

    // The timeline.
    await page.timeline.getByRole('group', { name: /^Runs/ }).focus();
    await page.press('+', '+', 'ArrowRight');
    await says(page.timeline, /\d\.\d\d% to/);
    await page.press('0');
    await equals(() => page.button('Whole run').isDisabled(), true);

    // The list of keys.
    await page.press('?');
    await says(page.page.getByRole('dialog', { name: 'Keys' }), /Alt/);
    await page.press('Escape');
}, { at: WRONG_WRITE });

visit('what a value says is text in every view', hostile, async page => {
    const nothingRan = async () => {
        const ran = await page.page.evaluate(() => ({
            hacked: 'hacked' in window,
            made: document.querySelectorAll('main img[src], main [onerror], main script, main iframe, main b > u').length,
        }));
        assert.deepEqual(ran, { hacked: false, made: 0 });
    };
    const image = /<img src=x onerror=\\?"?window\.hacked/;
    await says(page.tree.locator('[aria-selected=true]'), image);
    await page.tree.getByRole('tree').focus();
    await page.press('ArrowRight');
    await page.selectCall(/show\(/);
    await says(page.tree.locator('[aria-selected=true]'), image);
    await says(page.node, image);
    await page.events.getByRole('row', { name: /shown = "/ }).first().click();
    await says(page.events, image);
    await says(page.source.locator('.line-value').first(), image);
    await nothingRan();

    await page.node.getByRole('row', { name: /: shown/ }).first().click({ button: 'right' });
    await says(page.page.getByRole('dialog'), image);
    await page.page.getByRole('menuitem', { name: 'Show history' }).click();
    await says(page.history, image);
    await page.node.getByRole('row', { name: /: shown/ }).first().click({ button: 'right' });
    await page.page.getByRole('menuitem', { name: 'Why this value?' }).click();
    const point = page.timeline.getByRole('button', { name: /^Point/ }).last();
    await point.click();
    await says(page.page.getByRole('dialog'), image);
    await page.press('Escape');

    const queries = await page.tool('Queries');
    await queries.getByRole('textbox', { name: 'Query' }).fill('arguments Hostile.show');
    await page.press('Enter');
    await queries.getByRole('textbox', { name: 'Query' }).press('Enter');
    await says(queries, image);
    await nothingRan();

    // Characters that nobody sees are written out or keep to their own text.
    const all = await page.page.evaluate(() => document.body.innerText);
    assert.ok(all.includes('left \\u202e to right'));
    assert.doesNotMatch(all, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u202a-\u202e\u2066-\u2069]/);
}, { at: '?trace=0&call=1' });

for (const colorScheme of ['light', 'dark']) {
    for (const viewport of [
        { width: 1280, height: 800 },
        { width: 320, height: 800 },
    ]) {
        // Two of the four are enough for each change; QP_WEB_VIEWS=all visits all.
        if (process.env.QP_WEB_VIEWS !== 'all' && (colorScheme === 'dark') !== (viewport.width === 1280)) {
            continue;
        }
        const size = `${viewport.width}x${viewport.height}`;
        visit(
            `nothing keeps people from using it: ${colorScheme}, ${size}`,
            mergeSort,
            async page => {
                await says(page.events.locator('[aria-selected=true]'), /^33 12/);
                await says(page.history, /7 → 9/);
                await accessible(page, 'the views');
                for (const tool of ['Omissions', 'Queries', 'Messages', 'Diagnosis']) {
                    await page.tool(tool);
                    await accessible(page, tool);
                }
                await page.button('Ask…').click();
                await accessible(page, 'the menu of a value');
                await page.press('Escape');
                if (viewport.width === 1280 && colorScheme === 'dark') {
                    await page.picture('web-dark.png');
                }
                await page.button('Keys').click();
                await accessible(page, 'the list of keys');
                const { scrollWidth } = await page.page.evaluate(() => ({
                    scrollWidth: document.documentElement.scrollWidth,
                }));
                assert.ok(scrollWidth <= viewport.width, `the page is ${scrollWidth} pixels wide`);
            },
            { at: WRONG_WRITE, colorScheme, viewport },
        );
    }
}
