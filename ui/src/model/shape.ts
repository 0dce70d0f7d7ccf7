// Values as texts, and which of two values differ.

import type { ObjectShape, Shape } from '../api/types';

/** Maximum number of characters of a value in a list. */
export const SHOWN = 200;
/** Maximum number of characters of the elements that stand behind the name of an array. */
const PREVIEW = 60;

export function isObject(shape: Shape | undefined): shape is ObjectShape {
    return shape !== null && shape !== undefined && 'object' in shape;
}

/** Whether it has no parts since the object stands at another place of the same value. */
export function isAgain(shape: ObjectShape): boolean {
    return (
        shape.fields === undefined &&
        shape.elements === undefined &&
        shape.text === undefined &&
        shape.printed === undefined
    );
}

/** A text of at most `room` characters, which ends in `…` if it had more. */
export function cut(text: string, room = SHOWN): string {
    return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

/** A number with its noun: `1 pass`, `2,000 events`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
    return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`;
}

/** The name of a class as in its source, without its package: `Parcel.Label` for `shop.Parcel$Label`. */
export function simpleName(name: string): string {
    return name.slice(name.lastIndexOf('.') + 1).replace(/(?<=[\w$])\$(?=[A-Za-z])/g, '.');
}

/** The name of an object as Java programmers write it: `Rec@7`, `int[3]@9`. */
function objectName({ type, object, elements, truncated }: ObjectShape): string {
    const simple = simpleName(type);
    if (elements !== undefined && simple.endsWith('[]')) {
        const length = `${elements.length}${truncated === true ? '+' : ''}`;
        const first = simple.indexOf('[]');
        return `${simple.slice(0, first)}[${length}]${simple.slice(first + 2)}@${object}`;
    }
    return `${simple}@${object}`;
}

function plainText(type: string, value: string | number | boolean): string {
    if (type === 'char' || type === 'java.lang.Character') {
        // Controls are escaped as in a string.
        return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"')}'`;
    }
    if (type === 'java.lang.String' || type === 'String') {
        return JSON.stringify(value);
    }
    return String(value) + suffix(type, String(value));
}

/** What Java writes behind a number of a type: `1L`, `0.1f`. */
function suffix(type: string, value: string): string {
    if (type === 'long' || type === 'java.lang.Long') {
        return 'L';
    }
    return (type === 'float' || type === 'java.lang.Float') && /\d$/.test(value) ? 'f' : '';
}

/** The value in one line, with the beginning of what an array or a collection contains. */
export function shapeText(shape: Shape | undefined, room = PREVIEW): string {
    if (shape === undefined) {
        return '';
    }
    if (shape === null) {
        return 'null';
    }
    if ('object' in shape) {
        return objectText(shape, room);
    }
    if ('key' in shape) {
        return `${shapeText(shape.key, room)} = ${shapeText(shape.value, room)}`;
    }
    if ('absent' in shape) {
        return '(none)';
    }
    if ('unknown' in shape) {
        return '?';
    }
    return plainText(shape.type, shape.value) + (shape.truncated === true ? '…' : '');
}

function objectText(shape: ObjectShape, room: number): string {
    const name = objectName(shape);
    if (shape.content !== undefined) {
        return `${name} ${shape.content}`;
    }
    const text = shape.text ?? shape.printed;
    if (text !== undefined) {
        const shown = `${JSON.stringify(text)}${shape.truncated === true ? '…' : ''}`;
        return shape.printed === undefined ? `${name} ${shown}` : shown;
    }
    if (room <= 0) {
        return name;
    }
    if (shape.elements !== undefined) {
        return `${name} [${partsText(
            shape.elements.map(element => ['', element]),
            shape,
            room,
        )}]`;
    }
    const fields = Object.entries(shape.fields ?? {});
    return fields.length === 0
        ? name
        : `${name} {${partsText(
              fields.map(([field, value]) => [`${field}: `, value]),
              shape,
              room,
          )}}`;
}

/** As many parts as there is room for. */
function partsText(parts: [string, Shape][], { truncated }: ObjectShape, room: number): string {
    const shown: string[] = [];
    let used = 0;
    for (const [name, value] of parts) {
        const text = name + shapeText(value, 0);
        used += text.length + 2;
        if (used > room) {
            return [...shown, '…'].join(', ');
        }
        shown.push(text);
    }
    return [...shown, ...(truncated === true ? ['…'] : [])].join(', ');
}

/** Whether two values differ, as far as both are known. Parts of an object do not count. */
export function differ(old: Shape, now: Shape): boolean {
    if (old === null || now === null) {
        return old !== now && !isUnknown(old) && !isUnknown(now);
    }
    if (isUnknown(old) || isUnknown(now)) {
        return false;
    }
    if ('object' in old && 'object' in now) {
        return old.object !== now.object || ownText(old) !== ownText(now);
    }
    if ('value' in old && 'value' in now && 'type' in old && 'type' in now) {
        return old.type !== now.type || old.value !== now.value;
    }
    return !('absent' in old && 'absent' in now);
}

function ownText(shape: ObjectShape): string | undefined {
    return isAgain(shape) ? undefined : (shape.text ?? shape.printed);
}

function isUnknown(shape: Shape): boolean {
    return shape !== null && 'unknown' in shape;
}

/** The number of the object that a text such as `Rec@7` names. */
export function objectNumber(text: string | undefined): number | undefined {
    const found = text === undefined ? null : /^[^"'\s]*@(\d+)/.exec(text);
    return found === null ? undefined : Number(found[1]);
}
