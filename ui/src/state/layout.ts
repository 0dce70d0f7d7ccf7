// Which tool is shown, and how large the panels are.

import { signal } from '@preact/signals';

export type Tool = 'diagnosis' | 'omissions' | 'queries' | 'chain' | 'messages';

export const tool = signal<Tool>('diagnosis');

/** The sizes that separators change, in percent of the room that they divide. */
export const SIZES = {
    left: { initial: 27, least: 12, most: 50 },
    right: { initial: 34, least: 15, most: 55 },
    bottom: { initial: 31, least: 10, most: 70 },
    events: { initial: 42, least: 15, most: 85 },
    source: { initial: 66, least: 15, most: 85 },
    timeline: { initial: 52, least: 20, most: 80 },
} as const;

export type SizeName = keyof typeof SIZES;

const KEY = 'querypoint.sizes';

function kept(): Partial<Record<SizeName, number>> {
    try {
        return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Record<SizeName, number>>;
    } catch {
        return {};
    }
}

const names = Object.keys(SIZES) as SizeName[];
const before = kept();

export const sizes = signal<Record<SizeName, number>>(
    Object.fromEntries(
        names.map(name => [name, bounded(name, before[name] ?? SIZES[name].initial)]),
    ) as Record<SizeName, number>,
);

function bounded(name: SizeName, size: number): number {
    const { least, most, initial } = SIZES[name];
    return Number.isFinite(size) ? Math.min(most, Math.max(least, size)) : initial;
}

export function resize(name: SizeName, size: number): void {
    sizes.value = { ...sizes.value, [name]: bounded(name, size) };
    localStorage.setItem(KEY, JSON.stringify(sizes.value));
}
