// Values of variables behind the lines of the current method, where the session stands.

'use strict';

const vscode = require('vscode');

/** Words that look like variables and are none. */
const KEYWORDS = new Set(
    ('abstract assert boolean break byte case catch char class const continue default do double else enum ' +
        'extends final finally float for goto if implements import instanceof int interface long native ' +
        'new null package private protected public record return sealed short static strictfp super switch ' +
        'synchronized this throw throws transient true false try var void volatile while yield').split(' '),
);
/** Lines above the current one that show values. */
const ABOVE = 60;

/** @implements {vscode.InlineValuesProvider} */
class InlineValues {
    /**
     * Names the variables of the lines up to the current one. The editor looks their values up in the scopes
     * of the frame, and shows nothing for names that are not there.
     * @param {vscode.TextDocument} document
     * @param {vscode.Range} viewPort
     * @param {vscode.InlineValueContext} context
     * @returns {vscode.InlineValue[]}
     */
    provideInlineValues(document, viewPort, context) {
        if (vscode.debug.activeDebugSession?.type !== 'querypoint') {
            return [];
        }
        const last = context.stoppedLocation.end.line;
        const first = Math.max(viewPort.start.line, last - ABOVE);
        const values = [];
        for (let number = first; number <= last; number++) {
            const text = withoutTexts(document.lineAt(number).text);
            const seen = new Set();
            for (const found of text.matchAll(/(?<![\w$.@])[a-zA-Z_$][\w$]*(?!\s*\(|[\w$])/g)) {
                const name = found[0];
                if (KEYWORDS.has(name) || seen.has(name)) {
                    continue;
                }
                seen.add(name);
                const range = new vscode.Range(number, found.index, number, found.index + name.length);
                values.push(new vscode.InlineValueVariableLookup(range, name, true));
            }
        }
        return values;
    }
}

/**
 * The line with spaces in place of string literals and of a comment at its end.
 * @param {string} line
 */
function withoutTexts(line) {
    const blank = (/** @type {string} */ text) => ' '.repeat(text.length);
    return line.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, blank).replace(/\/\/.*$/, blank);
}

module.exports = { InlineValues, withoutTexts };
