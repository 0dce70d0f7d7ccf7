// A session with `qp dap`: its requests, its current frame, and moves to other places of the recording.

'use strict';

const vscode = require('vscode');

/**
 * A cause or a write, as `qp dap` shows it.
 * @typedef {{text: string, target: number, method: string, source?: {name?: string, path?: string},
 *     line?: number}} Cause
 */

/**
 * What the variables view passes to a command of its context menu.
 * @typedef {{sessionId?: string, container?: {variablesReference?: number},
 *     variable: {name: string, evaluateName?: string}}} ChosenVariable
 */

/** A message for the user that is no failure of the extension. */
class Remark extends Error {}

/** The adapter has refused a request. The editor has already shown why. */
class Refused extends Error {}

/**
 * Asks the adapter.
 * @param {vscode.DebugSession} session
 * @param {string} request
 * @param {object} argument
 * @returns {Promise<any>} the body of the answer
 */
async function ask(session, request, argument) {
    try {
        return await session.customRequest(request, argument);
    } catch (error) {
        throw new Refused(error instanceof Error ? error.message : String(error));
    }
}

/**
 * The session with `qp dap` that the user looks at.
 * @returns {vscode.DebugSession}
 */
function activeSession() {
    const session = vscode.debug.activeDebugSession;
    if (session?.type !== 'querypoint') {
        throw new Remark(
            'No recording is open. Start a launch configuration of the type `querypoint` first.',
        );
    }
    if (session.configuration.mode === 'rerun') {
        throw new Remark(
            'Nothing is recorded in the mode `rerun`. Write a question such as `why x` into the debug console.',
        );
    }
    return session;
}

/**
 * The chosen thread and frame of a session.
 * @param {vscode.DebugSession} session
 * @returns {{threadId: number, frameId?: number}}
 */
function chosen(session) {
    const item = vscode.debug.activeStackItem;
    if (item === undefined || item.session.id !== session.id) {
        return { threadId: 0 };
    }
    const frameId = item instanceof vscode.DebugStackFrame ? item.frameId : undefined;
    return { threadId: item.threadId, frameId };
}

/**
 * The arguments of a question about a variable.
 * @param {vscode.DebugSession} session
 * @param {ChosenVariable | undefined} variable of the variables view; otherwise the word at the cursor
 * @returns {Promise<{frameId?: number, variablesReference?: number, expression: string} | undefined>}
 *     nothing if the user names no variable
 */
async function meant(session, variable) {
    const { frameId } = chosen(session);
    if (variable?.variable !== undefined) {
        const variablesReference = variable.container?.variablesReference;
        if (variablesReference) {
            return { variablesReference, expression: variable.variable.name };
        }
        return { frameId, expression: variable.variable.evaluateName ?? variable.variable.name };
    }
    const expression = await vscode.window.showInputBox({
        prompt: 'A variable of the current frame, such as `order.total`',
        value: atCursor(),
    });
    return expression === undefined || expression.trim() === '' ? undefined : { frameId, expression };
}

/** The selected text of the editor, or the word at its cursor. */
function atCursor() {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
        return '';
    }
    const { document, selection } = editor;
    const range = selection.isEmpty ? document.getWordRangeAtPosition(selection.active) : selection;
    return range === undefined || !range.isSingleLine ? '' : document.getText(range);
}

/**
 * Goes to a place of the recording.
 * @param {vscode.DebugSession} session
 * @param {number} target
 */
async function goTo(session, target) {
    await ask(session, 'goto', { threadId: chosen(session).threadId, targetId: target });
}

/**
 * Shows a cause, and goes there.
 * @param {vscode.DebugSession} session
 * @param {Cause} cause
 */
async function showCause(session, cause) {
    print(cause.text);
    await goTo(session, cause.target);
    // A notification has one line.
    const lines = cause.text.split('\n').map(line => line.trim()).filter(line => line !== '');
    void vscode.window.showInformationMessage(lines.join('  ·  '));
}

/**
 * Prints a text in the debug console.
 * @param {string} text
 */
function print(text) {
    vscode.debug.activeDebugConsole.appendLine(text.trimEnd());
}

module.exports = { Refused, Remark, activeSession, ask, chosen, goTo, meant, print, showCause };
