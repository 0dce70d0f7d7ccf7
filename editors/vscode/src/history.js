// The view *Writes*: the writes to a variable, the latest first. A click goes to one.

'use strict';

const vscode = require('vscode');

/** @typedef {import('./past').Cause} Cause */

/** The writes to one variable. @implements {vscode.TreeDataProvider<Cause>} */
class History {
    /** @type {Cause[]} */
    #writes = [];
    /** @type {vscode.DebugSession | undefined} */
    #session;
    #changed = new vscode.EventEmitter();
    onDidChangeTreeData = this.#changed.event;
    #view = vscode.window.createTreeView('querypoint.history', { treeDataProvider: this });

    /** The session whose writes are shown. */
    get session() {
        return this.#session;
    }

    /**
     * Shows writes.
     * @param {vscode.DebugSession} session
     * @param {string} name the variable
     * @param {Cause[]} writes
     */
    async show(session, name, writes) {
        this.#session = session;
        this.#writes = writes;
        this.#view.message = writes.length === 0
            ? `No write to ${name} before this place is in the recording.`
            : `Writes to ${name} before this place, the latest first:`;
        this.#changed.fire(undefined);
        await vscode.commands.executeCommand('querypoint.history.focus');
    }

    /**
     * Empties the view if it shows writes of a session.
     * @param {vscode.DebugSession} session
     */
    forget(session) {
        if (this.#session?.id === session.id) {
            this.#session = undefined;
            this.#writes = [];
            this.#view.message = undefined;
            this.#changed.fire(undefined);
        }
    }

    /** @param {Cause | undefined} parent */
    getChildren(parent) {
        return parent === undefined ? this.#writes : [];
    }

    /** @param {Cause} write */
    getTreeItem(write) {
        const [what] = write.text.split('\n', 1);
        const item = new vscode.TreeItem(what);
        const file = write.source?.name;
        item.description = file === undefined ? write.method : `${file}:${write.line ?? '?'}`;
        item.tooltip = write.text;
        item.command = { command: 'querypoint.goTo', title: 'Go to this write', arguments: [write.target] };
        return item;
    }

    dispose() {
        this.#view.dispose();
        this.#changed.dispose();
    }
}

module.exports = { History };
