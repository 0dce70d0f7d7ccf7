// What the server answers about recordings. Absent fields are absent, so they are optional here.

/** How the diagnosis has judged a call. */
export type Verdict =
    'valid' | 'invalid' | 'trusted' | 'unknown' | 'inadmissible' | 'buggy' | 'asked' | 'assumed';

/** Where the page can jump to: an event, or the end of a call without `event`. */
export interface Place {
    call: number;
    event?: number;
}

export interface ThreadInfo {
    number: number;
    name: string;
    calls: number;
}

export interface Recording {
    trace: number;
    name: string;
    state: 'recording' | 'ready' | 'failed';
    error?: string;
    level: string;
    calls: number;
    command: string[];
    threads: ThreadInfo[];
    /** Where the page begins: at the failure, or at the end. */
    start?: Place;
    missing?: string[];
    notes?: string[];
    own?: boolean;
}

export interface Session {
    title: string;
    version: string;
    doing: string;
    recordings: Recording[];
    chain: boolean;
    can_run?: boolean;
}

export interface CallShown {
    node: number;
    class: string;
    method: string;
    descriptor: string;
    this?: string;
    arguments: string[];
    parameters?: (string | null)[];
    result?: string;
    exception?: string;
    open?: string;
    below: number;
}

export interface Balloons {
    own: number;
    below: number;
}

/** One page of a list. `count` is the number of rows of the whole list. */
export interface Page<Row> {
    count: number;
    rows: Row[];
}

export interface CallRow {
    row: number;
    call: CallShown;
    index: number;
    verdict?: Verdict;
    balloons?: Balloons;
}

export interface FoldedRow {
    row: number;
    folded: number;
    method: string;
    below: number;
    group: string;
    verdict?: Verdict;
    balloons?: Balloons;
}

export type TreeRow = CallRow | FoldedRow;

export interface PathStep {
    call: number;
    method: string;
    row: number;
    group?: string;
    row_in_group?: number;
}

export interface CallPath {
    thread: number;
    path: PathStep[];
}

/** The fields of EventShown (docs/formats.md) that all events share, without its kind. */
export interface EventRow {
    event: number;
    kind: string;
    /** The event in words. */
    text: string;
    line?: number;
    call?: CallShown;
    changes?: boolean;
    changes_below?: boolean;
    omitted?: number[];
}

export interface Events extends Page<EventRow> {
    call: CallShown;
    thread: string;
    source?: string;
    level: string;
    complete: boolean;
    missing?: string[];
}

export interface EventPlace extends Place {
    line?: number;
    class?: string;
    file?: string;
    thread?: string;
    place?: string;
}

/** A value with its parts, as in questions of `qp diagnose --format json`. */
export type Shape = null | PlainShape | ObjectShape | PairShape | AbsentShape | UnknownShape;

export interface PlainShape {
    type: string;
    value: string | number | boolean;
    truncated?: boolean;
}

/** An object, an array, a builder or a stream; one that occurs again has nothing but its number. */
export interface ObjectShape {
    type: string;
    object: number;
    content?: string;
    fields?: Record<string, Shape>;
    elements?: Shape[];
    text?: string;
    printed?: string;
    length?: number;
    from?: number;
    truncated?: boolean;
}

export interface PairShape {
    key: Shape;
    value: Shape;
}

export interface AbsentShape {
    absent: true;
}

export interface UnknownShape {
    unknown: true;
}

export interface Change {
    path: string;
    old: Shape;
    new: Shape;
    by_initialiser?: boolean;
}

export interface Question {
    question: number;
    node: number;
    class: string;
    method: string;
    descriptor: string;
    entry: Record<string, Shape>;
    exit: Record<string, Shape>;
    changed: Change[];
    /** Paths of the changes that the failing run used later, in the order of use, if known. */
    used?: string[];
    result?: Shape;
    exception?: Shape;
    remaining?: number;
    influential?: number;
    notes?: string[];
}

export interface NodeState {
    call: CallShown;
    thread: string;
    event?: number;
    line?: number;
    question: Question;
    output: { stream: string; text: string; call?: number; place?: string }[];
    output_more?: number;
    level: string;
    missing?: string[];
}

export interface PartRow {
    name: string;
    new?: string;
    changed: boolean;
    object?: number;
    elements?: number;
    selector?: string;
}

export interface Parts {
    count?: number;
    rows: PartRow[];
}

export interface Write {
    call?: number;
    place?: string;
    method: string;
    thread: string;
    line?: number;
    /** The write in words. */
    text: string;
    event: string;
    index?: number;
    name?: string;
    object?: string;
}

export interface History {
    variable: string;
    writes: Write[];
    before: number;
    missing?: string[];
}

export interface SourceFile {
    class: string;
    file?: string;
    lines: string[];
    why?: string;
}

export interface LineValue {
    name: string;
    value: string;
}

export interface LineFacts {
    line: number;
    count: number;
    values: LineValue[];
}

export interface Lines {
    class: string;
    file?: string;
    here?: number;
    lines: LineFacts[];
    complete: boolean;
}

/** Where a line ran before or after, or why there is no such execution. */
export type Execution = Place | { none: string };
