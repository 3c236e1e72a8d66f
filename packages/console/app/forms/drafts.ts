import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { onOtherUser } from '../client.ts';
import { warnWhile } from './leave-warning.ts';

/** Texts of forms that the user has left before sending them. */
const drafts = signal<ReadonlyMap<string, unknown>>(new Map());
warnWhile(() => drafts.value.size > 0);
onOtherUser(() => {
  drafts.value = new Map();
});

/** A draft that stays while the user visits other pages of the console. */
export interface Draft<T> {
  readonly value: T;
  readonly change: (value: T) => void;
  /** Call it when the draft was sent or discarded. */
  readonly forget: () => void;
}

/** Returns the draft of a form, or `initial` if the user has not changed the form yet. */
export function useDraft<T>(key: string, initial: () => T): Draft<T> {
  const [value, setValue] = useState<T>(
    () => (drafts.peek().get(key) as T | undefined) ?? initial(),
  );
  return {
    value,
    change(next) {
      drafts.value = new Map(drafts.peek()).set(key, next);
      setValue(next);
    },
    forget() {
      const next = new Map(drafts.peek());
      next.delete(key);
      drafts.value = next;
    },
  };
}

/** Reports whether the user has left a form before sending it. */
export function hasDraft(key: string): boolean {
  return drafts.peek().has(key);
}
