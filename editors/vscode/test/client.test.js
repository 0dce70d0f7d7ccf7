// Drives `qp dap` by the test client of Visual Studio Code's debug adapters.
//
//     npm install && QP=../../target/debug/qp npm test
//
// `QP` names the program; otherwise it is the `qp` on the PATH. `QP_TEST_DAP_CLIENT` may name a folder whose
// `node_modules` has the client; otherwise it is that of the extension.

'use strict';

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const path = require('node:path');
const { after, afterEach, before, beforeEach, test } = require('node:test');

const folder = process.env.QP_TEST_DAP_CLIENT || path.join(__dirname, '..');
const { DebugClient } = createRequire(path.join(folder, 'package.json'))('@vscode/debugadapter-testsupport');

const program = process.env.QP ? path.resolve(process.env.QP) : 'qp';
const file = path.join(__dirname, 'Shop.java');
/** The number of a line, by a part of its text. */
const lineOf = text => 1 + fs.readFileSync(file, 'utf8').split('\n').findIndex(line => line.includes(text));
const thread = { threadId: 1 };

let classes;
/** @type {import('@vscode/debugadapter-testsupport').DebugClient} */
let client;

before(() => {
    classes = fs.mkdtempSync(path.join(os.tmpdir(), 'qp-client-'));
    execFileSync('javac', ['-g', '-d', classes, file]);
});
after(() => fs.rmSync(classes, { recursive: true }));

beforeEach(async () => {
    client = new DebugClient(program, 'dap', 'querypoint');
    client.defaultTimeout = 30_000;
    await client.start();
});
afterEach(() => client.stop());

const settings = more => ({ command: ['java', '-cp', classes, 'Shop'], sources: [__dirname], ...more });

/** Does something that ends with a stop, and returns the body of the event and the innermost frame. */
async function stopped(action) {
    const [event] = await Promise.all([client.waitForEvent('stopped'), action]);
    const stack = await client.stackTraceRequest({ threadId: event.body.threadId });
    return { ...event.body, frame: stack.body.stackFrames[0], stack: stack.body.stackFrames };
}

/** Launches with breakpoints, and returns the first stop. */
function launched(breakpoints = [], more = {}) {
    const begin = async () => {
        await client.waitForEvent('initialized');
        await client.setBreakpointsRequest({ source: { path: file }, breakpoints });
        await client.configurationDoneRequest();
    };
    return stopped(Promise.all([begin(), client.launch(settings(more))]));
}

/** The variables of a scope, by name. */
async function variables(reference) {
    const { body } = await client.variablesRequest({ variablesReference: reference });
    return Object.fromEntries(body.variables.map(variable => [variable.name, variable]));
}

async function scopes(frameId) {
    const { body } = await client.scopesRequest({ frameId });
    return Object.fromEntries(body.scopes.map(scope => [scope.name, scope]));
}

/** What an expression is, at a frame of a stop. */
async function value(expression, stop, context = 'watch') {
    return (await client.evaluateRequest({ expression, frameId: stop.frame.id, context })).body.result;
}

test('the adapter says that it can go back', async () => {
    const { body } = await client.initializeRequest();
    for (const ability of ['StepBack', 'DataBreakpoints', 'GotoTargetsRequest', 'ConfigurationDoneRequest']) {
        assert.equal(body[`supports${ability}`], true, ability);
    }
});

test('the first stop is the exception that ended the program', async () => {
    const stop = await launched();
    assert.equal(stop.reason, 'exception');
    assert.match(stop.text, /total is 570/);
    assert.equal(stop.frame.line, lineOf('throw new'));
    const { body } = await client.exceptionInfoRequest(thread);
    assert.equal(body.exceptionId, 'java.lang.IllegalStateException');
    assert.equal(body.breakMode, 'unhandled');
});

test('the first stop can be the first hit of a breakpoint', async () => {
    await client.hitBreakpoint(settings({ stopAt: 'breakpoint' }), { path: file, line: lineOf('return n') });
});

test('a breakpoint is hit backwards, and steps go back from it', async () => {
    const line = lineOf('names.add');
    await launched([{ line }]);
    await Promise.all([
        client.reverseContinueRequest(thread),
        client.assertStoppedLocation('breakpoint', { path: file, line }),
    ]);
    let stop = await stopped(client.stepBackRequest(thread));
    assert.deepEqual([stop.reason, stop.frame.line], ['step', lineOf('total +=')]);
    assert.equal(await value('n', stop), '19');
    assert.equal(await value('total + cost', stop), '570');
    stop = await stopped(client.reverseContinueRequest(thread));
    assert.deepEqual([stop.frame.line, await value('n', stop)], [line, '18']);
    stop = await stopped(client.continueRequest(thread));
    assert.deepEqual([stop.frame.line, await value('n', stop)], [line, '19']);
    stop = await stopped(client.nextRequest(thread));
    assert.deepEqual([stop.frame.name, stop.frame.line], ['Shop.sell', line + 1]);
});

