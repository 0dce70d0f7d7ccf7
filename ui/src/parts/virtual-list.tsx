// A list of any length: only the visible rows are in the document. Keys move the active row.

import type { ComponentChildren, HTMLAttributes, JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
    elementHeight,
    isMapped,
    lastOffset,
    offsetAt,
    offsetShowing,
    scrollTopAt,
    visibleRows,
} from '../model/scroll-mapping';

/** The height of a row in pixels. */
const ROW_HEIGHT = 24;
/** Rows that are drawn above and below the visible ones, so that fast scrolling shows no gaps. */
const OVERSCAN = 4;
/** A row that is farther away than this many rows comes into the middle. */
const NEAR = 2;

export interface RowShown {
    content: ComponentChildren;
    class?: string;
    /** Attributes such as `aria-level` and `aria-expanded`. */
    attributes?: HTMLAttributes<HTMLDivElement>;
}

export interface VirtualListProps {
    label: string;
    role: 'tree' | 'grid' | 'treegrid' | 'listbox';
    count: number;
    row: (index: number) => RowShown;
    active: number | undefined;
    /** The active row has changed: by a step of the keyboard, or else by a click. */
    onActive: (index: number, isStep: boolean) => void;
    /** A key that moves no row. Returns whether it was for the list. */
    onKey?: (event: KeyboardEvent, index: number) => boolean;
    /** The row was opened by a double click. */
    onOpen?: (index: number) => void;
    columns?: number;
    /** What the rows are of: another one begins at its first row. */
    scope?: number | undefined;
}

const ROW_ROLES = { tree: 'treeitem', grid: 'row', treegrid: 'row', listbox: 'option' } as const;

/** The row that a key moves to; `undefined` if it moves none. */
function target(key: string, active: number, count: number, page: number): number | undefined {
    switch (key) {
        case 'ArrowDown':
            return Math.min(active + 1, count - 1);
        case 'ArrowUp':
            return Math.max(active - 1, 0);
        case 'PageDown':
            return Math.min(active + page, count - 1);
        case 'PageUp':
            return Math.max(active - page, 0);
        case 'Home':
            return 0;
        case 'End':
            return count - 1;
        default:
            return undefined;
    }
}

export function VirtualList(props: VirtualListProps): JSX.Element {
    const { label, role, count, row, active, onActive, onKey, onOpen, columns, scope } = props;
    const id = useId();
    const element = useRef<HTMLDivElement>(null);
    const [view, setView] = useState(0);
    const [offset, setOffset] = useState(0);
    // The position that the list itself gave the scroll bar: the event that follows it is no scrolling.
    const given = useRef(-1);
    const scrolled = { count, rowHeight: ROW_HEIGHT, view };
    const shown = Math.min(offset, lastOffset(scrolled));

    const moveTo = (next: number): void => {
        const bounded = Math.min(Math.max(0, next), lastOffset(scrolled));
        setOffset(bounded);
        const top = scrollTopAt(scrolled, bounded);
        if (element.current !== null && Math.abs(element.current.scrollTop - top) >= 1) {
            element.current.scrollTop = top;
            given.current = element.current.scrollTop;
        }
    };

    useLayoutEffect(() => {
        const list = element.current;
        if (list === null) {
            return undefined;
        }
        const observer = new ResizeObserver(() => setView(list.clientHeight));
        observer.observe(list);
        setView(list.clientHeight);
        return () => observer.disconnect();
    }, []);

    useEffect(() => {
        const list = element.current;
        if (list === null || !isMapped(scrolled)) {
            return undefined;
        }
        const wheel = (event: WheelEvent): void => {
            if (event.ctrlKey) {
                return;
            }
            event.preventDefault();
            const unit = event.deltaMode === 0 ? 1 : event.deltaMode === 1 ? ROW_HEIGHT : view;
            moveTo(shown + event.deltaY * unit);
        };
        list.addEventListener('wheel', wheel, { passive: false });
        return () => list.removeEventListener('wheel', wheel);
    });

    const shownScope = useRef(scope);
    useLayoutEffect(() => {
        if (view === 0) {
            return;
        }
        const isOther = shownScope.current !== scope;
        shownScope.current = scope;
        if (active === undefined) {
            if (isOther) {
                moveTo(0);
            }
            return;
        }
        const top = active * ROW_HEIGHT;
        const isFar = top < shown - NEAR * ROW_HEIGHT || top > shown + view + NEAR * ROW_HEIGHT;
        const next = isFar ? top - (view - ROW_HEIGHT) / 2 : offsetShowing(scrolled, shown, active);
        if (next !== shown) {
            moveTo(next);
        }
    }, [active, view === 0, count, scope]);

    const onScroll = (): void => {
        const top = element.current?.scrollTop ?? 0;
        if (isMapped(scrolled) && top === given.current) {
            return;
        }
        given.current = -1;
        setOffset(offsetAt(scrolled, top));
    };

    const onKeyDown = (event: KeyboardEvent): void => {
        if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) {
            return;
        }
        const at = active ?? -1;
        const page = Math.max(1, Math.floor(view / ROW_HEIGHT) - 1);
        const next = target(event.key, at, count, page);
        if (next !== undefined && next !== at && next >= 0) {
            onActive(next, true);
        }
        if (next !== undefined || (at >= 0 && onKey?.(event, at) === true)) {
            event.preventDefault();
            event.stopPropagation();
        }
    };

    const { first, end } = visibleRows(scrolled, shown);
    const from = Math.max(0, first - OVERSCAN);
    const to = Math.min(count, end + OVERSCAN);
    const origin = isMapped(scrolled) ? scrollTopAt(scrolled, shown) - shown : 0;
    const rows: JSX.Element[] = [];
    for (let index = from; index < to; index += 1) {
        const { content, class: kind, attributes } = row(index);
        rows.push(
            <div
                key={index}
                id={`${id}-${index}`}
                role={ROW_ROLES[role]}
                class={`row${index === active ? ' active' : ''}${kind === undefined ? '' : ` ${kind}`}`}
                style={{ top: `${origin + index * ROW_HEIGHT}px` }}
                aria-selected={index === active}
                {...(role === 'grid' || role === 'treegrid' ? { 'aria-rowindex': index + 1 } : {})}
                {...attributes}
                onClick={() => onActive(index, false)}
                onDblClick={() => onOpen?.(index)}
            >
                {content}
            </div>,
        );
    }
    const isActiveShown = active !== undefined && active >= from && active < to;
    return (
        <div
            ref={element}
            class="virtual-list"
            role={role}
            aria-label={label}
            tabIndex={0}
            {...(isActiveShown ? { 'aria-activedescendant': `${id}-${active}` } : {})}
            {...(role === 'grid' || role === 'treegrid'
                ? { 'aria-rowcount': count, 'aria-colcount': columns }
                : {})}
            onScroll={onScroll}
            onKeyDown={onKeyDown}
        >
            <div class="sizer" role="presentation" style={{ height: `${elementHeight(scrolled)}px` }}>
                {rows}
            </div>
        </div>
    );
}
