// The variables of a call with their values at both bounds of the node view, as a tree of parts.

import type { ObjectShape, PartRow, Question, Shape } from '../api/types';
import { differ, isAgain, isObject, shapeText } from './shape';

/** What happened to a value between the bounds. `inside`: not to it, but to a part of its object. */
export type Mark = 'changed' | 'inside' | 'created' | 'same';

export interface NodePart {
    /** Its path from a variable of the call, such as `c[2]`. */
    path: string;
    name: string;
    old?: Shape;
    now?: Shape;
    /** The same place without a variable: `@9[2]`. */
    address?: string;
    /**
     * How the server knows the place outside of the question; the outcome of the call is no place. Of an element
     * of a collection it is the whole collection, since a write to it can move all elements.
     */
    place?: string;
    mark: Mark;
}

/** Maximum number of parts that are looked at to find out whether one of them changed. */
const SEARCHED = 2000;

/** A question in a form that answers which parts a value has and what happened to them. */
export class NodeTree {
    private readonly changed: Set<string>;
    private readonly before = new Map<number, ObjectShape>();
    private readonly after = new Map<number, ObjectShape>();

    constructor(private readonly question: Question) {
        this.changed = new Set(question.changed.map(({ path }) => path));
        Object.values(question.entry).forEach(shape => gather(shape, this.before));
        Object.values(question.exit).forEach(shape => gather(shape, this.after));
        gather(question.result ?? null, this.after);
        gather(question.exception ?? null, this.after);
    }

    /**
     * The outcome, other changes, the arguments, the local variables and the static fields. What only the
     * initialisers of classes changed comes last: the call did not mean to do it.
     */
    variables(): NodePart[] {
        const { entry, exit, result, exception, changed } = this.question;
        const names = [...new Set([...Object.keys(entry), ...Object.keys(exit)])];
        const parts = names.map(name =>
            this.part(
                { path: name, name: shortName(name), ...(name !== 'this' && { place: name }) },
                entry[name],
                exit[name],
                true,
            ),
        );
        const initial = new Set(changed.filter(change => change.by_initialiser === true).map(({ path }) => path));
        const others = changed
            .filter(({ path }) => !names.some(root => path === root || isPathBelow(path, root)))
            .map(({ path, old, new: now }): NodePart => ({
                path,
                name: shortName(path),
                ...(isStatic(path) && { place: path }),
                old,
                now,
                mark: 'changed',
            }));
        const all = [
            ...(exception === undefined || exception === null
                ? []
                : [this.part({ path: 'exception', name: 'exception' }, undefined, exception, false)]),
            ...(result === undefined || result === null
                ? []
                : [this.part({ path: 'result', name: 'result' }, undefined, result, false)]),
            ...others,
            ...parts,
        ];
        return [
            ...all.filter(({ path }) => !initial.has(path)),
            ...all.filter(({ path }) => initial.has(path)),
        ];
    }

    /** The parts of a value that the question contains. */
    children(part: NodePart): NodePart[] {
        const before = this.resolved(part.old, this.before);
        const after = this.resolved(part.now, this.after);
        const isSame = before === undefined || after === undefined || before.object === after.object;
        const object = (after ?? before)?.object;
        const named = (
            name: string,
            selector: string,
        ): Pick<NodePart, 'path' | 'name' | 'place' | 'address'> => {
            const path = part.path + selector;
            const address = `@${object}${selector}`;
            const isByPath = part.place === part.path || part.path === 'this';
            return { path, name, address, place: isByPath ? path : address };
        };
        const isArray = (after ?? before)?.type.endsWith('[]') === true;
        const fields = new Set([...Object.keys(before?.fields ?? {}), ...Object.keys(after?.fields ?? {})]);
        const parts = [...fields].map(name =>
            this.part(named(name, `.${name}`), before?.fields?.[name], after?.fields?.[name], isSame),
        );
        const was = items(before);
        const is = items(after);
        for (const selector of new Set([...was.keys(), ...is.keys()])) {
            const place = isArray ? {} : { place: `@${object}` };
            const item = { ...named(selector, selector), ...place };
            parts.push(this.part(item, was.get(selector), is.get(selector), isSame));
        }
        return parts;
    }

    /** Whether the value has parts, here or at the server. */
    hasParts({ old, now }: NodePart): boolean {
        return [this.resolved(now, this.after), this.resolved(old, this.before)].some(
            shape =>
                shape !== undefined &&
                (Object.keys(shape.fields ?? {}).length > 0 ||
                    (shape.elements?.length ?? 0) > 0 ||
                    (shape.truncated === true && shape.text === undefined && shape.printed === undefined)),
        );
    }