test('an editor may ask for lines and threads before the program has run', async () => {
    const ask = async () => {
        const source = { path: file };
        const lines = await client.customRequest('breakpointLocations', { source, line: lineOf('total +=') });
        assert.deepEqual(lines.body.breakpoints, []);
        assert.deepEqual((await client.threadsRequest()).body.threads, []);
        await client.configurationDoneRequest();
    };
    const asked = client.waitForEvent('initialized').then(ask);
    await stopped(Promise.all([asked, client.launch(settings())]));
});

test('a condition chooses the hit, and a breakpoint without code says so', async () => {
    const line = lineOf('total +=');
    await launched([{ line, condition: 'n == 7' }]);
    const stop = await stopped(client.reverseContinueRequest(thread));
    assert.deepEqual([stop.frame.line, await value('n', stop)], [line, '7']);
    const set = { source: { path: file }, breakpoints: [{ line: 1 }] };
    const { body } = await client.setBreakpointsRequest(set);
    assert.equal(body.breakpoints[0].verified, false);
    assert.notEqual(body.breakpoints[0].message ?? '', '');
});

test('a data breakpoint is reached backwards', async () => {
    const end = await launched();
    const locals = await variables((await scopes(end.frame.id)).Locals.variablesReference);
    const container = locals.shop.variablesReference;
    assert.match((await variables(container)).total.value, /^570/);
    const info = await client.dataBreakpointInfoRequest({ variablesReference: container, name: 'total' });
    assert.deepEqual(info.body.accessTypes, ['write']);
    const breakpoints = [{ dataId: info.body.dataId, accessType: 'write' }];
    await client.setDataBreakpointsRequest({ breakpoints });
    const stop = await stopped(client.reverseContinueRequest(thread));
    assert.deepEqual([stop.reason, stop.frame.line], ['data breakpoint', lineOf('total +=')]);
    assert.deepEqual([await value('n', stop), await value('total', stop)], ['19', '513']);
});

test('scopes have the values of each frame', async () => {
    await launched([{ line: lineOf('return n * 3'), condition: 'n == 4' }]);
    const stop = await stopped(client.reverseContinueRequest(thread));
    assert.deepEqual(stop.stack.map(frame => frame.name), ['Shop.price', 'Shop.sell', 'Shop.main']);
    const inner = await variables((await scopes(stop.stack[0].id)).Arguments.variablesReference);
    assert.equal(inner.n.value, '4');
    const outer = await variables((await scopes(stop.stack[2].id)).Locals.variablesReference);
    assert.equal(outer.i.value, '4');
});

test('questions in the console and of extensions lead to the cause', async () => {
    const end = await launched();
    assert.match(await value('why shop.total', end, 'repl'), /513.*570/);
    const why = await client.customRequest('qp/why', { frameId: end.frame.id, expression: 'shop.total' });
    assert.equal(why.body.line, lineOf('total +='));
    let stop = await stopped(client.gotoRequest({ ...thread, targetId: why.body.target }));
    assert.deepEqual([stop.reason, await value('n', stop)], ['goto', '19']);
    stop = await stopped(client.customRequest('qp/stepBackOut', thread));
    assert.deepEqual([stop.frame.name, stop.frame.line], ['Shop.main', lineOf('shop.sell')]);
    const condition = await client.customRequest('qp/whyCondition', { frameId: stop.frame.id });
    assert.match(condition.body.text, /i < 20/);
    const question = { frameId: stop.frame.id, expression: 'shop.total' };
    const history = await client.customRequest('qp/history', question);
    assert.equal(history.body.writes[0].line, lineOf('total +='));
    const diagnosis = await client.customRequest('qp/diagnose', {});
    assert.match(diagnosis.body.text, /question 1/);
    await assert.rejects(client.evaluateRequest({ expression: 'nothing', frameId: stop.frame.id }));
});

test('the first line is reached at once or by going back', async () => {
    const first = lineOf('new Shop()');
    const entry = await launched([], { stopOnEntry: true });
    assert.deepEqual([entry.reason, entry.frame.line], ['entry', first]);
    await stopped(client.continueRequest(thread));
    const again = await stopped(client.reverseContinueRequest(thread));
    assert.deepEqual([again.description, again.frame.line], ['beginning of the recording', first]);
});

test('a session that is terminated says so, and has nothing to show then', async () => {
    await launched();
    await Promise.all([client.waitForEvent('terminated'), client.terminateRequest()]);
    await assert.rejects(client.stackTraceRequest(thread));
});
