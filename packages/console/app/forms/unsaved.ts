import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { warnWhile } from './leave-warning.ts';

/** The forms with unsaved edits, each as an object of its own. */
const unsaved = signal<ReadonlySet<object>>(new Set());
warnWhile(() => unsaved.value.size > 0);

/** The step that the user wants to take although edits are unsaved. Null: none. */
export const asked = signal<(() => void) | null>(null);

/** Lets the console and the browser ask before the user leaves a form with unsaved edits. */
export function useUnsaved(isEdited: boolean): void {
  useLayoutEffect(() => {
    if (!isEdited) return;
    const form = {};
    unsaved.value = new Set(unsaved.peek()).add(form);
    return () => {
      unsaved.value = new Set([...unsaved.peek()].filter((other) => other !== form));
    };
  }, [isEdited]);
}

export function hasUnsaved(): boolean {
  return unsaved.peek().size > 0;
}

/** Forgets the unsaved edits, because the user leaves their forms. */
export function discardUnsaved(): void {
  unsaved.value = new Set();
}

/** Calls `leave`, after a question if edits are unsaved. */
export function askToLeave(leave: () => void): void {
  if (hasUnsaved()) asked.value = leave;
  else leave();
}
