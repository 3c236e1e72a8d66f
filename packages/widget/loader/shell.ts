import css from './shell.css?inline';
import { type Strings, stringsOf } from './strings.ts';

/** The parts of the element that exist before the first opening. Other versions of `embed-chat.js` use these members. */
export interface Shell {
  /** Contains the other parts. The class is `left` or `right` if a side is set. */
  readonly root: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly icon: SVGPathElement;
  /** An error message beside the icon. */
  readonly message: Text;
  /** Strings in the language of the element. `open` is the element's `label`, if set. */
  words: Strings;
}

const SVG = 'http://www.w3.org/2000/svg';
const SPEECH = 'M5 3h14q3 0 3 3v8q0 3-3 3H9l-5 5v-5q-2 0-2-3V6q0-3 3-3z';

/**
 * Builds the shell in a closed shadow root. Uses only DOM methods and a constructed style sheet, because the page's
 * Content-Security-Policy can forbid markup, `style` elements and `style` attributes.
 */
export function buildShell(host: HTMLElement): Shell {
  const shadow = host.attachShadow({ mode: 'closed' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  shadow.adoptedStyleSheets = [sheet];
  const root = document.createElement('div');
  const button = document.createElement('button');
  const message = new Text();
  const svg = document.createElementNS(SVG, 'svg');
  const icon = document.createElementNS(SVG, 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  icon.setAttribute('d', SPEECH);
  button.part = 'button';
  button.ariaExpanded = 'false';
  svg.append(icon);
  button.append(svg, message);
  root.append(button);
  shadow.append(root);
  return { root, button, icon, message, words: stringsOf('') };
}
