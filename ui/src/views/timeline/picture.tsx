// The picture of the timeline.

import type { JSX } from 'preact';
import type { Bar, Point, Rejected, Run, Tick } from '../../api/tools';
import {
    arrowPath,
    BAR,
    DEEPEST,
    middleOf,
    RUN_HEAD,
    TICKS,
    type Laid,
    type LaidLane,
    type LaidRun,
} from '../../model/timeline-layout';
import { cut } from '../../model/shape';
import { placeText } from '../../state/asking';
import { goToPlace } from '../../state/place';
import { select, selectedCall } from '../../state/selection';
import { selectionAt, span } from '../../state/timeline';
import { openPoint } from './point-menu';

/** Radius of located points and of rejected candidates in pixels. */
const LARGE = 9;
const SMALL = 3.5;
/** A bar of this width has room for a name; a character takes about this much. */
const NAMED = 26;
const CHARACTER = 6.4;

interface Scale {
    names: number;
    width: number;
    x: (fraction: number) => number;
}

export function Picture({ laid, names, width }: { laid: Laid; names: number; width: number }): JSX.Element {
    const { from, to } = span.value;
    const scale: Scale = {
        names,
        width,
        x: fraction => names + ((fraction - from) / (to - from)) * width,
    };
    return (
        <svg width={names + width + 12} height={laid.height} class="picture">
            <defs>
                <marker
                    id="arrow"
                    viewBox="0 0 8 8"
                    refX="7"
                    refY="4"
                    markerWidth="7"
                    markerHeight="7"
                    orient="auto"
                >
                    <path d="M0 0 8 4 0 8z" class="arrow-head" />
                </marker>
                <clipPath id="inside">
                    <rect x={names - LARGE} y="0" width={width + 2 * LARGE} height={laid.height} />
                </clipPath>
            </defs>
            {laid.runs.map(run => (
                <RunPicture key={run.run.run} laid={run} scale={scale} />
            ))}
        </svg>
    );
}

function RunPicture({ laid, scale }: { laid: LaidRun; scale: Scale }): JSX.Element {
    const { run, top, lanes } = laid;
    const places = new Map(
        run.points.map(point => [point.id, { x: scale.x(point.at), y: laid.points.get(point.id) ?? 0 }]),
    );
    return (
        <g>
            <text class="run-name" x="4" y={top + 13}>
                {run.name}
                {run.note !== undefined && (
                    <tspan class="run-note" dx="8">
                        {cut(run.note, 160)}
                    </tspan>
                )}
                {run.note !== undefined && <title>{run.note}</title>}
            </text>
            <line
                class="rule"
                x1="0"
                x2={scale.names + scale.width}
                y1={top + RUN_HEAD - 1}
                y2={top + RUN_HEAD - 1}
            />
            {lanes.map((lane, index) => (
                <LanePicture key={index} laid={lane} scale={scale} />
            ))}
            {run.kind === 'recording' && <Now top={top + RUN_HEAD} bottom={laid.bottom} scale={scale} />}
            <g clip-path="url(#inside)">
                {run.rejected?.map((rejected, index) => (
                    <circle
                        key={index}
                        class="rejected"
                        cx={scale.x(rejected.at)}
                        cy={middleOf(laid, rejected.lane)}
                        r={SMALL}
                    >
                        <title>{rejectedText(rejected)}</title>
                    </circle>
                ))}
                {run.arrows?.map(({ from, to }) => {
                    const [start, end] = [places.get(from), places.get(to)];
                    return start === undefined || end === undefined ? null : (
                        <path
                            key={`${from} ${to}`}
                            class="arrow"
                            d={arrowPath(start, end, LARGE)}
                            marker-end="url(#arrow)"
                        />
                    );
                })}
                {run.points.map(point => (
                    <PointPicture key={point.id} run={run} point={point} places={places} />
                ))}
            </g>
        </g>
    );
}

/** Where the selection is. */
function Now({ top, bottom, scale }: { top: number; bottom: number; scale: Scale }): JSX.Element | null {
    const at = selectionAt.value;
    const { from, to } = span.value;
    return at === undefined || at < from || at > to ? null : (
        <line class="now" x1={scale.x(at)} x2={scale.x(at)} y1={top} y2={bottom} />
    );
}

