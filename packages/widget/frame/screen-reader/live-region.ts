import { type Signal, signal } from '@preact/signals';
import { h, type JSX } from 'preact';

/** Lines that stay in the page, so that none is removed before it is read. */
const MAX_LINES = 30;

interface Line {
  readonly id: number;
  readonly text: string;
}

/** The lines for a screen reader, in order. */
export class SpeechQueue {
  readonly lines: Signal<readonly Line[]> = signal([]);
  #next = 0;

  say(texts: readonly string[]): void {
    if (texts.length === 0) return;
    const lines = texts.map((text) => ({ id: this.#next++, text }));
    this.lines.value = [...this.lines.value, ...lines].slice(-MAX_LINES);
  }
}

/**
 * An ARIA live region. It must be in the page before the first line, because screen readers ignore its initial
 * content. Each line is its own node, so that only new lines are read.
 */
export function LiveRegion({ speech }: { readonly speech: SpeechQueue }): JSX.Element {
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
