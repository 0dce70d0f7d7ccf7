// From the scroll bar to rows. A browser caps the height of an element, so a long list cannot have its real
// height: then the position of the scroll bar stands for a fraction of the list.

/** Maximum height of the scrolled element in pixels; Chromium caps elements at 33,554,428 px. */
const MAXIMUM = 15_000_000;

export interface Scrolled {
    count: number;
    rowHeight: number;
    /** The height of the visible part in pixels. */
    view: number;
}

/** The height that all rows would have. */
function wholeHeight({ count, rowHeight }: Scrolled): number {
    return count * rowHeight;
}

/** Whether the scroll bar stands for a fraction instead of pixels. */
export function isMapped(scrolled: Scrolled): boolean {
    return wholeHeight(scrolled) > MAXIMUM;
}

/** The height of the scrolled element. */
export function elementHeight(scrolled: Scrolled): number {
    return Math.min(wholeHeight(scrolled), MAXIMUM);
}

/** The greatest offset: that at which the last row is at the bottom. */
export function lastOffset(scrolled: Scrolled): number {
    return Math.max(0, wholeHeight(scrolled) - scrolled.view);
}

/** The offset among all rows, in pixels, for a position of the scroll bar. */
export function offsetAt(scrolled: Scrolled, scrollTop: number): number {
    if (!isMapped(scrolled)) {
        return Math.min(Math.max(scrollTop, 0), lastOffset(scrolled));
    }
    const range = elementHeight(scrolled) - scrolled.view;
    const fraction = range <= 0 ? 0 : Math.min(1, Math.max(0, scrollTop / range));
    return Math.round(fraction * lastOffset(scrolled));
}

/** The position of the scroll bar for an offset. */
export function scrollTopAt(scrolled: Scrolled, offset: number): number {
    if (!isMapped(scrolled)) {
        return offset;
    }
    const last = lastOffset(scrolled);
    return last === 0 ? 0 : (offset / last) * (elementHeight(scrolled) - scrolled.view);
}

/** The nearest offset at which a whole row is visible. */
export function offsetShowing(scrolled: Scrolled, offset: number, row: number): number {
    const top = row * scrolled.rowHeight;
    const bottom = top + scrolled.rowHeight;
    if (top < offset) {
        return top;
    }
    return bottom > offset + scrolled.view ? Math.min(bottom - scrolled.view, top) : offset;
}

/** The rows that are at least partly visible: from `first` up to, but without, `end`. */
export function visibleRows(scrolled: Scrolled, offset: number): { first: number; end: number } {
    const first = Math.max(0, Math.floor(offset / scrolled.rowHeight));
    const end = Math.min(scrolled.count, Math.ceil((offset + scrolled.view) / scrolled.rowHeight));
    return { first, end: Math.max(first, end) };
}
