// The script of the page *Diagnosis*. Texts are set as text, never as HTML.

'use strict';

(() => {
    // @ts-ignore: provided by the editor
    const editor = acquireVsCodeApi();
    const byId = id => document.getElementById(id);
    const [said, answers, over, path] = ['said', 'answers', 'over', 'path'].map(byId);

    const wait = waits => {
        for (const one of answers.querySelectorAll('button, input')) {
            one.disabled = waits;
        }
    };
    const ask = answer => {
        wait(true);
        editor.postMessage({ answer });
    };
    const add = (text, kind) => {
        const block = document.createElement('pre');
        block.textContent = text;
        block.className = kind;
        said.append(block);
        block.scrollIntoView({ block: 'nearest' });
    };

    for (const button of answers.querySelectorAll('button[data-answer]')) {
        button.addEventListener('click', () => ask(button.dataset.answer));
    }
    answers.querySelector('form').addEventListener('submit', event => {
        event.preventDefault();
        const text = path.value.trim();
        if (text === '') {
            path.focus();
        } else {
            ask(`wrong ${text}`);
        }
    });
    byId('send').addEventListener('click', () => {
        const text = path.value.trim();
        if (text === '') {
            path.focus();
        } else {
            ask(text);
        }
    });
    byId('again').addEventListener('click', () => editor.postMessage({ again: true }));

    window.addEventListener('message', ({ data }) => {
        if (data.begins) {
            said.replaceChildren();
        }
        if (data.answer !== undefined) {
            add(data.answer, 'answer');
        }
        add(data.text.trimEnd(), 'said');
        path.value = '';
        wait(false);
        answers.hidden = data.ended;
        over.hidden = !data.ended;
        (data.ended ? over : answers).scrollIntoView({ block: 'nearest' });
    });
    editor.postMessage({ ready: true });
})();
