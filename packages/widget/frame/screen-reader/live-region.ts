import { type Signal, signal } from '@preact/signals';
import { h, type JSX } from 'preact';

/** Number of lines that remain in the page, so that no line is removed before a screen reader reads the line. */
const MAX_LINES = 30;

interface Line {
  readonly id: number;
  readonly text: string;
}

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
 * An ARIA live region. Render it before the first line, because screen readers ignore the initial content. Each
 * line is a separate node, so that screen readers announce only new lines.
 */
export function LiveRegion({ speech }: { readonly speech: SpeechQueue }): JSX.Element {
  return h(
    'div',
    {
      class: 'visually-hidden',
      role: 'log',
      'aria-live': 'polite',
      'aria-relevant': 'additions',
      'aria-atomic': 'false',
    },
    speech.lines.value.map(({ id, text }) => h('p', { key: id, dir: 'auto' }, text)),
  );
}
