// The adapter: where `qp` is, and what a launch configuration means before it reaches `qp dap`.

'use strict';

const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

/**
 * The file of a program.
 * @param {string} program a path, or a name to look up on the PATH
 * @returns {string | undefined} nothing if there is no such file
 */
function fileOf(program) {
    if (program.includes('/') || program.includes(path.sep)) {
        return fs.existsSync(program) ? program : undefined;
    }
    const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
    const folders = (process.env.PATH ?? '').split(path.delimiter).filter(folder => folder !== '');
    return folders
        .flatMap(folder => endings.map(ending => path.join(folder, program + ending)))
        .find(file => fs.existsSync(file));
}

/** Starts `qp dap`. @implements {vscode.DebugAdapterDescriptorFactory} */
class AdapterFactory {
    /** @param {vscode.DebugSession} session */
    createDebugAdapterDescriptor(session) {
        const settings = vscode.workspace.getConfiguration('querypoint', session.workspaceFolder);
        const program = settings.get('path', 'qp');
        const file = fileOf(program);
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
