// Where the runs, lanes, bars and points of the timeline are in its picture.

import type { Lane, Point, Run } from '../api/tools';

/** Heights in pixels. */
export const RUN_HEAD = 18;
export const BAR = 15;
const LANE_GAP = 4;
/** The strip below the bars for single events. */
export const TICKS = 8;
/** The strip of a lane that holds points. */
export const STRIP = 24;
/** Points that are closer than this stand above each other, as far as there are levels. */
const APART = 20;
const LEVELS = 4;
/** Deeper calls than this have no bars. */
export const DEEPEST = 40;

export interface LaidLane {
    lane: Lane;
    /** The top of its bars. */
    top: number;
    /** The top of its events. */
    ticks: number;
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
    /** The middle of each point, by its id. */
    points: Map<string, number>;
}

export interface Laid {
    runs: LaidRun[];
    height: number;
}

/** The level of each point of a lane, so that none hides another. */
function levels(points: Point[], x: (at: number) => number): Map<string, number> {
    const last = Array<number>(LEVELS).fill(-Infinity);
    const found = new Map<string, number>();
    for (const { id, at } of [...points].sort((a, b) => a.at - b.at)) {
        const free = last.findIndex(before => x(at) - before >= APART);
        const level = free < 0 ? LEVELS - 1 : free;
        last[level] = x(at);
        found.set(id, level);
    }
    return found;
}

/** `x` is the place of a fraction of the run, in pixels. */
export function layOut(runs: Run[], x: (at: number) => number): Laid {
    let top = 0;
    const laid = runs.map(run => {
        const start = top;
        const middles = new Map<string, number>();
        top += RUN_HEAD;
        const lanes = (run.lanes.length === 0 ? [{ thread: '' }] : run.lanes).map((lane: Lane, index) => {
            const depth = (lane.bars ?? []).reduce((most, bar) => Math.max(most, bar.depth + 1), 0);
            const points = run.points.filter(point => point.lane === index);
            const hasPoints =
                points.length > 0 || run.rejected?.some(rejected => rejected.lane === index) === true;
            const own = levels(points, x);
            const middle = top + STRIP / 2;
            own.forEach((level, id) => middles.set(id, middle + level * APART));
            const strip = STRIP + Math.max(0, ...own.values()) * APART;
            const barsTop = top + (hasPoints ? strip : 0);
            const ticks = barsTop + Math.min(depth, DEEPEST) * BAR + 1;
            const placed = { lane, top: barsTop, ticks, middle, label: top + (hasPoints ? STRIP / 2 + 4 : 11) };
            const hasTicks = (lane.events ?? []).length > 0;
            top = Math.max(ticks - 1 + (hasTicks ? TICKS : 0), top + BAR) + LANE_GAP;
            return placed;
        });
        return { run, top: start, bottom: top, lanes, points: middles };
    });
    return { runs: laid, height: top };
}

/** The middle of the strip of a lane, where rejected candidates are. */
export function middleOf({ lanes }: LaidRun, lane: number): number {
    return lanes[lane]?.middle ?? lanes[0]?.middle ?? 0;
}

interface Spot {
    x: number;
    y: number;
}

/** How far a curve between points above each other bends to the side, in pixels. */
const BEND = 16;

/** A curve from the effect to the cause: above points that stand beside each other, or else at their left. */
export function arrowPath(from: Spot, to: Spot, radius: number): string {
    if (Math.abs(to.x - from.x) < 2 * radius) {
        const [start, end] = [from.x - radius, to.x - radius];
        const side = Math.min(start, end) - BEND;
        return `M${start} ${from.y}C${side} ${from.y} ${side} ${to.y} ${end} ${to.y}`;
    }
    const direction = to.x < from.x ? -1 : 1;
    const start = from.x + direction * radius * 0.6;
    const end = to.x - direction * radius * 0.6;
    const lift = Math.min(9, Math.abs(end - start) / 3 + 4);
    const top = Math.min(from.y, to.y) - radius - lift;
    return `M${start} ${from.y - radius * 0.8}Q${(start + end) / 2} ${top} ${end} ${to.y - radius * 0.8}`;
}
