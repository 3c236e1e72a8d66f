import type { Mode, Scheme } from '../../protocol/messages.ts';
import type { Shell } from '../shell.ts';
import css from './box.css?inline';

export type Stage = 'none' | 'loading' | 'ready' | 'failed';

export interface View {
  readonly mode: Mode;
  /** `left` or `right`. `null`: the inline end of the page. */
  readonly side: string | null;
  readonly isOpen: boolean;
  readonly stage: Stage;
  readonly scheme: Scheme;
  readonly title: string;
  /** The accent colour of the link, which the page can override. `null`: the default. */
  readonly accent: string | null;
}

const CROSS =
  'M5 6.5 6.5 5l5.5 5.5L17.5 5 19 6.5 13.5 12l5.5 5.5-1.5 1.5-5.5-5.5L6.5 19 5 17.5 10.5 12z';

/** The box beside the button. Contains the frame. A notice covers the frame until the frame is ready. */
export class Box {
  readonly #shell: Shell;
  readonly #shadow: ShadowRoot;
  readonly #sheet = new CSSStyleSheet();
  readonly #box = document.createElement('div');
  readonly #message = document.createElement('p');
  readonly #retry = document.createElement('button');
  readonly #speechBubble: string;

  constructor(shell: Shell, on: { readonly retry: () => void; readonly escape: () => void }) {
    this.#shell = shell;
    this.#shadow = shell.root.getRootNode() as ShadowRoot;
    this.#speechBubble = shell.icon.getAttribute('d') ?? '';
    this.#sheet.replaceSync(css);
    this.#shadow.adoptedStyleSheets.push(this.#sheet);
    const notice = document.createElement('div');
    notice.id = 'notice';
    this.#message.role = 'alert';
    this.#message.dir = 'auto';
    this.#retry.id = 'retry';
    this.#retry.onclick = on.retry;
    notice.append(this.#message, this.#retry);
    this.#box.id = 'box';
    this.#box.part.add('box');
    this.#box.append(notice);
    shell.button.setAttribute('aria-controls', 'box');
    shell.root.onkeydown = (event) => {
      if (event.key === 'Escape') on.escape();
    };
    shell.root.append(this.#box);
  }

  addFrame(frame: HTMLIFrameElement): void {
    this.#box.prepend(frame);
  }

  show(view: View): void {
    const { root, button, icon } = this.#shell;
    const { mode, side, isOpen, stage, scheme, title, accent } = view;
    const [open, close, failed, retry] = this.#shell.words;
    root.className = `${mode} ${side ?? ''} ${stage} ${isOpen ? 'open' : ''}`;
    root.style.setProperty('--gatehouse-link-accent', accent);
    this.#box.style.colorScheme = scheme ?? '';
    button.ariaExpanded = String(isOpen);
    button.ariaLabel = button.title = isOpen ? close : open;
    icon.setAttribute('d', isOpen ? CROSS : this.#speechBubble);
    this.#message.textContent = stage === 'failed' ? failed : '';
    this.#retry.textContent = retry;
    const frame = this.#box.querySelector('iframe');
    if (frame !== null) frame.title = title;
  }

  end(): void {
    this.#box.remove();
    const sheets = this.#shadow.adoptedStyleSheets;
    this.#shadow.adoptedStyleSheets = sheets.filter((sheet) => sheet !== this.#sheet);
  }
}