function LanePicture({
    laid: { lane, top, ticks, middle, label },
    scale,
}: {
    laid: LaidLane;
    scale: Scale;
}): JSX.Element {
    const bars = (lane.bars ?? []).filter(bar => bar.depth < DEEPEST);
    return (
        <g>
            <text class="lane-name" x="4" y={label}>
                {cut(lane.thread, 13)}
                <title>{lane.thread}</title>
            </text>
            <line class="track" x1={scale.names} x2={scale.names + scale.width} y1={middle} y2={middle} />
            <g clip-path="url(#inside)">
                {bars.map(bar => (
                    <BarPicture key={`${bar.depth} ${bar.from}`} bar={bar} top={top} scale={scale} />
                ))}
                {lane.events?.map(event => (
                    <rect
                        key={event.place}
                        class="tick"
                        x={scale.x(event.at)}
                        y={ticks}
                        width="3"
                        height={TICKS - 2}
                        onClick={() => void goToPlace({ call: event.call }, event.place)}
                    >
                        <title>{tickText(event)}</title>
                    </rect>
                ))}
            </g>
        </g>
    );
}

function BarPicture({ bar, top, scale }: { bar: Bar; top: number; scale: Scale }): JSX.Element {
    const left = Math.max(scale.x(bar.from), scale.names);
    const right = Math.min(scale.x(bar.to), scale.names + scale.width);
    const width = Math.max(1, right - left);
    const y = top + bar.depth * BAR;
    const method = bar.method.slice(bar.method.lastIndexOf('.', bar.method.length - 2) + 1);
    return (
        <g
            class={
                bar.call === selectedCall.value ? 'bar selected' : (bar.calls ?? 1) > 1 ? 'bar many' : 'bar'
            }
            onClick={() => select({ call: bar.call })}
        >
            <rect x={left} y={y} width={width} height={BAR - 1} rx="1.5" />
            {width > NAMED && (
                <text x={left + 3} y={y + 10.5}>
                    {cut(method, Math.max(2, Math.floor((width - 6) / CHARACTER)))}
                </text>
            )}
            <title>{barText(bar)}</title>
        </g>
    );
}

function tickText({ call, kind, line }: Tick): string {
    return `#${call}: ${kind}${line === undefined ? '' : `, line ${line}`}`;
}

function barText({ call, method, calls = 1 }: Bar): string {
    return `${calls > 1 ? `${calls} calls from ` : ''}#${call} ${method}`;
}

function rejectedText({ of, place, hit, reason }: Rejected): string {
    return `Candidate for ${of}: ${place}, hit ${hit}, ${reason}`;
}

/** What a circle has room for: the id of a point, or the number of its line. */
function shortLabel(label: string): string {
    const short = (label.split(' ')[0] ?? '').replace(/^:/, '');
    return short.length > 3 || (short.length === 3 && !/^\d+$/.test(short)) ? '•' : short;
}

function PointPicture({
    run,
    point,
    places,
}: {
    run: Run;
    point: Point;
    places: Map<string, { x: number; y: number }>;
}): JSX.Element | null {
    const place = places.get(point.id);
    if (place === undefined) {
        return null;
    }
    const { x, y } = place;
    const short = shortLabel(point.label);
    const about = [point.id === short ? '' : point.id, point.question, placeText(point)];
    const kind = point.located ? 'Point' : 'Not located: point';
    const label = [`${kind} ${short}`, ...about.filter(part => part !== '')].join(', ');
    const open = (event: Event): void => {
        event.stopPropagation();
        openPoint(event.currentTarget as Element, run, point);
    };
    return (
        <g
            class={point.located ? 'point' : 'point missing'}
            role="button"
            tabindex={0}
            aria-label={label}
            aria-haspopup="dialog"
            onClick={open}
            onKeyDown={event => {
                if (event.key === 'Enter' || event.key === ' ') {
                    event.preventDefault();
                    open(event);
                }
            }}
        >
            <circle cx={x} cy={y} r={LARGE} />
            <text x={x} y={y + 3.5} text-anchor="middle">
                {short}
            </text>
            <title>
                {label}
                {point.value === undefined ? '' : `, ${cut(point.value)}`}
            </title>
        </g>
    );
}