    /** The object of which the question has only some parts. */
    cutObject({ old, now }: NodePart): ObjectShape | undefined {
        const shape = this.resolved(now, this.after) ?? this.resolved(old, this.before);
        const isWhole =
            shape?.truncated !== true || shape.text !== undefined || shape.printed !== undefined;
        return isWhole ? undefined : shape;
    }

    private part(
        named: Pick<NodePart, 'path' | 'name' | 'place' | 'address'>,
        old: Shape | undefined,
        now: Shape | undefined,
        compares: boolean,
    ): NodePart {
        const part: NodePart = {
            ...named,
            ...(old !== undefined && { old }),
            ...(now !== undefined && { now }),
            mark: 'same',
        };
        part.mark = this.markOf(part, compares);
        return part;
    }

    private markOf(part: NodePart, compares: boolean): Mark {
        const { path, old, now } = part;
        if (this.changed.has(path)) {
            return 'changed';
        }
        if (!compares) {
            return 'same';
        }
        if (old === undefined || now === undefined) {
            return old === undefined && /^[\w$]+$/.test(path) ? 'created' : 'same';
        }
        if (differ(old, now)) {
            return 'changed';
        }
        return this.changesInside(part) ? 'inside' : 'same';
    }

    private changesInside({ path, old, now }: NodePart): boolean {
        for (const changed of this.changed) {
            if (isPathBelow(changed, path)) {
                return true;
            }
        }
        return isObject(old) && isObject(now) && this.differInside(old, now, new Set());
    }

    private differInside(old: ObjectShape, now: ObjectShape, seen: Set<number>): boolean {
        const before = this.resolved(old, this.before);
        const after = this.resolved(now, this.after);
        if (before === undefined || after === undefined || seen.has(after.object) || seen.size > SEARCHED) {
            return false;
        }
        seen.add(after.object);
        const was = [...Object.entries(before.fields ?? {}), ...items(before)];
        const is = new Map([...Object.entries(after.fields ?? {}), ...items(after)]);
        return was.some(([name, value]) => {
            const other = is.get(name);
            return (
                other !== undefined &&
                (differ(value, other) ||
                    (isObject(value) && isObject(other) && this.differInside(value, other, seen)))
            );
        });
    }

    private resolved(shape: Shape | undefined, objects: Map<number, ObjectShape>): ObjectShape | undefined {
        if (!isObject(shape)) {
            return undefined;
        }
        return isAgain(shape) ? (objects.get(shape.object) ?? shape) : shape;
    }
}

/** Remembers the objects in a value, so that a later mention of one finds its parts. */
function gather(shape: Shape, objects: Map<number, ObjectShape>): void {
    if (shape === null) {
        return;
    }
    if ('key' in shape) {
        gather(shape.key, objects);
        gather(shape.value, objects);
    } else if (isObject(shape) && !isAgain(shape)) {
        const known = objects.get(shape.object);
        if (known === undefined || known.truncated === true) {
            objects.set(shape.object, shape);
        }
        Object.values(shape.fields ?? {}).forEach(part => gather(part, objects));
        shape.elements?.forEach(part => gather(part, objects));
    }
}

/** The elements or entries by the selector that a path has for them. */
function items(shape: ObjectShape | undefined): Map<string, Shape> {
    const found = new Map<string, Shape>();
    shape?.elements?.forEach((element, index) => {
        if (element !== null && 'key' in element) {
            found.set(`{${shapeText(element.key, 0)}}`, element.value);
        } else {
            found.set(`[${index}]`, element);
        }
    });
    return found;
}

/** Whether a change is one of a static field, and not of what a stream has printed. */
function isStatic(path: string): boolean {
    return /^[\w$]+(\.[\w$]+)+$/.test(path) && !/^System\.(out|err)$/.test(path);
}

/** A static field by its class and name, without the package. */
function shortName(path: string): string {
    return /^[\w$]+(\.[\w$]+){2,}$/.test(path) ? path.split('.').slice(-2).join('.') : path;
}

/** Whether a path leads to a part of what `above` is the path of. */
export function isPathBelow(path: string, above: string): boolean {
    return (
        path.length > above.length && path.startsWith(above) && '.[{'.includes(path.charAt(above.length))
    );
}

/** A part that the server has listed by itself, as a row of the same tree. */
export function partPath(above: string, { name, selector }: PartRow): string {
    return above + (selector ?? `.${name}`);
}

/** How the server knows such a part of an object. */
export function partPlace({ object, isArray }: Container, { name, selector }: PartRow): string {
    return selector === undefined ? `@${object}.${name}` : isArray ? `@${object}${selector}` : `@${object}`;
}

/** An object by its number, and whether its elements are those of an array. */
export interface Container {
    object: number;
    isArray: boolean;
}
