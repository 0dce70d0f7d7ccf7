// Light, dark, or as the system says.

import { effect, signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const KEY = 'querypoint.theme';

function kept(): Theme {
    const text = localStorage.getItem(KEY);
    return THEMES.find(theme => theme === text) ?? 'system';
}

export const theme = signal<Theme>(kept());

effect(() => {
    localStorage.setItem(KEY, theme.value);
    const root = document.documentElement;
    if (theme.value === 'system') {
        delete root.dataset['theme'];
    } else {
        root.dataset['theme'] = theme.value;
    }
});
