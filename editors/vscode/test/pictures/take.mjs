// Uses the packaged extension as a person would, and takes a picture of each state.
//
// It needs code-server (npm, tested with 4.100.3 on Node 20), Chromium, a JDK, qp, and the packaged
// extension:
//
//     npm install && npm run package
//     QP=../../target/debug/qp CODE_SERVER=.../code-server/out/node/entry.js CHROMIUM=/usr/bin/chromium \
//         OUT=/tmp/pictures npm run pictures
//
// It fails if the editor does not show what it should. `KEEP=1` keeps the folder of the session.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = path.dirname(fileURLToPath(import.meta.url));
const extension = path.join(here, '../..');
const qp = path.resolve(process.env.QP ?? path.join(extension, '../../target/debug/qp'));
const out = path.resolve(process.env.OUT ?? path.join(os.tmpdir(), 'qp-pictures'));
const codeServer = process.env.CODE_SERVER;
assert(codeServer, 'CODE_SERVER has to name out/node/entry.js of code-server');
const vsix = path.join(extension, 'querypoint.vsix');
assert(fs.existsSync(vsix), 'the extension has to be packaged first: npm run package');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'qp-editor-'));
const project = path.join(folder, 'shop');
const lines = fs.readFileSync(path.join(here, '../Shop.java'), 'utf8').split('\n');
/** The number of a line, by a part of its text. */
const lineOf = text => 1 + lines.findIndex(line => line.includes(text));

/** Writes the project: sources, classes and a launch configuration. */
function prepare() {
    fs.mkdirSync(path.join(project, 'src'), { recursive: true });
    fs.mkdirSync(path.join(project, '.vscode'));
    fs.mkdirSync(out, { recursive: true });
    const source = path.join(project, 'src/Shop.java');
    fs.copyFileSync(path.join(here, '../Shop.java'), source);
    execFileSync('javac', ['-g', '-d', path.join(project, 'classes'), source]);
    const configuration = {
        type: 'querypoint',
        request: 'launch',
        name: 'Record and step back',
        command: ['java', '-cp', 'classes', 'Shop'],
        sources: ['src'],
    };
    const launch = { version: '0.2.0', configurations: [configuration] };
    fs.writeFileSync(path.join(project, '.vscode/launch.json'), JSON.stringify(launch, null, 2));
    const settings = {
        'security.workspace.trust.enabled': false,
        'workbench.startupEditor': 'none',
        'workbench.colorTheme': 'Default Light Modern',
        'workbench.tips.enabled': false,
        'debug.toolBarLocation': 'docked',
        'debug.internalConsoleOptions': 'openOnSessionStart',
        'editor.minimap.enabled': false,
        'editor.fontSize': 13,
        'extensions.ignoreRecommendations': true,
        'files.exclude': { classes: true },
        'telemetry.telemetryLevel': 'off',
        'window.commandCenter': false,
        'workbench.layoutControl.enabled': false,
        'chat.commandCenter.enabled': false,
    };
    const write = (kind, values) => {
        fs.mkdirSync(path.join(folder, 'user', kind), { recursive: true });
        fs.writeFileSync(path.join(folder, 'user', kind, 'settings.json'), JSON.stringify(values));
    };
    write('User', settings);
    write('Machine', { 'querypoint.path': qp });
}

/** A free port of this machine. */
function freePort() {
    return new Promise(found => {
        const server = net.createServer().listen(0, '127.0.0.1', () => {
            const { port } = server.address();
            server.close(() => found(port));
        });
    });
}

async function serve() {
    const port = await freePort();
    const [user, extensions] = ['user', 'extensions'].map(name => path.join(folder, name));
    // The user's own settings of code-server stay as they are.
    const env = { ...process.env, CODE_SERVER_CONFIG: path.join(folder, 'code-server.yaml'), HOME: folder };
    const node = [codeServer, '--user-data-dir', user, '--extensions-dir', extensions];
    execFileSync(process.execPath, [...node, '--install-extension', vsix], { env, stdio: 'inherit' });
    const address = `127.0.0.1:${port}`;
    const quiet = ['--disable-telemetry', '--disable-update-check'];
    const options = ['--auth', 'none', '--bind-addr', address, ...quiet];
    const server = spawn(process.execPath, [...node, ...options, project], { env, stdio: 'pipe' });
    await new Promise((ready, failed) => {
        server.stdout.on('data', text => `${text}`.includes('HTTP server listening') && ready());
        server.on('exit', code => failed(new Error(`code-server ended with ${code}`)));
    });
    return { server, url: `http://${address}/?folder=${project}` };
}

