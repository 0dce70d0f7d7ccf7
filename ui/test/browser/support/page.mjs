// Pages of one browser. A test fails if its page reports an error, a dialog, or a broken security policy.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { chromium } from 'playwright-core';
import { endAll, toEnd } from './ends.mjs';

/** How long a condition may take to hold, in milliseconds. */
const PATIENCE = 30_000;
/** How often a condition is looked at, in milliseconds. */
const AGAIN = 25;
/** The most that a test may take, in milliseconds. */
const TIMEOUT = 90_000;

const executablePath = process.env.QP_TEST_BROWSER ?? '/usr/bin/chromium';

/** @type {Promise<import('playwright-core').Browser> | undefined} */
let browser;

function started() {
    browser ??= chromium.launch({ executablePath, args: ['--no-sandbox'] });
    return browser;
}

test.after(async () => {
    await (await browser)?.close();
    await endAll();
});

/**
 * Declares a test with a page of the server.
 * @param {string} name
 * @param {() => Promise<Server>} server started when it is first needed
 * @param {(page: Shown) => Promise<void>} body
 * @param {import('playwright-core').BrowserContextOptions & { at?: string, errors?: RegExp }} [options]
 *     `at` is the query of the address, `errors` those that the test provokes
 * @typedef {{ address: string, origin: string, port: string, cookies?: object[] }} Server
 */
export function visit(name, server, body, options = {}) {
    const { at, errors, ...more } = options;
    test(name, { timeout: TIMEOUT }, async () => {
        const [chromium, served] = await Promise.all([started(), server()]);
        const context = await chromium.newContext({ viewport: { width: 1280, height: 800 }, ...more });
        const close = toEnd(() => context.close());
        try {
            const heard = watched(context);
            context.setDefaultTimeout(PATIENCE);
            await useBuilt(context);
            const page = new Shown(await context.newPage(), context, served);
            await page.goTo(at ?? '');
            await body(page);
            assert.equal(await page.page.getByText('This view has failed').count(), 0);
            assert.deepEqual(
                heard.filter(text => errors === undefined || !errors.test(text)),
                [],
            );
        } finally {
            await close();
        }
    });
}

/** With `QP_WEB_DIST`, the page of that folder is tested in place of the one in the binary. */
async function useBuilt(context) {
    const dist = process.env.QP_WEB_DIST;
    if (dist !== undefined && dist !== '') {
        await context.route(/\/app\.(js|css)$/, route =>
            route.fulfill({ path: path.join(dist, path.basename(new URL(route.request().url()).pathname)) }),
        );
    }
}

/** What the pages of a context report that they should not. */
function watched(context) {
    const heard = [];
    context.on('console', message => {
        if (message.type() === 'error' || message.type() === 'warning') {
            heard.push(`console: ${message.text()} ${message.location().url}`);
        }
    });
    context.on('weberror', error => heard.push(`error: ${error.error().stack}`));
    context.on('dialog', dialog => {
        heard.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
    });
    void context.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', event => {
            console.error(`security policy: ${event.violatedDirective} ${event.blockedURI}`);
        });
    });
    return heard;
}

/** A page as a person finds their way in it: by the names of its regions and the texts of its rows. */
export class Shown {
    /**
     * @param {import('playwright-core').Page} page
     * @param {import('playwright-core').BrowserContext} context
     * @param {Server} server
     */
    constructor(page, context, server) {
        this.page = page;
        this.context = context;
        this.server = server;
        this.tree = this.region('Execution tree');
        this.events = this.region('Events');
        this.node = this.region('Node');
        this.source = this.region('Source');
        this.history = this.region('Variable history');
        this.timeline = this.region('Timeline');
    }

    region(name) {
        return this.page.getByRole('region', { name, exact: true });
    }

    /** Opens a query of the address. The token of the printed address works once, its cookie after that. */
    async goTo(query) {
        if (this.server.cookies === undefined) {
            await this.page.goto(this.server.address);
            this.server.cookies = await this.context.cookies();
            if (query === '') {
                return;
            }
        } else {
            await this.context.addCookies(this.server.cookies);
        }
        await this.page.goto(`${this.server.origin}/${query}`);
    }

    /** Another tab of the same browser. */
    async tab(query = '') {
        const other = new Shown(await this.context.newPage(), this.context, this.server);
        await other.page.goto(`${this.server.origin}/${query}`);
        return other;
    }

    button(name, within = this.page) {
        return within.getByRole('button', { name, exact: typeof name === 'string' });
    }

    /** Shows a tool, and returns its region. */
    async tool(name) {
        await this.page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();
        return this.region(name);
    }

    /** The tree, opened down to a call, by clicking on its row. */
    async selectCall(text) {
        await this.tree.getByRole('treeitem', { name: text }).first().click();
    }

    /** The selected row of a list; its text in one line. */
    async selectedRow(region) {
        return line(await region.locator('[aria-selected=true]').first().innerText());
    }

    query() {
        return decodeURIComponent(new URL(this.page.url()).search);
    }

    /** Waits until the address is of a selection. */
    async isAt(expected) {
        await equals(() => this.query(), expected);
    }

    async press(...keys) {
        for (const key of keys) {
            await this.page.keyboard.press(key);
        }
    }

    /** Takes a picture for the manual, if a folder for pictures is named. */
    async picture(name) {
        const pictures = process.env.QP_WEB_PICTURES;
        if (pictures !== undefined && pictures !== '') {
            mkdirSync(pictures, { recursive: true });
            await this.page.mouse.move(0, 0);
            await this.page.screenshot({ path: path.join(pictures, name) });
        }
    }
}

export function line(text) {
    return text.replace(/\s+/g, ' ').trim();
}

/**
 * Waits until a condition holds: until the function returns something true.
 * @template T
 * @param {() => Promise<T> | T} condition
 * @param {() => string} describe what there is instead
 */
export async function until(condition, describe) {
    const end = Date.now() + PATIENCE;
    for (;;) {
        const found = await condition();
        if (found) {
            return found;
        }
        if (Date.now() > end) {
            assert.fail(describe());
        }
        await new Promise(resolve => setTimeout(resolve, AGAIN));
    }
}

/** Waits until what is read equals what is expected. */
export async function equals(read, expected) {
    let last;
    await until(
        async () => {
            last = await read();
            return JSON.stringify(last) === JSON.stringify(expected);
        },
        () => `expected ${JSON.stringify(expected)}, but there is ${JSON.stringify(last)}`,
    );
}

/** What an element shows; a picture has no inner text. */
function textOf(locator) {
    return locator.evaluate(element =>
        element instanceof HTMLElement ? element.innerText : (element.textContent ?? ''),
    );
}

/** Waits until an element has a text. */
export async function says(locator, pattern) {
    let last = '';
    await until(
        async () => {
            last = line(((await locator.count()) > 0 && (await textOf(locator.first()))) || '');
            return pattern.test(last);
        },
        () => `expected ${pattern}, but there is “${last}”`,
    );
}
