// Where the program `qp` is: in this extension, on the PATH, or where a setting says.

'use strict';

const fs = require('node:fs');
const path = require('node:path');

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

/**
 * The program that a package for one platform carries.
 * @param {string} folder the folder of this extension
 * @returns {string | undefined} nothing if the package is for all platforms
 */
function ownProgram(folder) {
    return fileOf(path.join(folder, 'bin', process.platform === 'win32' ? 'qp.exe' : 'qp'));
}

module.exports = { fileOf, ownProgram };