/** The editor in a browser. */
class Editor {
    constructor(page) {
        this.page = page;
    }

    async picture(name) {
        await this.page.waitForTimeout(700);
        await this.page.screenshot({ path: path.join(out, `${name}.png`) });
    }

    /** Runs a command of the command palette. */
    async command(title) {
        await this.page.keyboard.press('F1');
        await this.page.locator('.quick-input-widget input').fill(`>${title}`);
        await this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().click();
    }

    /** Opens a file of the folder `src` in the explorer. */
    async open(file) {
        const rows = this.page.locator('.explorer-folders-view .monaco-list-row');
        const row = text => rows.filter({ hasText: text }).first();
        await row('src').click();
        await row(file).dblclick();
        await this.page.locator('.tab.active').filter({ hasText: file }).waitFor();
    }

    /** Puts the cursor into a line. */
    async cursor(line) {
        await this.page.keyboard.press('Control+g');
        await this.page.locator('.quick-input-widget input').fill(`:${line}`);
        await this.page.keyboard.press('Enter');
    }

    /** Sets a breakpoint at the cursor. */
    async breakpoint() {
        const shown = this.page.locator('.glyph-margin-widgets .codicon-debug-breakpoint');
        for (let tries = 0; tries < 10 && (await shown.count()) === 0; tries += 1) {
            await this.page.keyboard.press('F9');
            await shown.waitFor({ timeout: 2000 }).catch(() => {});
        }
        await shown.waitFor();
    }

    /** Waits until the session stands at a line. */
    async standsAt(line) {
        const frame = this.page.locator('.debug-call-stack .stack-frame').first();
        const place = frame.filter({ hasText: new RegExp(`\\.java${line}(:\\d+)?$`) });
        await place.waitFor({ timeout: 20_000 }).catch(async () => {
            await this.picture('failed');
            throw new Error(`the session does not stand at line ${line}: ${await frame.textContent()}`);
        });
        // The views refresh some time after the stack.
        await this.page.waitForTimeout(600);
    }

    /** Presses a button of the tool bar. */
    async press(label) {
        await this.page.locator(`.action-label[aria-label^="${label}"]`).first().click();
    }

    /** A row of the variables view. */
    variable(name) {
        const label = this.page.locator('.expression .name', { hasText: new RegExp(`^${name}\\b`) });
        return this.page.locator('.debug-variables .monaco-list-row').filter({ has: label }).first();
    }

    /** Expands a variable until it shows a part. The view collapses its rows when it refreshes them. */
    async expand(name, part) {
        for (let tries = 0; tries < 40 && !(await this.variable(part).isVisible()); tries += 1) {
            const row = this.variable(name);
            if ((await row.count()) > 0 && (await row.getAttribute('aria-expanded')) === 'false') {
                await row.locator('.monaco-tl-twistie').click();
            }
            await this.page.waitForTimeout(500);
        }
        await this.variable(part).waitFor();
    }

    /** Chooses in the context menu of a variable. */
    async choose(name, item, picture) {
        await this.variable(name).click({ button: 'right' });
        const entry = this.page.locator('.monaco-menu .action-item', { hasText: item }).first();
        await entry.hover();
        // A menu takes no click just after it has opened.
        await this.page.waitForTimeout(500);
        if (picture) {
            await this.picture(picture);
        }
        await entry.click();
    }

    /** Checks that no notification is shown. */
    async isQuiet() {
        const shown = await this.page.locator('.notification-list-item-message').allTextContents();
        assert.deepEqual(shown, []);
    }

    notification() {
        return this.page.locator('.notification-list-item-message').first();
    }
}

