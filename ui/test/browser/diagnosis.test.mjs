// Declarative debugging: the faulty merge is found by clicking, by pointing at a value, and by keys.

import assert from 'node:assert/strict';
import { once } from './support/once.mjs';
import { equals, says, until, visit } from './support/page.mjs';
import { compiled, recorded } from './support/programs.mjs';
import { serve } from './support/server.mjs';

const mergeSort = once(async () => {
    const cwd = await compiled('examples/mergesort');
    return serve([await recorded(cwd, ['MergeSort'])], cwd);
});

/** What is right of the calls of the merge sort. */
const RIGHT = /#(2|3|4|5) /;
const BUGGY = /The bug is in MergeSort\.merge.*call #6/;

/** Begins a diagnosis, by default with the strategy of the paper's example, and returns its view. */
async function begin(page, strategy = 'top-down') {
    const diagnosis = await page.tool('Diagnosis');
    const again = page.button('End', diagnosis);
    if ((await again.count()) > 0) {
        await again.click();
    }
    await diagnosis.getByRole('combobox', { name: 'Strategy' }).selectOption(strategy);
    await page.button('Start', diagnosis).click();
    return diagnosis;
}

/** What a text asks, which stays the same while the arguments of the call are on their way. */
function numberOf(text) {
    return /Question \d+/.exec(text)?.[0] ?? text;
}

/** The question that is open, once it is another one than the one before; the result if there is none. */
async function asked(diagnosis, before) {
    const text = diagnosis.locator('.asked, .result');
    let now = '';
    await until(
        async () => {
            now = (await text.count()) > 0 ? await text.first().innerText() : '';
            return now !== '' && numberOf(now) !== numberOf(before);
        },
        () => `still “${before}”`,
    );
    return now;
}

/** Answers what is true until the buggy call is found, and returns how many answers it took. */
async function answerAll(diagnosis, question, answer) {
    let answers = 0;
    for (let open = question; !BUGGY.test(open); answers += 1) {
        assert.ok(answers < 8, open);
        await answer(RIGHT.test(open), answers);
        open = await asked(diagnosis, open);
    }
    return answers;
}

visit('answers by clicking lead to the buggy merge', mergeSort, async page => {
    const diagnosis = await begin(page);
    const answers = await answerAll(diagnosis, await asked(diagnosis, ''), async (isRight, before) => {
        if (before === 4) {
            await says(page.node, /#\d MergeSort/);
            await page.picture('web-diagnosis.png');
        }
        await page.button(isRight ? /Valid/ : /Invalid/, diagnosis).click();
    });
    assert.equal(answers, 7);
    await says(page.tree.getByRole('treeitem', { name: /#1 sort/ }), /✗/);
    await says(page.tree.getByRole('treeitem', { name: /#2 distribute/ }), /✓/);
    await says(page.tree.getByRole('treeitem', { name: /#6 merge/ }), /✹/);
    await page.isAt('?trace=0&call=6');

    // The last answer is taken back after the end.
    await page.button('Undo', diagnosis).click();
    await says(diagnosis.locator('.asked'), /#6 MergeSort\.merge/);
});

visit('pointing at a wrong value leads to the call that wrote it', mergeSort, async page => {
    const diagnosis = await begin(page, 'foremost');
    const first = await asked(diagnosis, '');
    // The answer may be about another call than the question.
    await page.tree.getByRole('treeitem', { name: /#1 sort/ }).click();
    await says(diagnosis, /the answer is about that call/);
    await page.node.getByRole('row', { name: /changed: \[2\]/ }).first().click();
    await page.button('This is wrong').click();
    const more = await answerAll(diagnosis, await asked(diagnosis, first), isRight =>
        page.button(isRight ? /Valid/ : /Invalid/, diagnosis).click(),
    );
    assert.ok(more < 4, `${more} answers more`);
});

visit('a condition answers for all calls of a method', mergeSort, async page => {
    const diagnosis = await begin(page, 'foremost');
    await asked(diagnosis, '');
    await page.tree.getByRole('treeitem', { name: /#1 sort/ }).click();
    await says(diagnosis, /the answer is about that call/);
    await page.button('Must do…', diagnosis).click();
    const form = page.page.getByRole('textbox', { name: 'result.length() == 7' });
    await form.fill('a[0] <= a[1] && a[1] <= a[2] && a[2] <= a[3]');
    await form.press('Enter');
    await says(page.tree.getByRole('treeitem', { name: /#1 sort/ }), /✗/);
    await diagnosis.getByText(/What was answered and said/).click();
    await says(diagnosis, /kept for all calls of the method/);
});

visit('the same with keys alone', mergeSort, async page => {
    await page.page.getByRole('tab', { name: /^Diagnosis/ }).focus();
    const diagnosis = page.region('Diagnosis');
    const again = page.button('End', diagnosis);
    const strategy = diagnosis.getByRole('combobox', { name: 'Strategy' });
    // The page may not know yet whether a diagnosis is under way.
    await again.or(strategy).first().waitFor();
    if ((await again.count()) > 0) {
        await again.press('Enter');
    }
    await strategy.press('t');
    await equals(() => strategy.inputValue(), 'top-down');
    await page.button('Start', diagnosis).press('Enter');
    const question = await asked(diagnosis, '');
    await page.tree.getByRole('tree').focus();
    await answerAll(diagnosis, question, isRight => page.press(isRight ? 'v' : 'i'));
    await page.press('z');
    await says(diagnosis.locator('.asked'), /#6 MergeSort\.merge/);
});

visit('two tabs have one diagnosis and a selection each', mergeSort, async page => {
    const other = await page.tab('?trace=0&call=2');
    await says(other.node, /#2 MergeSort\.distribute/);
    await page.page.bringToFront();
    const diagnosis = await begin(page);
    const question = await asked(diagnosis, '');
    await says(other.region('Diagnosis').locator('.asked'), new RegExp(question.slice(0, 20)));
    await page.button(/Invalid/, diagnosis).click();
    await asked(diagnosis, question);
    await says(other.region('Diagnosis').locator('.asked'), /#1 MergeSort\.sort/);
    await page.selectCall('#1 sort');
    await page.isAt('?trace=0&call=1');
    await other.selectCall('#5 distribute');
    await other.isAt('?trace=0&call=5');
    await page.isAt('?trace=0&call=1');
    await says(page.tree.getByRole('treeitem', { name: /#0 main/ }), /✗/);
    await says(other.tree.getByRole('treeitem', { name: /#0 main/ }), /✗/);
}, { at: '?trace=0&call=1' });
