// A separator between two panels, which the mouse and the arrow keys move.

import type { JSX } from 'preact';
import { resize, SIZES, sizes, type SizeName } from '../state/layout';

/** How far an arrow key moves it, in percent. */
const STEP = 2;

/**
 * `isReversed` says that the panel whose size changes is behind the separator, not before it.
 */
export function Splitter({
    name,
    label,
    isVertical,
    isReversed = false,
}: {
    name: SizeName;
    label: string;
    isVertical: boolean;
    isReversed?: boolean;
}): JSX.Element {
    const size = sizes.value[name];
    const { least, most, initial } = SIZES[name];

    const onPointerDown = (event: PointerEvent): void => {
        const bar = event.currentTarget as HTMLElement;
        const around = bar.parentElement?.getBoundingClientRect();
        if (around === undefined || event.button !== 0) {
            return;
        }
        bar.setPointerCapture(event.pointerId);
        const start = isVertical ? event.clientX : event.clientY;
        const room = isVertical ? around.width : around.height;
        const move = (moved: PointerEvent): void => {
            const by = (((isVertical ? moved.clientX : moved.clientY) - start) / room) * 100;
            resize(name, size + (isReversed ? -by : by));
        };
        bar.addEventListener('pointermove', move);
        bar.addEventListener('lostpointercapture', () => bar.removeEventListener('pointermove', move), {
            once: true,
        });
    };

    const onKeyDown = (event: KeyboardEvent): void => {
        const forward = isVertical ? 'ArrowRight' : 'ArrowDown';
        const back = isVertical ? 'ArrowLeft' : 'ArrowUp';
        const by = event.key === forward ? STEP : event.key === back ? -STEP : undefined;
        if (by !== undefined) {
            resize(name, size + (isReversed ? -by : by));
            event.preventDefault();
        }
    };

    return (
        <div
            class={`splitter ${isVertical ? 'vertical' : 'horizontal'}`}
            role="separator"
            aria-label={label}
            aria-orientation={isVertical ? 'vertical' : 'horizontal'}
            aria-valuenow={Math.round(size)}
            aria-valuemin={least}
            aria-valuemax={most}
            tabIndex={0}
            onPointerDown={onPointerDown}
            onKeyDown={onKeyDown}
            onDblClick={() => resize(name, initial)}
        />
    );
}