async function walk(editor) {
    const { page } = editor;
    await editor.open('Shop.java');
    const breakpoint = lineOf('names.add');
    await editor.cursor(breakpoint);
    await editor.breakpoint();
    await page.keyboard.press('F5');
    await editor.standsAt(lineOf('throw new'));
    await editor.picture('1-end');
    await editor.isQuiet();

    // The breakpoint, and a line before it, backwards.
    await editor.press('Reverse');
    await editor.standsAt(breakpoint);
    await editor.press('Step Back');
    await editor.standsAt(lineOf('total +='));
    await editor.picture('2-step-back');

    // Into the call that ended last, and out to its caller.
    await editor.press('Step back into');
    await editor.standsAt(lineOf('return n * 3'));
    await editor.picture('3-step-back-into');
    await editor.press('Step back out');
    await editor.standsAt(lineOf('int cost'));
    // No condition in the method: the caller. There, the condition of the loop.
    await editor.press('Why am I here?');
    await editor.standsAt(lineOf('shop.sell'));
    await editor.press('Why am I here?');
    await editor.standsAt(lineOf('i < 20'));
    await editor.notification().filter({ hasText: 'i < 20' }).waitFor();
    await editor.picture('4-why-am-i-here');
    await editor.command('Notifications: Clear All Notifications');

    // A data breakpoint, from the end backwards.
    await editor.command('Remove All Breakpoints');
    await editor.press('Continue');
    await editor.standsAt(lineOf('throw new'));
    await editor.expand('shop', 'total');
    await editor.choose('total', 'Break on Value Change', '5-break-on-value-change');
    await editor.press('Reverse');
    await editor.standsAt(lineOf('total +='));
    await editor.picture('6-data-breakpoint');
    await editor.command('Remove All Breakpoints');
    await editor.press('Continue');
    await editor.standsAt(lineOf('throw new'));

    // Why this value?
    await editor.expand('shop', 'total');
    await editor.choose('total', 'Why this value?', '7-why-this-value');
    await editor.standsAt(lineOf('total +='));
    const answer = await editor.notification().textContent();
    assert.match(answer, /total: 513 → 570/);
    await editor.picture('8-because');
    await editor.command('Notifications: Clear All Notifications');

    // All writes; a click goes to one.
    await editor.expand('this', 'total');
    await editor.choose('total', 'Show all writes');
    const writes = page.locator('.pane', { hasText: 'Writes' }).locator('.monaco-list-row');
    await writes.first().waitFor();
    await page.locator('.monaco-list-row', { hasText: '408 → 459' }).first().click();
    await page.waitForTimeout(1000);
    await editor.standsAt(lineOf('total +='));
    await editor.picture('9-writes');
    await editor.isQuiet();

    // Operations that were not executed: none here.
    await editor.choose('names', 'What was not done to it');
    await page.locator('.repl', { hasText: 'no omission found' }).first().waitFor();

    // A refusal is said once.
    await editor.command('Querypoint: Why this value?');
    await page.locator('.quick-input-widget input').fill('nothing');
    await page.keyboard.press('Enter');
    await editor.notification().filter({ hasText: 'nothing' }).waitFor();
    await page.waitForTimeout(500);
    await editor.picture('10-refused');
    assert.equal(await page.locator('.notifications-toasts .notification-list-item-message').count(), 1);
    await editor.command('Notifications: Clear All Notifications');

    // The diagnosis.
    await editor.command('Querypoint: Diagnose');
    const inner = page.frameLocator('iframe.webview.ready').frameLocator('iframe');
    await inner.locator('#said', { hasText: 'question 1' }).waitFor({ timeout: 30_000 });
    await inner.locator('[data-answer=invalid]').click();
    await inner.locator('#said', { hasText: 'question 2' }).waitFor();
    await inner.locator('[data-answer=undo]').click();
    await inner.locator('#path').fill('this.nowhere');
    await inner.locator('#wrong:enabled').click();
    await inner.locator('#said', { hasText: 'error:' }).waitFor();
    await editor.picture('11-diagnosis');
    for (let answers = 0; answers < 40 && (await inner.locator('#over').isHidden()); answers += 1) {
        const asked = await inner.locator('#said pre').count();
        await inner.locator('[data-answer=invalid]:enabled').click();
        await inner.locator(`#said pre:nth-of-type(${asked + 2})`).waitFor();
    }
    await inner.locator('#said', { hasText: 'the bug is in' }).waitFor();
    await editor.picture('12-diagnosed');
    await page.keyboard.press('Shift+F5');
    await page.locator('.debug-call-stack .stack-frame').first().waitFor({ state: 'detached' });
}

prepare();
const { server, url } = await serve();
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
});
try {
    const page = await browser.newPage({ viewport: { width: 1180, height: 760 } });
    page.setDefaultTimeout(20_000);
    await page.goto(url);
    await page.locator('.monaco-workbench').waitFor({ timeout: 60_000 });
    await page.waitForTimeout(3000);
    const editor = new Editor(page);
    try {
        await walk(editor);
    } catch (error) {
        await editor.picture('failed');
        throw error;
    }
    console.log(`the pictures are in ${out}`);
} finally {
    await browser.close();
    server.kill();
    if (!process.env.KEEP) {
        fs.rmSync(folder, { recursive: true, force: true });
    }
}
