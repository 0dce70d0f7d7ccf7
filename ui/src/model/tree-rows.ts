// Which row of the tree is which call. The page knows only the lists that are open and their lengths; from
// these it computes the row of a call and the call of a row, however long the lists are.

/** The rows below one opened row, or the rows of the whole tree. */
export interface OpenList<Key> {
    key: Key;
    count: number;
    /** The lists that are open below rows of this one, by row, in rising order. */
    open: { row: number; list: OpenList<Key> }[];
}

export interface Located<Key> {
    /** The list that the row is in. */
    list: OpenList<Key>;
    /** Its row in that list. */
    row: number;
    /** Number of lists around that list. */
    depth: number;
    /** The list that is open below the row, if one is. */
    below?: OpenList<Key>;
    /** The visible row of the one that `list` is below; absent at the outermost level. */
    parent?: number;
}

export function newList<Key>(key: Key, count: number): OpenList<Key> {
    return { key, count, open: [] };
}

/** Number of visible rows of a list with everything that is open in it. */
export function visibleCount<Key>(list: OpenList<Key>): number {
    return list.open.reduce((sum, { list: below }) => sum + visibleCount(below), list.count);
}

/** What the visible row `index` is; `undefined` beyond the last one. */
export function locate<Key>(root: OpenList<Key>, index: number): Located<Key> | undefined {
    let list = root;
    let rest = index;
    let parent: number | undefined;
    for (let depth = 0; ; depth += 1) {
        // The row in the list, if nothing that is open before it took rows.
        let row = rest;
        let inside: { below: OpenList<Key>; rest: number; row: number } | undefined;
        for (const { row: at, list: below } of list.open) {
            if (row <= at) {
                break;
            }
            const size = visibleCount(below);
            if (row <= at + size) {
                inside = { below, rest: row - at - 1, row: at };
                break;
            }
            row -= size;
        }
        if (inside === undefined) {
            const below = list.open.find(({ row: at }) => at === row)?.list;
            return row >= list.count
                ? undefined
                : {
                      list,
                      row,
                      depth,
                      ...(below !== undefined && { below }),
                      ...(parent !== undefined && { parent }),
                  };
        }
        parent = index - inside.rest - 1;
        list = inside.below;
        rest = inside.rest;
    }
}

/** The visible row to which `rows` leads, one number for each level; `undefined` if it is folded. */
export function indexOf<Key>(root: OpenList<Key>, rows: number[]): number | undefined {
    let list = root;
    let index = 0;
    for (const [depth, row] of rows.entries()) {
        index += row;
        for (const { row: at, list: below } of list.open) {
            if (at < row) {
                index += visibleCount(below);
            }
        }
        if (depth + 1 === rows.length) {
            return index;
        }
        const next = list.open.find(({ row: at }) => at === row);
        if (next === undefined) {
            return undefined;
        }
        list = next.list;
        index += 1;
    }
    return undefined;
}

/** Opens `list` below a row. A list that is open there is replaced. */
export function openBelow<Key>(above: OpenList<Key>, row: number, list: OpenList<Key>): void {
    closeBelow(above, row);
    above.open.push({ row, list });
    above.open.sort((a, b) => a.row - b.row);
}

export function closeBelow<Key>(above: OpenList<Key>, row: number): void {
    above.open = above.open.filter(({ row: at }) => at !== row);
}
