// The page *Diagnosis*: questions about calls, with a button for each answer. The page shows texts of the
// debugged program, so it builds no HTML from them and runs only its own script.

'use strict';

const crypto = require('node:crypto');
const vscode = require('vscode');
const { ask } = require('./past');

/** The page of one session at a time. */
class Diagnosis {
    /** @type {vscode.WebviewPanel | undefined} */
    #panel;
    /** @type {vscode.DebugSession | undefined} */
    #session;
    #media;

    /** @param {vscode.Uri} extension the folder of the extension */
    constructor(extension) {
        this.#media = vscode.Uri.joinPath(extension, 'media');
    }

    /**
     * Begins a diagnosis.
     * @param {vscode.DebugSession} session
     */
    async begin(session) {
        this.#session = session;
        if (this.#panel === undefined) {
            const panel = vscode.window.createWebviewPanel(
                'querypoint.diagnosis',
                'Diagnosis',
                { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
                { enableScripts: true, localResourceRoots: [this.#media], retainContextWhenHidden: true },
            );
            panel.onDidDispose(() => (this.#panel = undefined));
            panel.webview.onDidReceiveMessage(message => this.#take(message));
            this.#panel = panel;
            panel.webview.html = this.#page(panel.webview);
        } else {
            this.#panel.reveal(undefined, true);
            await this.#ask(undefined);
        }
    }

    /**
     * Says that a session is over, and with it its diagnosis.
     * @param {vscode.DebugSession} session
     */
    forget(session) {
        if (this.#session?.id === session.id) {
            this.#session = undefined;
            const text = 'The recording was closed. Start the diagnosis again in a new session.';
            this.#send({ text, ended: true });
        }
    }

    /** @param {{ready?: boolean, again?: boolean, answer?: string}} message of the page */
    async #take(message) {
        if (message.ready || message.again) {
            await this.#ask(undefined);
        } else if (typeof message.answer === 'string') {
            await this.#ask(message.answer);
        }
    }

    /** @param {string | undefined} answer the answer to the last question; none begins a diagnosis */
    async #ask(answer) {
        const session = this.#session;
        if (session === undefined) {
            this.#send({ text: 'No recording is open.\n', ended: true });
            return;
        }
        try {
            const begins = answer === undefined;
            const said = await ask(session, 'qp/diagnose', begins ? {} : { answer });
            this.#send({ begins, answer, text: said.text, ended: said.ended });
        } catch (error) {
            this.#send({ answer, text: `${error instanceof Error ? error.message : error}\n`, ended: false });
        }
    }

    /** @param {{begins?: boolean, answer?: string, text: string, ended: boolean}} said */
    #send(said) {
        void this.#panel?.webview.postMessage(said);
    }

    /** @param {vscode.Webview} webview */
    #page(webview) {
        const nonce = crypto.randomBytes(16).toString('hex');
        const uri = (/** @type {string} */ file) =>
            webview.asWebviewUri(vscode.Uri.joinPath(this.#media, file));
        return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
    content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}';">
<link rel="stylesheet" href="${uri('diagnosis.css')}">
<title>Diagnosis</title>
</head>
<body>
<p>Is what this call did right? Your answers lead to the method that is wrong.</p>
<div id="said" role="log" aria-live="polite"></div>
<div id="answers">
<div>
<button data-answer="valid" title="The call did what it should">Valid</button>
<button data-answer="invalid" title="The call did not do what it should">Invalid</button>
<button data-answer="trusted" title="Its method is always correct">Trusted</button>
<button data-answer="unknown" title="You do not know">Unknown</button>
<button class="minor" data-answer="more" title="Show the question with whole values">More</button>
<button class="minor" data-answer="undo" title="Take back the last answer">Undo</button>
</div>
<form>
<input id="path" aria-label="What is wrong" placeholder="What is wrong: result, c[2], this.head.next">
<button id="wrong" title="The call is invalid, and this part of its outcome is wrong">Wrong</button>
<button class="minor" id="send" type="button"
    title="Send the text as an answer, such as: trusted class">Send</button>
</form>
</div>
<div id="over" hidden><button id="again">Begin again</button></div>
<script nonce="${nonce}" src="${uri('diagnosis.js')}"></script>
</body>
</html>`;
    }

    dispose() {
        this.#panel?.dispose();
    }
}

module.exports = { Diagnosis };
