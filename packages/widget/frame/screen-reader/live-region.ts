import { type Signal, signal } from '@preact/signals';
import { h, type JSX } from 'preact';

/** So many stay in the page: enough that none goes before it was read out. */
const KEPT = 30;

interface Line {
  readonly id: number;
  readonly text: string;
}

/** What a screen reader is to read out, one line after the other. */
export class Speech {
  readonly lines: Signal<readonly Line[]> = signal([]);
  #next = 0;

  say(texts: readonly string[]): void {
    if (texts.length === 0) return;
    const lines = texts.map((text) => ({ id: this.#next++, text }));
    this.lines.value = [...this.lines.value, ...lines].slice(-KEPT);
  }
}

/**
 * Where a screen reader finds what is said. Must be in the page before the first line is: what a region
 * begins with is not read out. Each line is a node of its own, so that only new ones are.
 */
export function LiveRegion({ speech }: { readonly speech: Speech }): JSX.Element {
  return h(
    'div',
    {
      class: 'unseen',
      role: 'log',
      'aria-live': 'polite',
      'aria-relevant': 'additions',
      'aria-atomic': 'false',
    },
    speech.lines.value.map(({ id, text }) => h('p', { key: id, dir: 'auto' }, text)),
  );
}
