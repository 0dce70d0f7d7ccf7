// What the server answers about the tools: asked points, the timeline, diagnosis, omissions, queries, chains.

import type { Place, Question } from './types';

export interface Why {
    asked: number;
    kind: string;
    text: string;
    method: string;
    file?: string;
    line?: number;
    source?: string;
    condition?: string;
    outcome?: string;
    selection: Place;
}

/** Where a value was computed. */
export interface Origin {
    text: string;
    /** The event, if the recording has one. */
    selection: Place | null;
}

export interface Bar {
    call: number;
    method: string;
    from: number;
    to: number;
    depth: number;
    /** Number of calls that are too narrow to be told apart. */
    calls?: number;
}

export interface Lane {
    thread: string;
    bars?: Bar[];
    /** The events, where few are shown. */
    events?: Tick[];
}

/** An event of the timeline. */
export interface Tick {
    at: number;
    call: number;
    place: string;
    kind: string;
    line?: number;
}

/** The parts of a PointAnswer (docs/formats.md) that the page shows. */
export interface PointDetail {
    old?: string | null;
    new?: string | null;
    owner?: string | null;
    condition?: string | null;
    taken?: string | null;
    result?: string | null;
    thread?: string | null;
    hit?: number | null;
    exception?: { object?: string; class?: string; message?: string } | null;
    operands?: Record<string, string>;
    collected?: Record<string, string>;
    contents?: Record<string, string>;
    steps?: { passed: string; variable?: string | null; file?: string | null; line?: number | null }[];
    notes?: string[];
}

export interface Point {
    id: string;
    question: string;
    lane: number;
    at: number;
    located: boolean;
    kind: string;
    label: string;
    file?: string;
    line?: number;
    method?: string;
    text?: string;
    value?: string;
    reason?: string;
    selection?: Place;
    asked?: number;
    variables?: string[];
    detail?: PointDetail;
}

export interface Rejected {
    of: string;
    lane: number;
    at: number;
    place: string;
    hit: number;
    reason: string;
}

export interface Run {
    run: number;
    name: string;
    kind: 'recording' | 'replay';
    note?: string;
    lanes: Lane[];
    points: Point[];
    rejected?: Rejected[];
    more_rejected?: Record<string, number>;
    arrows?: { from: string; to: string }[];
}

export interface TimelineData {
    runs: Run[];
    selection_at?: number;
}

export interface DiagnosisResult {
    buggy?: { node: number; class: string; method: string; line?: number; source?: string } | null;
    answers?: number;
    undecided?: number[];
    text?: string;
}

export interface Diagnosis {
    state: 'none' | 'working' | 'asking' | 'ended';
    error?: string;
    replies?: { text: string }[];
    question?: Question;
    result?: DiagnosisResult;
    suspicious?: number;
    strategy?: string;
    strategies?: { name: string; about: string }[];
    selection?: Place;
}

export type DiagnosisAnswer =
    'valid' | 'invalid' | 'wrong' | 'trusted' | 'unknown' | 'inadmissible' | 'undo';

export type DiagnosisAction =
    | { start: { call?: number; strategy?: string } }
    | {
          question: number;
          answer: DiagnosisAnswer;
          path?: string;
          of?: 'method' | 'class' | 'package';
          node?: number;
      }
    | { question: number; condition: string; node?: number }
    | { end: true };

export interface Confirmation {
    verdict?: string;
    found?: string;
    passes?: string;
    flipped?: number;
    text?: string;
}

export interface Suggestion {
    number: number;
    /** The jump as text, and the way that it went. */
    text: string;
    outcome: string;
    jump: {
        kind: string;
        class: string;
        method: string;
        line?: number;
        condition?: string;
        was?: string;
        would_be?: string;
    };
    passes: { missed: number; all: number };
    operation: {
        class: string;
        method?: string;
        line?: number;
        text: string;
        writes: boolean;
        chain: string[];
    };
    certainty: string;
    selection?: Place;
    confirmation?: Confirmation;
}

export interface OmissionsFound extends OmissionsState {
    target: string;
    value?: string;
    at: string | Place;
    suggestions: Suggestion[];
    hidden: number;
    more?: number;
    reasons?: string[];
    notes?: string[];
}

/** While the search goes on there are no suggestions yet. */
export type Omissions = OmissionsFound | { none: true } | OmissionsState;

interface OmissionsState {
    state?: string;
    error?: string;
}

export interface OmissionsRequest {
    call: number;
    event?: number;
    what: string;
    field?: boolean;
    within?: number;
    reads?: boolean;
    loops?: boolean;
    hide?: string[];
}

export interface QueryHelp {
    queries: { example: string; about: string }[];
    /** The predicates of the saved rules. */
    predicates?: string[];
    /** The lines that were asked of this server, the oldest first. */
    saved?: string[];
}

/** `place` says which event of the selected call is meant. */
export interface QueryRow {
    text: string;
    selection?: Place;
    place?: string;
}

export interface QueryAnswer {
    command: string;
    reply: string;
    content?: unknown;
    rows: QueryRow[];
    columns?: string[];
    waits?: boolean;
}

export interface ChainPoint {
    id: string;
    question: string;
    collect?: string[];
    text?: string;
}

export interface Chain {
    state: 'none' | 'working' | 'running' | 'answered' | 'failed';
    name?: string;
    points?: ChainPoint[];
    answer?: { outcome?: string; warnings?: string[] };
    runs?: number;
    error?: string;
    /** The text of the chain file. */
    ron?: string;
}

export type ChainAction =
    | { run: true }
    | { start: Place }
    | { ask: { from: string; kind: string; of?: string } }
    | { collect: { point: string; expression: string } }
    | { remove: string };
