// Pages of rows. Of many, only those used last stay, so that the memory of the page is bounded.

/** Maximum number of pages that are kept. */
const KEPT = 200;

export class PageCache<Rows> {
    private readonly pages = new Map<number, Rows>();

    constructor(private readonly kept = KEPT) {}

    get(page: number): Rows | undefined {
        const rows = this.pages.get(page);
        if (rows !== undefined) {
            // A map keeps the order of insertion: the page used last goes to the end.
            this.pages.delete(page);
            this.pages.set(page, rows);
        }
        return rows;
    }

    set(page: number, rows: Rows): void {
        this.pages.delete(page);
        this.pages.set(page, rows);
        if (this.pages.size > this.kept) {
            const [oldest] = this.pages.keys();
            this.pages.delete(oldest as number);
        }
    }

    clear(): void {
        this.pages.clear();
    }

    get size(): number {
        return this.pages.size;
    }
}
