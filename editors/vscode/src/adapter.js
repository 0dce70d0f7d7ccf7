// The adapter: where `qp` is, and what a launch configuration means before it reaches `qp dap`.

'use strict';

const vscode = require('vscode');
const { fileOf, ownProgram } = require('./program');

/** Starts `qp dap`. @implements {vscode.DebugAdapterDescriptorFactory} */
class AdapterFactory {
    /** @param {string} folder the folder of this extension */
    constructor(folder) {
        this.folder = folder;
    }

    /** @param {vscode.DebugSession} session */
    createDebugAdapterDescriptor(session) {
        const settings = vscode.workspace.getConfiguration('querypoint', session.workspaceFolder);
        const program = settings.get('path', 'qp');
        const file = (program === 'qp' ? ownProgram(this.folder) : undefined) ?? fileOf(program);
        if (file === undefined) {
            throw new Error(
                `There is no program \`${program}\`. Install qp, or write its full path into the setting `
                    + '`querypoint.path`.',
            );
        }
        // Relative paths of a launch configuration mean the folder of the workspace.
        const cwd = session.workspaceFolder?.uri.fsPath;
        return new vscode.DebugAdapterExecutable(file, ['dap'], cwd === undefined ? {} : { cwd });
    }
}

/** Completes launch configurations. @implements {vscode.DebugConfigurationProvider} */
class Configurations {
    /**
     * @param {vscode.WorkspaceFolder | undefined} folder
     * @param {vscode.DebugConfiguration} configuration
     */
    resolveDebugConfiguration(folder, configuration) {
        // Without a configuration, the editor opens launch.json if nothing is returned.
        if (!configuration.type) {
            return null;
        }
        if (configuration.cwd === undefined && folder !== undefined) {
            configuration.cwd = folder.uri.fsPath;
        }
        return configuration;
    }
}

module.exports = { AdapterFactory, Configurations };
