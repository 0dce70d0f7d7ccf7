// The source in CodeMirror: the selected line, how often lines ran, and the values assigned on them.

import { java } from '@codemirror/lang-java';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import {
    EditorState,
    RangeSetBuilder,
    StateEffect,
    StateField,
    type Extension,
    type Text,
} from '@codemirror/state';
import {
    Decoration,
    EditorView,
    GutterMarker,
    gutter,
    lineNumbers,
    WidgetType,
    type DecorationSet,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { LineFacts } from '../../api/types';
import { cut } from '../../model/shape';

/** What is shown beside the text. */
export interface Beside {
    here?: number;
    facts: Map<number, LineFacts>;
    balloons: Map<number, number[]>;
}

export interface EditorHandlers {
    onCursor: (line: number) => void;
    onValue: (at: Element, name: string, value: string) => void;
    onBalloon: (number: number) => void;
}

/** Maximum number of characters of a value at the end of a line. */
const VALUE = 40;

const setBeside = StateEffect.define<Beside>();

class Count extends GutterMarker {
    constructor(private readonly count: number) {
        super();
    }

    override eq(other: Count): boolean {
        return other.count === this.count;
    }

    override toDOM(): Node {
        return document.createTextNode(
            this.count > 9999 ? `${Math.round(this.count / 1000)}k` : `${this.count}`,
        );
    }
}

class Values extends WidgetType {
    constructor(
        private readonly facts: LineFacts | undefined,
        private readonly balloons: number[],
        private readonly handlers: EditorHandlers,
    ) {
        super();
    }

    override eq(other: Values): boolean {
        return (
            JSON.stringify([this.facts, this.balloons]) === JSON.stringify([other.facts, other.balloons])
        );
    }

    override toDOM(): HTMLElement {
        const box = document.createElement('span');
        box.className = 'line-values';
        for (const number of this.balloons) {
            box.append(
                button(`${number}`, 'balloon', `Possible omission ${number}`, () =>
                    this.handlers.onBalloon(number),
                ),
            );
        }
        for (const { name, value } of this.facts?.values ?? []) {
            box.append(
                button(
                    `${name} = ${cut(value, VALUE)}`,
                    'line-value',
                    `Ask about ${name} = ${cut(value)}`,
                    at => this.handlers.onValue(at, name, value),
                ),
            );
        }
        return box;
    }

    override ignoreEvent(): boolean {
        return true;
    }
}

function button(text: string, kind: string, title: string, does: (at: Element) => void): HTMLButtonElement {
    const made = document.createElement('button');
    made.type = 'button';
    made.className = kind;
    made.textContent = text;
    made.title = title;
    made.setAttribute('aria-label', title);
    made.addEventListener('click', () => does(made));
    return made;
}

function decorations(text: Text, beside: Beside, handlers: EditorHandlers): DecorationSet {
    const builder = new RangeSetBuilder<Decoration>();
    const lines = new Set([...beside.facts.keys(), ...beside.balloons.keys(), beside.here ?? 0]);
    for (const number of [...lines].sort((a, b) => a - b)) {
        if (number < 1 || number > text.lines) {
            continue;
        }
        const line = text.line(number);
        const facts = beside.facts.get(number);
        const balloons = beside.balloons.get(number) ?? [];
        if (number === beside.here) {
            builder.add(
                line.from,
                line.from,
                Decoration.line({ class: 'here', attributes: { 'aria-current': 'true' } }),
            );
        }
        if ((facts?.values.length ?? 0) > 0 || balloons.length > 0) {
            const widget = new Values(facts, balloons, handlers);
            builder.add(line.to, line.to, Decoration.widget({ widget, side: 1 }));
        }
    }
    return builder.finish();
}

const colours = HighlightStyle.define([
    { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], class: 'hl-keyword' },
    { tag: [tags.string, tags.character], class: 'hl-string' },
    { tag: [tags.number, tags.bool, tags.null], class: 'hl-number' },
    { tag: tags.comment, class: 'hl-comment' },
    { tag: [tags.typeName, tags.className], class: 'hl-type' },
    { tag: tags.meta, class: 'hl-meta' },
]);

interface Shown {
    beside: Beside;
    decorations: DecorationSet;
}

function besideField(handlers: EditorHandlers): StateField<Shown> {
    const none: Beside = { facts: new Map(), balloons: new Map() };
    return StateField.define<Shown>({
        create: () => ({ beside: none, decorations: Decoration.none }),
        update: (shown, transaction) => {
            const set = transaction.effects.find(effect => effect.is(setBeside));
            return set === undefined
                ? shown
                : {
                      beside: set.value as Beside,
                      decorations: decorations(transaction.newDoc, set.value as Beside, handlers),
                  };
        },
        provide: field => EditorView.decorations.from(field, ({ decorations: made }) => made),
    });
}

/** The editor in a place of the page. */
export class SourceEditor {
    private readonly view: EditorView;
    private readonly extensions: Extension;

    constructor(place: HTMLElement, nonce: string, handlers: EditorHandlers) {
        const field = besideField(handlers);
        this.extensions = [
            EditorState.readOnly.of(true),
            EditorView.cspNonce.of(nonce),
            EditorView.lineWrapping,
            EditorView.contentAttributes.of({ 'aria-label': 'Source text', 'aria-readonly': 'true' }),
            java(),
            syntaxHighlighting(colours),
            field,
            gutter({
                class: 'counts',
                lineMarker: (view, block) => {
                    const { number } = view.state.doc.lineAt(block.from);
                    const count = view.state.field(field).beside.facts.get(number)?.count ?? 0;
                    return count === 0 ? null : new Count(count);
                },
                lineMarkerChange: update => update.startState.field(field) !== update.state.field(field),
                initialSpacer: () => new Count(999),
            }),
            lineNumbers(),
            EditorView.updateListener.of(update => {
                if (update.selectionSet) {
                    handlers.onCursor(update.state.doc.lineAt(update.state.selection.main.head).number);
                }
            }),
        ];
        this.view = new EditorView({ parent: place, state: this.stateOf('') });
    }

    setText(text: string): void {
        this.view.setState(this.stateOf(text));
    }

    setBeside(beside: Beside): void {
        this.view.dispatch({ effects: setBeside.of(beside) });
    }

    /** Brings a line into view and puts the cursor there. */
    reveal(number: number): void {
        const { doc } = this.view.state;
        if (number >= 1 && number <= doc.lines) {
            const { from } = doc.line(number);
            this.view.dispatch({
                selection: { anchor: from },
                effects: EditorView.scrollIntoView(from, { y: 'center' }),
            });
        }
    }

    end(): void {
        this.view.destroy();
    }

    private stateOf(text: string): EditorState {
        return EditorState.create({ doc: text, extensions: this.extensions });
    }
}
