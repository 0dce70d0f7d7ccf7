// The timeline: runs above each other, a lane for each thread, calls as bars and points as circles.

import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { layOut } from '../../model/timeline-layout';
import { Nothing, Panel } from '../../parts/panel';
import {
    pan,
    pictureWidth,
    selectionAt,
    showSelection,
    showSpan,
    showWholeRun,
    span,
    timeline,
    zoom,
} from '../../state/timeline';
import { Picture } from './picture';

/** The factor of one step of the zoom. */
const STEP = 0.6;
/** How far an arrow key moves, as a fraction of what is shown. */
const PAN = 0.15;
/** The room for the names of threads at the left, in pixels. */
const NAMES = 84;
/** A shorter drag than this is a click, in pixels. */
const DRAG = 6;

export function TimelineView(): JSX.Element {
    const { value, error } = timeline.value;
    const runs = value?.runs ?? [];
    return (
        <Panel label="Timeline" class="timeline-panel" tools={<Tools />}>
            {error !== undefined && <Nothing>{error}</Nothing>}
            {value !== undefined && runs.length === 0 && <Nothing>Nothing has run yet.</Nothing>}
            {runs.length > 0 && <Surface />}
        </Panel>
    );
}

function Tools(): JSX.Element {
    const { from, to } = span.value;
    const isWhole = from === 0 && to === 1;
    return (
        <>
            {!isWhole && (
                <span class="dim">
                    {percent(from)} to {percent(to)}
                </span>
            )}
            <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => zoom(STEP)}>
                +
            </button>
            <button type="button" aria-label="Zoom out" title="Zoom out (-)" onClick={() => zoom(1 / STEP)}>
                −
            </button>
            <button type="button" onClick={showWholeRun} disabled={isWhole}>
                Whole run
            </button>
            <button type="button" onClick={showSelection} disabled={selectionAt.value === undefined}>
                To the selection
            </button>
        </>
    );
}

function percent(fraction: number): string {
    return `${(fraction * 100).toFixed(fraction === 0 || fraction === 1 ? 0 : 2)}%`;
}

function Surface(): JSX.Element {
    const element = useRef<HTMLDivElement>(null);
    const dragged = useRef<{ x: number } | undefined>(undefined);
    const wasDragged = useRef(false);
    const runs = timeline.value.value?.runs ?? [];
    const width = pictureWidth.value;
    const { from, to } = span.value;

    useEffect(() => {
        const surface = element.current;
        if (surface === null) {
            return undefined;
        }
        const measure = (): void => {
            pictureWidth.value = Math.max(100, surface.clientWidth - NAMES - 12);
        };
        const observer = new ResizeObserver(measure);
        observer.observe(surface);
        const wheel = (event: WheelEvent): void => {
            event.preventDefault();
            if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
                pan((event.deltaX || event.deltaY) / 1000);
            } else {
                zoom(event.deltaY < 0 ? STEP : 1 / STEP, fractionAt(surface, event.clientX));
            }
        };
        surface.addEventListener('wheel', wheel, { passive: false });
        return () => {
            observer.disconnect();
            surface.removeEventListener('wheel', wheel);
        };
    }, []);

    const onKeyDown = (event: KeyboardEvent): void => {
        const moves: Record<string, () => void> = {
            ArrowLeft: () => pan(-PAN),
            ArrowRight: () => pan(PAN),
            '+': () => zoom(STEP),
            '=': () => zoom(STEP),
            '-': () => zoom(1 / STEP),
            '0': showWholeRun,
        };
        const move = moves[event.key];
        if (move !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
            move();
            event.preventDefault();
        }
    };

    const onPointerDown = (event: PointerEvent): void => {
        wasDragged.current = false;
        dragged.current = event.button === 0 ? { x: event.clientX } : undefined;
    };

    const onPointerUp = (event: PointerEvent): void => {
        const start = dragged.current?.x;
        dragged.current = undefined;
        const surface = element.current;
        if (start !== undefined && surface !== null && Math.abs(event.clientX - start) > DRAG) {
            wasDragged.current = true;
            showSpan({ from: fractionAt(surface, start), to: fractionAt(surface, event.clientX) });
        }
    };

    // The end of a drag selects nothing.
    const onClickCapture = (event: MouseEvent): void => {
        if (wasDragged.current) {
            event.stopPropagation();
        }
    };

    return (
        <div
            ref={element}
            class="timeline-surface"
            role="group"
            aria-label="Runs. Arrows move, + and - zoom, 0 shows the whole run"
            tabIndex={0}
            onKeyDown={onKeyDown}
            onPointerDown={onPointerDown}
            onPointerUp={onPointerUp}
            onClickCapture={onClickCapture}
        >
            <Picture laid={layOut(runs, at => (at / (to - from)) * width)} names={NAMES} width={width} />
        </div>
    );
}

/** The fraction of the whole run at a place of the window. */
function fractionAt(surface: HTMLElement, x: number): number {
    const { left } = surface.getBoundingClientRect();
    const { from, to } = span.peek();
    return from + ((x - left - NAMES) / pictureWidth.peek()) * (to - from);
}
