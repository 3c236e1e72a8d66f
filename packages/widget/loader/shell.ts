import css from './shell.css?inline';
import { type Strings, stringsOf } from './strings.ts';

/** The parts of the element that exist before it is opened. Other versions of `embed-chat.js` use them. */
export interface Shell {
  /** Contains the other parts. Its class is the side, `left` or `right`, if one is set. */
  readonly root: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly icon: SVGPathElement;
  /** A text beside the icon, for errors. */
  readonly message: Text;
  /** In the language of the element, with its own label for `open`. */
  words: Strings;
}

const SVG = 'http://www.w3.org/2000/svg';
const SPEECH = 'M5 3h14q3 0 3 3v8q0 3-3 3H9l-5 5v-5q-2 0-2-3V6q0-3 3-3z';

/**
 * Builds the shell under a closed shadow root. It uses only elements and a constructed style sheet, because the
 * page's Content-Security-Policy can forbid markup, `style` elements and `style` attributes.
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
  button.part.add('button');
  button.ariaExpanded = 'false';
  svg.append(icon);
  button.append(svg, message);
  root.append(button);
  shadow.append(root);
  return { root, button, icon, message, words: stringsOf('') };
}
