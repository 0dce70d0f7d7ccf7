// Where the runs, lanes, bars and points of the timeline are in its picture.

import type { Lane, Point, Run } from '../api/tools';

/** Heights in pixels. */
export const RUN_HEAD = 18;
export const BAR = 10;
const LANE_GAP = 4;
/** The strip of a lane that holds points. */
export const STRIP = 24;
/** Deeper calls than this have no bars. */
export const DEEPEST = 40;

export interface LaidLane {
    lane: Lane;
    /** The top of its bars. */
    top: number;
    /** The middle of its strip of points. */
    middle: number;
    /** The base line of its name. */
    label: number;
}

export interface LaidRun {
    run: Run;
    top: number;
    bottom: number;
    lanes: LaidLane[];
}

export interface Laid {
    runs: LaidRun[];
    height: number;
}

export function layOut(runs: Run[]): Laid {
    let top = 0;
    const laid = runs.map(run => {
        const start = top;
        top += RUN_HEAD;
        const lanes = (run.lanes.length === 0 ? [{ thread: '' }] : run.lanes).map((lane: Lane, index) => {
            const depth = (lane.bars ?? []).reduce((most, bar) => Math.max(most, bar.depth + 1), 0);
            const hasPoints = run.points.some(point => point.lane === index)
                || run.rejected.some(rejected => rejected.lane === index);
            const barsTop = top + (hasPoints ? STRIP : 0);
            const placed = { lane, top: barsTop, middle: top + STRIP / 2, label: top + (hasPoints ? STRIP / 2 + 4 : 9) };
            top = Math.max(barsTop + Math.min(depth, DEEPEST) * BAR, top + BAR) + LANE_GAP;
            return placed;
        });
        return { run, top: start, bottom: top, lanes };
    });
    return { runs: laid, height: top };
}

/** The place of a point in the picture, if its lane is there. */
export function middleOf({ lanes }: LaidRun, { lane }: Pick<Point, 'lane'>): number {
    return lanes[lane]?.middle ?? lanes[0]?.middle ?? 0;
}

/** A curve from the effect to the cause; points that are close to each other get a higher one. */
export function arrowPath(from: { x: number; y: number }, to: { x: number; y: number }, radius: number): string {
    const direction = to.x < from.x ? -1 : 1;
    const start = from.x + direction * radius * 0.6;
    const end = to.x - direction * radius * 0.6;
    const lift = Math.min(9, Math.abs(end - start) / 3 + 4);
    return `M${start} ${from.y - radius * 0.8}Q${(start + end) / 2} ${Math.min(from.y, to.y) - radius - lift} `
        + `${end} ${to.y - radius * 0.8}`;
}
