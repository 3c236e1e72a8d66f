import { type Html, html } from './reference-html.ts';

/** A titled block of code, which the keyboard can scroll. */
export function exampleFigure(title: string, text: Html): Html {
  return html`<figure><figcaption>${title}</figcaption><pre tabindex="0">${text}</pre></figure>`;
}
