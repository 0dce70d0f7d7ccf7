// The extension: starts `qp dap`, and sends the requests that only `qp dap` knows.

'use strict';

const vscode = require('vscode');
const { AdapterFactory, Configurations } = require('./adapter');
const { Diagnosis } = require('./diagnosis');
const { History } = require('./history');
const { InlineValues } = require('./inline');
const { Refused, Remark, activeSession, ask, chosen, goTo, meant, print, showCause } = require('./past');

/** @typedef {import('./past').ChosenVariable} ChosenVariable */

/** @param {vscode.ExtensionContext} context */
function activate(context) {
    const history = new History();
    const diagnosis = new Diagnosis(context.extensionUri);
    const step = (/** @type {string} */ request) => async () => {
        const session = activeSession();
        await ask(session, request, { threadId: chosen(session).threadId });
    };
    /** @type {Record<string, (argument?: any) => Promise<void>>} */
    const commands = {
        why: async (/** @type {ChosenVariable | undefined} */ variable) => {
            const session = activeSession();
            const question = await meant(session, variable);
            if (question !== undefined) {
                await showCause(session, await ask(session, 'qp/why', question));
            }
        },
        whyCondition: async () => {
            const session = activeSession();
            const { frameId } = chosen(session);
            await showCause(session, await ask(session, 'qp/whyCondition', { frameId }));
        },
        history: async (/** @type {ChosenVariable | undefined} */ variable) => {
            const session = activeSession();
            const question = await meant(session, variable);
            if (question !== undefined) {
                const found = await ask(session, 'qp/history', question);
                await history.show(session, question.expression, found.writes);
            }
        },
        omitted: async (/** @type {ChosenVariable | undefined} */ variable) => {
            const session = activeSession();
            // It takes expressions, and no names such as `Shop@4.names`.
            const expression = variable?.variable?.evaluateName;
            const { frameId } = chosen(session);
            const question = expression ? { frameId, expression } : await meant(session, variable);
            if (question !== undefined) {
                const title = `Looking for operations that ${question.expression} has not seen`;
                const found = await vscode.window.withProgress(
                    { location: vscode.ProgressLocation.Notification, title },
                    () => ask(session, 'qp/omitted', question),
                );
                print(found.text);
                await vscode.commands.executeCommand('workbench.debug.action.focusRepl');
            }
        },
        stepBackInto: step('qp/stepBackInto'),
        stepBackOut: step('qp/stepBackOut'),
        diagnose: async () => diagnosis.begin(activeSession()),
        goTo: async (/** @type {number} */ target) => {
            if (history.session === undefined) {
                throw new Remark('The recording of this write was closed.');
            }
            await goTo(history.session, target);
        },
    };
    const forget = (/** @type {vscode.DebugSession} */ session) => {
        history.forget(session);
        diagnosis.forget(session);
    };
    context.subscriptions.push(
        history,
        diagnosis,
        vscode.debug.registerDebugAdapterDescriptorFactory('querypoint', new AdapterFactory(context.extensionPath)),
        vscode.debug.registerDebugConfigurationProvider('querypoint', new Configurations()),
        vscode.languages.registerInlineValuesProvider({ language: 'java' }, new InlineValues()),
        vscode.debug.onDidTerminateDebugSession(forget),
        // The places of a recording mean nothing in the next one.
        vscode.debug.registerDebugAdapterTrackerFactory('querypoint', {
            createDebugAdapterTracker: session => ({
                onWillReceiveMessage: message => {
                    if (message.command === 'restart') {
                        forget(session);
                    }
                },
            }),
        }),
        ...Object.entries(commands).map(([name, command]) =>
            vscode.commands.registerCommand(`querypoint.${name}`, async argument => {
                try {
                    await command(argument);
                } catch (error) {
                    report(error);
                }
            }),
        ),
    );
}

/**
 * Shows why a command failed.
 * @param {unknown} error
 */
function report(error) {
    if (error instanceof Refused) {
        return;
    }
    if (error instanceof Remark) {
        void vscode.window.showWarningMessage(error.message);
    } else {
        void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
}

module.exports = { activate };
