// What axe finds in a page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Fails if something serious or critical is in the way.
 * @param {import('./page.mjs').Shown} shown
 * @param {string} what
 */
export async function accessible({ page, context }, what) {
    // Past the security policy of the page, which allows no other scripts.
    const session = await context.newCDPSession(page);
    try {
        const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
            expression: `(window.axe === undefined ? (() => {${AXE}})() : undefined, axe.run().then(
                ({ violations }) => violations
                    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
                    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
                        id + ': ' + html.slice(0, 160) + ' ' + failureSummary))))`,
            awaitPromise: true,
            returnByValue: true,
        });
        assert.equal(exceptionDetails?.exception?.description, undefined);
        assert.deepEqual(result.value, [], what);
    } finally {
        await session.detach();
    }
}
