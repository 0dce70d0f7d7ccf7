// A view that fails does not take the others with it.

import type { ComponentChildren, JSX } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { messageOf } from '../api/client';
import { Nothing } from './panel';

export function Guarded({ children }: { children: ComponentChildren }): JSX.Element {
    const [error, retry] = useErrorBoundary();
    return error === undefined ? (
        <>{children}</>
    ) : (
        <div class="panel" role="alert">
            <Nothing>This view has failed: {messageOf(error)}</Nothing>
            <p class="nothing">
                <button type="button" onClick={retry}>
                    Try again
                </button>
            </p>
        </div>
    );
}
