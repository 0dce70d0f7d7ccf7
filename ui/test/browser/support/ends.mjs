// What was started and must be ended, also if a test fails or the tests are ended from outside.

/** @type {Set<() => unknown>} */
const open = new Set();

/**
 * Remembers how to end something. The function must be quick: it also runs while the process exits.
 * @param {() => unknown} end
 * @returns {() => Promise<void>} ends it now
 */
export function toEnd(end) {
    open.add(end);
    return async () => {
        if (open.delete(end)) {
            await end();
        }
    };
}

/** Ends all that is still open, the newest first. */
export async function endAll() {
    for (const end of [...open].reverse()) {
        open.delete(end);
        await end();
    }
}

process.on('exit', () => {
    for (const end of [...open].reverse()) {
        end();
    }
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => process.exit(1));
}
